echo "can't be confined: the kernel makes no Landlock domain" >&2
exit 119
