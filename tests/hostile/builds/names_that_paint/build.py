open(b"\x1b[2J\xff[red]".decode("unicode_escape").encode("latin-1"), "w").close()
