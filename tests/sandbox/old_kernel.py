"""Debian 12's own kernel, in a virtual machine that sees this machine's files below a layer in memory.

`python -m tests.sandbox.old_kernel FOLDER` gets the kernel from Debian's packages, by mmdebstrap. The machine runs one
command in a shell, as this user, and ends. Where /dev/kvm works it is quick; otherwise each instruction is emulated.
"""

from __future__ import annotations

import codecs
import io
import lzma
import os
import re
import select
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PACKAGES = "linux-image-amd64,busybox-static"
FOLDER = Path(sys.prefix, "old_kernel")
TOOLS = ("qemu-system-x86_64", "mmdebstrap")
# Drivers of what the machine has, and file systems.
_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
_BOOTED, _ENDED = "the kernel has booted", "the command ended with status"
_BOOT_SECONDS = 40.0  # by which a processor that isn't emulated has booted
_INIT = f"""#!/bin/busybox sh
set -o pipefail
busybox() {{ /bin/busybox "$@"; }}
busybox mkdir -p /proc /sys /dev /files /memory /new
busybox mount -t proc none /proc
busybox mount -t sysfs none /sys
busybox mount -t devtmpfs none /dev
echo {_BOOTED}
for module in $(busybox cat /modules/order); do busybox insmod /modules/$module; done
busybox mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=500000 files /files
busybox mount -t tmpfs -o size=90% none /memory
busybox mkdir /memory/above /memory/work
busybox mount -t overlay -o lowerdir=/files,upperdir=/memory/above,workdir=/memory/work none /new
for place in proc sys dev; do busybox mount --move /$place /new/$place; done
busybox mount -t securityfs none /new/sys/kernel/security
busybox mkdir -p /new/dev/shm /new/dev/pts
busybox mount -t tmpfs -o mode=1777 none /new/dev/shm
busybox mount -t devpts none /new/dev/pts
busybox ip link set lo up
busybox cp /command /new/dev/shm/command
as_us="/usr/sbin/chroot --userspec={os.getuid()}:{os.getgid()} /"
busybox chroot /new $as_us /bin/sh /dev/shm/command 2>&1 | busybox cat
echo "{_ENDED} $?"
busybox poweroff -f
"""


class Unavailable(Exception):
    """This machine can't have it; the message says why."""


def fetch(folder: Path) -> None:
    """Put the kernel's packages, unpacked, into a folder. Raises Unavailable."""
    for tool in TOOLS:
        if not shutil.which(tool):
            raise Unavailable(f"{tool} is not installed")
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        made = Path(place, "packages")
        command = ["mmdebstrap", "--quiet", "--variant=extract", f"--include={_PACKAGES}", "bookworm", str(made)]
        subprocess.run(command, check=True)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def run(command: str, seconds: float, folder: Path = FOLDER) -> tuple[int, str]:
    """Boot, run a command and end: its exit status and what it wrote. Raises Unavailable, and TimeoutError."""
    if not folder.exists():
        raise Unavailable(f"{folder} is missing; make test-thorough gets it where there are {' and '.join(TOOLS)}")
    with tempfile.TemporaryDirectory() as place:
        kernel, files = Path(place, "kernel"), Path(place, "files")
        kernel.write_bytes(_unpacked(next(folder.glob("boot/vmlinuz-*"))))
        files.write_bytes(_archive(_files_of(folder, command)))
        ways = [["-cpu", "max"]]
        if os.access("/dev/kvm", os.R_OK | os.W_OK):  # which may be there and not work
            ways.insert(0, ["-enable-kvm", "-cpu", "host"])
        for way in ways:
            said = _boot([*way, "-kernel", str(kernel), "-initrd", str(files)], seconds, way is ways[-1])
            if said is not None:
                break
    assert said is not None
    before, ended, status = said.rpartition(_ENDED)
    assert ended, said
    return int(status.split()[0]), before.partition(_BOOTED)[2].strip()


def _boot(more: list[str], seconds: float, last: bool) -> str | None:
    """What the machine says till it ends; None if it doesn't boot soon, unless this is the `last` way to try."""
    machine = ["-m", "4096", "-smp", "2", "-nodefaults", "-nographic", "-serial", "stdio", "-no-reboot"]
    shares = "local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap"
    append = ["-append", "console=ttyS0 quiet panic=-1"]
    command = ["qemu-system-x86_64", *machine, "-virtfs", shares, "-device", "virtio-rng-pci", *append, *more]
    said, started, in_text = "", time.monotonic(), codecs.getincrementaldecoder("utf-8")("replace")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            while True:
                passed = time.monotonic() - started
                if not last and _BOOTED not in said and passed > _BOOT_SECONDS:
                    return None
                if passed > seconds:
                    raise TimeoutError(said)
                if select.select([process.stdout], [], [], 1.0)[0]:
                    if not (chunk := os.read(process.stdout.fileno(), 1 << 16)):
                        return said
                    said += in_text.decode(chunk).replace("\r", "")
        finally:
            process.kill()


def _unpacked(kernel: Path) -> bytes:
    """The kernel as an executable: to unpack it itself takes an emulated processor a minute."""
    packed = kernel.read_bytes()
    for found in re.finditer(re.escape(b"\xfd7zXZ\0"), packed):
        unpacked = lzma.LZMADecompressor().decompress(packed[found.start() :])
        if unpacked.startswith(b"\x7fELF"):
            return unpacked
    raise Unavailable(f"{kernel} is packed in another way")


def _files_of(folder: Path, command: str) -> Iterator[tuple[str, bytes | None]]:
    """What the machine boots with: paths, and the content of files, None for a folder."""
    where = f"cd {shlex.quote(os.getcwd())} && export HOME={shlex.quote(str(Path.home()))} TMPDIR=/dev/shm"
    yield from [("bin", None), ("modules", None)]
    yield "bin/busybox", (folder / "bin/busybox").read_bytes()
    yield "init", _INIT.encode()
    yield "command", f"{where}\n{command}\n".encode()
    there = {path.stem.replace("-", "_"): path for path in folder.glob("lib/modules/*/kernel/**/*.ko")}
    order: dict[str, bytes] = {}

    def add(name: str) -> None:
        if name not in order:
            content = there[name].read_bytes()
            needs = re.search(rb"depends=([^\0]*)", content)
            for other in filter(None, needs[1].decode().split(",") if needs else []):
                add(other.replace("-", "_"))
            order[name] = content

    for name in _MODULES:
        add(name)
    yield "modules/order", " ".join(order).encode()
    yield from ((f"modules/{name}", content) for name, content in order.items())


def _archive(files: Iterator[tuple[str, bytes | None]]) -> bytes:
    """The files as the kernel unpacks them at its start: cpio's format "newc"."""
    out = io.BytesIO()
    for number, (path, content) in enumerate([*files, ("TRAILER!!!", b"")], 1):
        name, mode = path.encode() + b"\0", 0o755 | (stat.S_IFDIR if content is None else stat.S_IFREG)
        fields = (number, mode, 0, 0, 1, 0, len(content or b""), 0, 0, 0, 0, len(name), 0)
        for part in (b"070701" + b"".join(b"%08X" % field for field in fields) + name, content or b""):
            out.write(part)
            out.write(bytes(-out.tell() % 4))
    return out.getvalue()


if __name__ == "__main__":
    try:
        fetch(Path(sys.argv[1]))
    except Unavailable as problem:
        print(problem)
