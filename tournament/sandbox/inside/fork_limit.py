"""What a build's supervisor is asked before a process or thread starts, so that none starves the machine of them.

The system's own limit leaves root out; and who only looks now and then waits for a processor while thousands start.
Runs inside the sandbox with the standard library alone, but what answers isn't confined.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import select
import struct

from tournament.sandbox.inside import seccomp

# Linux, seccomp.h.
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION_BYTES = 80
_GO_ON = 1
_ASKED = "fork vfork clone"


def ask(supervisor: _socket.socket) -> None:
    """Have the supervisor asked before this process, or one that it starts, starts another, for good.

    No one is asked if another filter, of a container, asks somebody already.
    """
    try:
        listener = seccomp.install_questions(_ASKED)
    except OSError as problem:
        if problem.errno != errno.EBUSY:
            raise seccomp.Unsupported(f"the kernel asks no one about processes: {problem.strerror}") from None
        return
    supervisor.sendmsg([b"?"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
    os.close(listener)


def answer(build: _socket.socket, child: int, most: int) -> None:
    """Allow starts while this process's group has at most this many threads, until `child` has ended."""
    rights = build.recvmsg(1, _socket.CMSG_SPACE(4))[1]
    if not rights:
        return
    listener = struct.unpack("i", rights[0][2])[0]
    ended = os.pidfd_open(child)
    waiting = select.poll()
    for descriptor in (listener, ended):
        waiting.register(descriptor, select.POLLIN)
    left = 0
    while ended not in (ready := dict(waiting.poll())):
        if not ready[listener] & select.POLLIN:
            continue  # all have ended that could ask, so the child is about to
        question = bytearray(_QUESTION_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, question)
            left = max(0, left - 1) or max(0, most - _threads())
            verdict = (0, _GO_ON) if left else (-errno.EAGAIN, 0)
            fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", int.from_bytes(question[:8], "little"), 0, *verdict))
        except OSError:
            pass  # who asked has ended


def _threads() -> int:
    """How many threads the processes of this one's group have."""
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(name)) == os.getpgrp():
                found += os.stat(f"/proc/{name}/task").st_nlink - 2  # of each folder in it, as of any folder
        except OSError:
            pass  # it has ended
    return found
