import os

os.mkdir("locked", 0)
os.symlink("/etc/passwd", "locked_link")
