"""The loop of a process that forks others; `tournament.sandbox.outside.fork_server` is at the other end.

The loop makes no Python object and takes no memory: every fork finds the interpreter in the same state, to the last
address, however many forks came before.
"""

from libc.errno cimport EINTR, errno
from libc.signal cimport SIGKILL
from posix.types cimport pid_t
from posix.unistd cimport _exit, close, dup2, fork, getpid, getppid, read, write

cdef extern from "Python.h":
    void PyOS_BeforeFork()
    void PyOS_AfterFork_Parent()
    void PyOS_AfterFork_Child()

cdef extern from "<fcntl.h>" nogil:
    int O_CLOEXEC

cdef extern from *:
    """
    #include <sys/prctl.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int pipe2(int ends[2], int flags);
    """
    int pipe2(int* ends, int flags) nogil
    int prctl(int option, unsigned long argument) nogil
    int PR_SET_PDEATHSIG
    struct rusage:
        long ru_maxrss
    pid_t wait4(pid_t process, int* status, int options, rusage* used) nogil

cpdef enum:
    FORK = 1            # answered by a Reply of the process and our ends of its pipes
    ENDS_TAKEN          # the other end has received the pipes' ends
    REAP                # wait for a process to end: answered by a Reply of its status and the most memory it had

cdef enum:
    PIPES = 3           # standard input, output and errors of a process
    MOST_DESCRIPTORS = 64

cdef struct Order:
    int kind
    int process

cdef struct Reply:
    int outcome     # a process's number or status as wait4 gives it, or -errno
    int ends[PIPES]
    long kilobytes


REPLY_BYTES = sizeof(Reply)


def order(int kind, int process=0):
    """An order as the loop reads it."""
    cdef Order order
    order.kind = kind
    order.process = process
    return (<char*>&order)[:sizeof(Order)]


def read_reply(bytes reply):
    """(outcome, ends of the pipes, most bytes of memory) of a Reply of REPLY_BYTES."""
    cdef const Reply* content = <const Reply*><const char*>reply
    if len(reply) != sizeof(Reply):
        raise ValueError("a reply that is torn off")
    return content.outcome, [content.ends[number] for number in range(PIPES)], content.kilobytes << 10


cdef bint read_order(Order* order) noexcept nogil:
    """Read an order; false when there are no more."""
    cdef Py_ssize_t got
    cdef size_t size = 0
    while size < sizeof(Order):
        got = read(0, <char*>order + size, sizeof(Order) - size)
        if got < 0 and errno == EINTR:
            continue
        if got <= 0:
            return False
        size += got
    return True


cdef void answer(Reply* reply) noexcept nogil:
    # Less than a pipe takes at once, and the other end waits for it.
    if write(1, reply, sizeof(Reply)) != sizeof(Reply):
        _exit(1)


cdef void close_ends(int* ends) noexcept nogil:
    cdef int number
    for number in range(PIPES):
        close(ends[number])


cdef int open_pipes(int* ours, int* theirs) noexcept nogil:
    """Make a process's pipes; returns -errno if that fails."""
    cdef int pair[2]
    cdef int number, trouble
    for number in range(PIPES):
        if pipe2(pair, O_CLOEXEC):
            trouble = errno
            while number:
                number -= 1
                close(ours[number])
                close(theirs[number])
            return -trouble
        theirs[number] = pair[0] if number == 0 else pair[1]
        ours[number] = pair[1] if number == 0 else pair[0]
    return 0


def serve_forks():
    """Fork a process for each order; return in each fork, never here. This process ends when the orders do.

    A fork's standard streams are pipes to the sender of its order. It has no other descriptors, and dies with this
    process.
    """
    cdef Order order
    cdef Reply reply
    cdef rusage used
    cdef int theirs[PIPES]
    cdef int number
    cdef pid_t process
    cdef pid_t server = getpid()
    while read_order(&order):
        if order.kind == REAP:
            reply.outcome = -1
            used.ru_maxrss = 0
            while wait4(order.process, &reply.outcome, 0, &used) < 0 and errno == EINTR:
                pass
            reply.kilobytes = used.ru_maxrss
            answer(&reply)
            continue
        reply.outcome = open_pipes(reply.ends, theirs)
        if reply.outcome < 0:
            answer(&reply)
            continue
        PyOS_BeforeFork()
        process = fork()
        if process == 0:
            PyOS_AfterFork_Child()
            if prctl(PR_SET_PDEATHSIG, SIGKILL) or getppid() != server:
                _exit(1)
            for number in range(PIPES):
                dup2(theirs[number], number)
            for number in range(PIPES, MOST_DESCRIPTORS):
                close(number)
            return
        reply.outcome = -errno if process < 0 else process
        PyOS_AfterFork_Parent()
        close_ends(theirs)
        answer(&reply)
        if process > 0 and not read_order(&order):
            break
        close_ends(reply.ends)
    _exit(0)
