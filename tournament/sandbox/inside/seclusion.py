"""A root of its own for a process and all that it forks, with nothing but what it may read; and a Landlock domain.

Folders are made in memory; files are mounted one by one. A folder of a disk's would do more: the kernel keeps the
names that were looked for in it and aren't there, and finds the next time sooner that they aren't. So would /proc:
there are descriptors of other legs. Runs inside, with the standard library alone.
"""

from __future__ import annotations

import ctypes
import os
import stat

from tournament.sandbox.inside import landlock
from tournament.sandbox.inside.c_library import call, end_with, gain_no_privileges

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Collection, Iterable

# Linux, sched.h and mount.h.
_NEW_MOUNTS, _NEW_NAMES, _NEW_USERS = 0x20000, 0x04000000, 0x10000000
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 0x1000, 0x4000, 1 << 18, 2
_READ_ONLY, _NO_SETUID, _ALL_BELOW = 1, 2, 0x8000
_MOUNT_SETATTR = 442  # on every machine

_NEW_ROOT = "/sys"  # until it is the root
_OPTIMISED = (".opt-1.pyc", ".opt-2.pyc")  # a second and third time what Python reads
_MOST_LINKS = 40  # on a path, as the kernel has it
HOSTS = "127.0.0.1 localhost\n::1 localhost\n"


def enter(
    version: int,
    name: str,
    readable: Iterable[str],
    left_out: Collection[str],
    libraries: Collection[str],
    executable: str | None,
) -> None:
    """Enter it for good, with a version of Landlock; `name` is the machine's name there.

    `readable`: files, and folders with all that is in them now but the folders `left_out`; of those that are
    `libraries` only the shared ones that lie in them. `executable`: the program that will look for itself by its link
    in /proc. Raises OSError.
    """
    folder = os.getcwd()
    user, group = os.getuid(), os.getgid()
    kinds = _NEW_MOUNTS | _NEW_NAMES
    try:
        call("unshare", kinds)
    except OSError:  # it takes capabilities, which a user namespace of one's own gives
        call("unshare", kinds | _NEW_USERS)
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for file, text in maps.items():
            with open(f"/proc/self/{file}", "w") as told:
                told.write(text)
    call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    call("sethostname", name.encode(), len(name))
    call("mount", b"none", _NEW_ROOT.encode(), b"tmpfs", _NO_SETUID, b"mode=555")
    # In a process of its own: what is in folders must not move what bots find in memory.
    parent = os.getpid()
    if (child := os.fork()) == 0:
        try:
            end_with(parent)
            content = _Content(left_out, libraries)
            if executable:
                content.links["/proc/self/exe"] = executable
            for path in readable:
                content.add(path)
            _fill(content, {"/etc/hostname": name + "\n", "/etc/hosts": HOSTS})
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise OSError("the root can't be filled")
    _become_root(folder)
    gain_no_privileges()
    landlock.enter_domain(version, [("/", landlock.READ)])


def _become_root(folder: str) -> None:
    """Make the new root the root, read-only, which also leaves the times of files alone; let go of the old one."""
    attributes = (ctypes.c_uint64 * 4)(_READ_ONLY | _NO_SETUID)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    call("syscall", _MOUNT_SETATTR, -1, _NEW_ROOT.encode(), _ALL_BELOW, attributes, size)
    os.chdir(_NEW_ROOT)
    call("pivot_root", b".", b".")
    call("umount2", b".", _DETACH)
    os.chdir(folder)


def _fill(content: _Content, told: dict[str, str]) -> None:
    """Make the folders and links in the new root, mount the files, and write those that are `told`. Raises OSError."""
    mount = ctypes.CDLL(None, use_errno=True).mount
    mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
    for path in {*content.folders, *map(os.path.dirname, [*told, *content.links, *content.files])}:
        os.makedirs(_NEW_ROOT + path, exist_ok=True)
    for path in told:
        content.files.pop(path, None)
    for path, target in content.links.items():
        os.symlink(target, _NEW_ROOT + path)
    for path in content.files:
        place = os.fsencode(_NEW_ROOT + path)
        os.mknod(place)
        if mount(os.fsencode(path), place, None, _BIND, None):
            if os.path.lexists(path):
                raise OSError(ctypes.get_errno(), "mount")
            os.unlink(place)  # it went meanwhile
    for path, text in told.items():
        with open(_NEW_ROOT + path, "x") as written:
            written.write(text)


class _Content:
    """What there will be in the new root, by paths on which there are no links."""

    def __init__(self, left_out: Collection[str], libraries: Collection[str]) -> None:
        self.folders: set[str] = set()
        self.files: dict[str, None] = {}
        self.links: dict[str, str] = {}  # with what each leads to
        self._left_out = {os.path.realpath(path) for path in left_out}
        self._libraries = {os.path.realpath(path) for path in libraries}

    def add(self, path: str) -> None:
        """Add a file, or a folder with all in it, if it is there; and the links that lead to it."""
        path = self._without_links(path)
        try:
            kind = os.lstat(path).st_mode
        except OSError:
            return
        if stat.S_ISDIR(kind):
            self._add_folder(path)
        elif not stat.S_ISLNK(kind):
            self.files[path] = None

    def _add_folder(self, path: str) -> None:
        if path in self.folders:
            return
        self.folders.add(path)
        try:
            entries = list(os.scandir(path))
        except OSError:
            return  # it can't be read, or went meanwhile
        if path in self._libraries:
            self._add_libraries(path, entries)
            return
        for entry in entries:
            if entry.is_symlink():
                self._without_links(entry.name, path)
            elif entry.is_file() and not entry.name.endswith(_OPTIMISED):
                self.files[entry.path] = None
            elif entry.is_dir() and entry.path not in self._left_out:
                self._add_folder(entry.path)

    def _add_libraries(self, folder: str, entries: Iterable[os.DirEntry[str]]) -> None:
        """Add a folder's shared libraries, which may be links to others below it."""
        for entry in entries:
            if ".so" in entry.name and entry.is_file():
                found = self._without_links(entry.name, folder) if entry.is_symlink() else entry.path
                if found.startswith(folder + "/"):
                    self.files[found] = None

    def _without_links(self, path: str, done: str = "/") -> str:
        """The path of the same file on which there are no links; those that there were are added.

        `path` begins at the folder `done`, above which there are none.
        """
        rest, followed = path.split("/")[::-1], 0
        while rest:
            if (part := rest.pop()) in ("", "."):
                continue
            if part == "..":
                done = os.path.dirname(done)
                continue
            here = os.path.join(done, part)
            try:
                target = os.readlink(here)
            except OSError:  # no link
                done = here
                continue
            followed += 1
            if followed > _MOST_LINKS:
                return here
            self.links[here] = target
            rest += target.split("/")[::-1]
            done = "/" if target.startswith("/") else done
        return done
