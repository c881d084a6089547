"""The loop of a process that forks others. `tournament.sandbox.outside.fork_server` is at the other end.

The loop makes no Python object and allocates no memory. So every fork finds the interpreter in the same state, with the
same addresses, no matter how many forks came before.
"""

from libc.errno cimport EINTR, errno
from libc.signal cimport SIGKILL
from posix.types cimport pid_t
from posix.unistd cimport _exit, close, dup2, fork, getpid, getppid, write

cdef extern from "Python.h":
    void PyOS_BeforeFork()
    void PyOS_AfterFork_Parent()
    void PyOS_AfterFork_Child()

cdef extern from *:
    """
    #include <errno.h>
    #include <string.h>
    #include <sys/prctl.h>
    #include <sys/resource.h>
    #include <sys/socket.h>
    #include <sys/wait.h>

    /* Reads one message from standard input, with the descriptors that come with it, -1 for none. Returns its
       size. */
    static ssize_t receive(void *order, size_t size, int *ends, size_t count)
    {
        union { struct cmsghdr header; char bytes[CMSG_SPACE(8 * sizeof(int))]; } control;
        struct iovec place = { order, size };
        struct msghdr message = { 0 };
        struct cmsghdr *header;
        ssize_t got;
        memset(ends, -1, count * sizeof(int));
        message.msg_iov = &place;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        do {
            got = recvmsg(0, &message, MSG_CMSG_CLOEXEC);
        } while (got < 0 && errno == EINTR);
        header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
        if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(count * sizeof(int)))
            memcpy(ends, CMSG_DATA(header), count * sizeof(int));
        return got;
    }
    """
    int prctl(int option, unsigned long argument) nogil
    int PR_SET_PDEATHSIG
    struct rusage:
        long ru_maxrss
    pid_t wait4(pid_t process, int* status, int options, rusage* used) nogil
    Py_ssize_t receive(void* order, size_t size, int* ends, size_t count) nogil

cpdef enum:
    FORK = 1            # comes with the process's standard streams; answered by a Reply with its process ID
    REAP                # waits for a process to end; answered by a Reply with its status and peak memory

cdef enum:
    STREAMS = 3         # standard input, output and errors of a process
    MAX_DESCRIPTORS = 64

cdef struct Order:
    int kind
    int process

cdef struct Reply:
    int outcome     # a process's number or status as wait4 gives it, or -errno
    long kilobytes


REPLY_BYTES = sizeof(Reply)


def order(int kind, int process=0):
    """Return an order as the loop reads it.

    Args:
        kind: FORK or REAP.
        process: Process ID of the fork to be reaped.
    """
    cdef Order order
    order.kind = kind
    order.process = process
    return (<char*>&order)[:sizeof(Order)]


def read_reply(bytes reply):
    """Return the outcome and the peak bytes of memory in a reply.

    The outcome of FORK is a process ID, or minus an error number. For REAP it is a status, in the form of wait4.

    Raises:
        ValueError: The reply hasn't REPLY_BYTES.
    """
    cdef const Reply* content = <const Reply*><const char*>reply
    if len(reply) != sizeof(Reply):
        raise ValueError("a reply that is torn off")
    return content.outcome, content.kilobytes << 10


cdef void answer(Reply* reply) noexcept nogil:
    """Send a reply, or end this process if that fails."""
    # One message, and the other end waits for it.
    if write(1, reply, sizeof(Reply)) != sizeof(Reply):
        _exit(1)


def serve_forks():
    """Fork a process for each order. Return in each fork, never here. This process ends when the orders end.

    Orders and replies are messages of a socket, which is standard input and output. A fork's standard streams arrive
    with its order. It has no other descriptors, so it doesn't have the socket. It ends with this process.
    """
    cdef Order order
    cdef Reply reply
    cdef rusage used
    cdef int streams[STREAMS]
    cdef int number
    cdef pid_t process
    cdef pid_t server = getpid()
    while receive(&order, sizeof(Order), streams, STREAMS) == sizeof(Order):
        reply.kilobytes = 0
        if order.kind == REAP:
            reply.outcome = -1
            used.ru_maxrss = 0
            while wait4(order.process, &reply.outcome, 0, &used) < 0 and errno == EINTR:
                pass
            reply.kilobytes = used.ru_maxrss
            answer(&reply)
            continue
        PyOS_BeforeFork()
        process = fork()
        if process == 0:
            PyOS_AfterFork_Child()
            if prctl(PR_SET_PDEATHSIG, SIGKILL) or getppid() != server:
                _exit(1)
            for number in range(STREAMS):
                if dup2(streams[number], number) < 0:  # or it would have the socket
                    _exit(1)
            for number in range(STREAMS, MAX_DESCRIPTORS):
                close(number)
            return
        reply.outcome = -errno if process < 0 else process
        PyOS_AfterFork_Parent()
        for number in range(STREAMS):
            close(streams[number])
        answer(&reply)
    _exit(0)
