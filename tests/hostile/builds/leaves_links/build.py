import os

os.symlink("@canary@", "link")
