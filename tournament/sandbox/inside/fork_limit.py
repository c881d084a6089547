"""Limits the processes of a build: its supervisor answers before each new process or thread starts.

The system's own limit doesn't apply to root, and a periodic check would wait for a processor while thousands start. It
runs inside the sandbox with the standard library alone. The supervisor itself isn't confined.
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
    """Have the supervisor asked before this process, or one that it starts, starts another. This can't be undone.

    If a container's filter already notifies another process, nothing is asked or sent, and the number isn't limited
    here.

    Args:
        supervisor: The socket on which the supervisor gets the notification descriptor. It stays open.

    Raises:
        seccomp.Unsupported: The kernel can't notify anyone.
        OSError: The descriptor can't be sent.
    """
    try:
        listener = seccomp.install_questions(_ASKED)
    except OSError as problem:
        if problem.errno != errno.EBUSY:
            raise seccomp.Unsupported(f"the kernel asks no one about processes: {problem.strerror}") from None
        return
    supervisor.sendmsg([b"?"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
    os.close(listener)


def answer(build: _socket.socket, child: int, max_threads: int) -> None:
    """Answer the build's questions until the child has ended. The child isn't reaped.

    If the build sends no descriptor before it closes its socket, nothing is answered, and this returns immediately. The
    descriptors that it opens stay open, because the supervisor ends soon.

    Args:
        build: The socket on which the build sends its notification descriptor.
        child: Process ID of the build.
        max_threads: Maximum threads of this process's group, above which a start fails with EAGAIN. This process
            counts.

    Raises:
        OSError: The socket can't be read, or the child can't be watched.
    """
    rights = build.recvmsg(1, _socket.CMSG_SPACE(4))[1]
    if not rights:
        return
    listener = struct.unpack("i", rights[0][2])[0]
    ended = os.pidfd_open(child)
    waiting = select.poll()
    for descriptor in (listener, ended):
        waiting.register(descriptor, select.POLLIN)
    remaining = 0
    while ended not in (ready := dict(waiting.poll())):
        if not ready[listener] & select.POLLIN:
            continue  # all processes that could ask have ended, so the child is about to end
        question = bytearray(_QUESTION_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, question)
            remaining = max(0, remaining - 1) or max(0, max_threads - _threads())
            verdict = (0, _GO_ON) if remaining else (-errno.EAGAIN, 0)
            fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", int.from_bytes(question[:8], "little"), 0, *verdict))
        except OSError:
            pass  # the process that asked has ended


def _threads() -> int:
    """Return the number of threads of all processes in this one's group, this process included.

    Raises:
        OSError: /proc can't be listed.
    """
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(name)) == os.getpgrp():
                count += os.stat(f"/proc/{name}/task").st_nlink - 2  # each thread is a folder in it
        except OSError:
            pass  # the process has ended
    return count
