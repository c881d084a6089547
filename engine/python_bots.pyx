"""The loop inside a Python bot's process: questions for many legs in, their answers out, one message each.

`engine.messages` describes the messages; `engine.lanes` is the other end. Each bot's process loads this module
and no other of the core.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from cpython.number cimport PyNumber_Index
from cpython.ref cimport PyObject
from libc.errno cimport EINTR, errno
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy
from posix.unistd cimport read, write

from marshal import loads

from engine.limits cimport MOST_ARGUMENTS, MOST_VIEW_BYTES
from engine.messages cimport (
    ANSWERED,
    FAULTY,
    MOST_QUESTIONS,
    MOST_TEXT,
    OUT_OF_MEMORY,
    START_LANE,
    Answer,
    Header,
    Question,
    padding_of,
    question_size,
)
from engine.prefetch cimport prefetch as prefetch_line

cdef enum:
    MOST_HISTORIES = 4

cdef extern from "Python.h":
    object PyObject_Vectorcall(object function, PyObject** arguments, size_t count, PyObject* names)


cdef class View:
    """What a bot is shown. Its attributes are Fields of these bytes; it may have others of its own."""
    cdef unsigned char content[MOST_VIEW_BYTES]

    def __repr__(self):
        return "Bot(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in self.field_names) + ")"


@cython.final
cdef class Field:
    """An attribute that lies in a view's bytes, at `offset`, as struct code f, d, q or i."""
    cdef int offset
    cdef int code

    def __init__(self, int offset, str code):
        if code not in ("f", "d", "q", "i") or not 0 <= offset <= MOST_VIEW_BYTES - 8:
            raise ValueError(f"no field can be {code} at {offset}")
        self.offset = offset
        self.code = ord(code)

    def __get__(self, View view, kind):
        if view is None:
            return self
        cdef unsigned char* place = view.content + self.offset
        if self.code == c"f":
            return <double>(<float*>place)[0]
        if self.code == c"q":
            return (<int64_t*>place)[0]
        if self.code == c"d":
            return (<double*>place)[0]
        return (<int32_t*>place)[0]

    def __set__(self, View view, value):
        cdef unsigned char* place = view.content + self.offset
        if self.code == c"f":
            (<float*>place)[0] = value
        elif self.code == c"q":
            (<int64_t*>place)[0] = value
        elif self.code == c"d":
            (<double*>place)[0] = value
        else:
            (<int32_t*>place)[0] = value


cdef int64_t whole(object value) except? -1:
    """A bot's answer as a whole number: fractions are cut off, too large a number becomes the largest, NaN is 0.

    Raises TypeError for what is no number.
    """
    cdef int overflow = 0
    cdef int64_t number
    cdef double real
    if not PyLong_Check(value) and not PyFloat_Check(value):
        if value is None:
            raise TypeError("returned None (a path without return?), expected a number")
        try:
            value = PyNumber_Index(value)
        except TypeError:
            if isinstance(value, (str, bytes, bytearray)):
                raise TypeError(f"returned a {type(value).__name__}, expected a number") from None
            try:
                value = float(value)
            except TypeError:
                raise TypeError(f"returned a {type(value).__name__}, expected a number") from None
    if PyFloat_Check(value):
        real = PyFloat_AS_DOUBLE(value)
        if real != real:
            return 0
        if real >= 9.2e18:
            return INT64_MAX
        if real <= -9.2e18:
            return INT64_MIN
        return <int64_t>real
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow:
        return INT64_MAX if overflow > 0 else INT64_MIN
    return number


cdef class Buffer:
    """Bytes that grow."""
    cdef unsigned char* content
    cdef size_t capacity

    def __cinit__(self):
        self.capacity = 1 << 16
        self.content = <unsigned char*>malloc(self.capacity)
        if self.content == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.content)

    cdef unsigned char* reserve(self, size_t size) except NULL:
        cdef unsigned char* larger
        if size > self.capacity:
            larger = <unsigned char*>realloc(self.content, 2 * size)
            if larger == NULL:
                raise MemoryError
            self.content = larger
            self.capacity = 2 * size
        return self.content


cdef bint read_message(int descriptor, Buffer inbox) except *:
    """Fill the buffer with one message; false when the other end is closed."""
    cdef size_t size = 0
    cdef size_t wanted = sizeof(Header)
    cdef Py_ssize_t got
    while size < wanted:
        # We keep the GIL, so that the bot's threads, if it has any, don't run while it is not asked.
        got = read(descriptor, inbox.content + size, inbox.capacity - size)
        if got < 0 and errno == EINTR:
            PyErr_CheckSignals()
            continue
        if got <= 0:
            return False
        size += got
        if wanted == sizeof(Header) and size >= sizeof(Header):
            wanted = (<Header*>inbox.content).size
            inbox.reserve(wanted)
    return True


cdef bint write_all(int descriptor, unsigned char* source, size_t size) except *:
    cdef Py_ssize_t put
    while size:
        put = write(descriptor, source, size)
        if put > 0:
            source += put
            size -= put
        elif put < 0 and errno == EINTR:
            PyErr_CheckSignals()
        else:
            return False
    return True


cdef bytes explained(explain, problem):
    """A failure in words, at most MOST_TEXT bytes."""
    try:
        return explain(problem).encode("utf-8", "replace")[:MOST_TEXT]
    except BaseException:
        return b"an exception that can't be explained"


cdef enum:
    MOST_PRINTED = 800          # characters that are kept of what a leg printed

cdef PyObject* asked = NULL     # the leg whose bot is being asked or made


@cython.final
cdef class LegOutput:
    """Stands for sys.stdout and sys.stderr where legs share a process: keeps the last that each of them prints."""
    encoding = "utf-8"
    errors = "replace"
    closed = False

    def write(self, str text not None):
        cdef Leg leg
        if asked != NULL:
            leg = <Leg>asked
            leg.printed = (leg.printed + text[-MOST_PRINTED:])[-MOST_PRINTED:]
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False


cdef tell_printed(int lane, Leg leg):
    """Write the last that a leg printed to standard error, with the number of its lane before it."""
    cdef bytes text = f"\x1e{lane}\n{leg.printed}\x1f".encode("utf-8", "replace")
    if leg.printed:
        write(2, <const char*>text, len(text))      # what doesn't fit into the pipe is not missed


@cython.final
cdef class Leg:
    """A lane's bot: the view that it is shown and the functions that it answers with, or why it could not start."""
    cdef View view
    cdef PyObject* functions[MOST_QUESTIONS]
    cdef list histories         # lists of moves that the view has, too
    cdef object kept
    cdef bytes failure
    cdef str printed            # the last of it
    cdef bint lacked_memory     # no failure of its own: other legs of the process may have taken it

    def __init__(self, new_leg, explain, seed):
        global asked
        self.printed = ""
        asked = <PyObject*>self
        try:
            self.view, self.kept = new_leg(seed)
        except MemoryError:
            self.lacked_memory = True
            return
        except BaseException as problem:
            self.failure = explained(explain, problem)
            return
        for number, function in enumerate(self.kept):
            self.functions[number] = <PyObject*>function

    cdef start_histories(self, list names):
        """Begin the lists anew."""
        self.histories = [[] for _ in names]
        for name, history in zip(names, self.histories):
            setattr(self.view, name, history)

    cdef add_to_histories(self, int* offsets):
        """Add to each list what the view says came last."""
        cdef Py_ssize_t place
        for place in range(len(self.histories)):
            (<list>self.histories[place]).append((<int32_t*>(self.view.content + offsets[place]))[0])


cdef class Legs:
    """The lanes' legs, by number."""
    cdef list kept
    cdef PyObject** by_lane
    cdef size_t capacity

    def __cinit__(self):
        self.kept = []

    def __dealloc__(self):
        free(self.by_lane)

    cdef put(self, size_t lane, Leg leg):
        if lane >= self.capacity:
            self.capacity = 2 * lane + 64
            larger = <PyObject**>realloc(self.by_lane, self.capacity * sizeof(PyObject*))
            if larger == NULL:
                raise MemoryError
            self.by_lane = larger
        while len(self.kept) <= lane:
            self.by_lane[len(self.kept)] = NULL
            self.kept.append(None)
        self.by_lane[lane] = <PyObject*>leg
        self.kept[lane] = leg

    cdef void prefetch(self, Question* question, int stage) noexcept:
        """Ask for the memory that a question will need: `stage` 0 for the leg, then 1 for what it points to."""
        cdef PyObject* leg
        if question.kind < 0 or <size_t>question.lane >= <size_t>len(self.kept):
            return
        leg = self.by_lane[question.lane]
        if leg == NULL:
            return
        if stage == 0:
            prefetch_line(leg)
            return
        prefetch_line(<PyObject*>(<Leg>leg).view)
        if question.kind < MOST_QUESTIONS:
            prefetch_line((<Leg>leg).functions[question.kind])
            prefetch_line(<char*>(<Leg>leg).functions[question.kind] + 64)
            prefetch_line(<char*>(<Leg>leg).functions[question.kind] + 128)


def serve(
    int questions,
    int answers,
    new_leg,
    explain,
    *,
    argument_counts,
    int view_size,
    int most_arguments,
    histories=(0, ()),
    bint tells_values=False,
):
    """Answer messages until the pipe closes.

    `new_leg(seed)` gives a leg's view and the functions that answer its
    questions, None for one that only adds to the histories; `explain(exception)` puts a failure into words.
    `argument_counts`: of each question, the view aside. `histories`: where the view has their length, and a name and
    the place of the last element for each. `tells_values`: the view's attributes come by name.
    """
    global asked
    cdef size_t stride = question_size(most_arguments, view_size)
    cdef Buffer inbox = Buffer()
    cdef Buffer outbox = Buffer()
    cdef Header* header
    cdef Header* reply
    cdef Question* question
    cdef Answer* answer
    cdef uint32_t i
    cdef int argument
    cdef char* place            # in the message, where the next question begins
    cdef size_t told, passed
    cdef int counts[MOST_QUESTIONS]
    cdef PyObject* arguments[MOST_ARGUMENTS + 1]
    cdef Legs legs = Legs()
    cdef Leg leg = None
    cdef list numbers = [None] * MOST_ARGUMENTS
    cdef object result
    cdef int length_offset = histories[0]
    cdef list history_names = [name for name, _ in histories[1]]
    cdef bint has_histories = bool(history_names)
    cdef int history_offsets[MOST_HISTORIES]
    if len(history_names) > MOST_HISTORIES:
        raise ValueError("more histories than there is room for")
    for argument, (name, offset) in enumerate(histories[1]):
        history_offsets[argument] = offset
    if (
        len(argument_counts) > MOST_QUESTIONS
        or max(argument_counts, default=0) > MOST_ARGUMENTS
        or view_size > MOST_VIEW_BYTES
    ):
        raise ValueError("questions of more kinds, arguments or bytes than there is room for")
    for argument, count in enumerate(argument_counts):
        counts[argument] = count
    while read_message(questions, inbox):
        header = <Header*>inbox.content
        outbox.reserve(sizeof(Header) + header.count * sizeof(Answer))
        texts = None
        place = <char*>inbox.content + sizeof(Header)
        for i in range(header.count):
            question = <Question*>place
            place += stride
            if i + 8 < header.count:
                legs.prefetch(<Question*>(<char*>question + 8 * stride), 0)
            if i + 4 < header.count:
                legs.prefetch(<Question*>(<char*>question + 4 * stride), 1)
            answer = <Answer*>(outbox.content + sizeof(Header)) + i
            answer.answer = 0
            answer.status = ANSWERED
            answer.text_length = 0
            text = None
            told = 0
            if tells_values and question.kind >= 0:
                told = question.arguments[0]
            try:
                if question.kind >= 0:
                    leg = <Leg>legs.by_lane[question.lane]
                    asked = <PyObject*>leg
                    if leg.lacked_memory:
                        raise MemoryError
                    if leg.failure is not None:
                        text = leg.failure
                    else:
                        passed = 0
                        if tells_values:
                            leg.view.__dict__.update(loads(place[:told]))
                            arguments[0] = <PyObject*>leg.view
                            passed = 1
                        elif view_size:
                            memcpy(
                                leg.view.content, <unsigned char*>&question.arguments[most_arguments], view_size
                            )
                            arguments[0] = <PyObject*>leg.view
                            passed = 1
                            if has_histories:
                                if (<int32_t*>(leg.view.content + length_offset))[0] == 0:
                                    leg.start_histories(history_names)
                                else:
                                    leg.add_to_histories(history_offsets)
                                if <object>leg.functions[question.kind] is None:
                                    continue
                        for argument in range(counts[question.kind]):
                            numbers[argument] = question.arguments[argument]
                            arguments[passed] = <PyObject*>numbers[argument]
                            passed += 1
                        result = PyObject_Vectorcall(
                            <object>leg.functions[question.kind], arguments, passed, NULL
                        )
                        answer.answer = whole(result)
                elif question.kind == START_LANE:
                    leg = Leg(new_leg, explain, <uint64_t>question.arguments[0])
                    if has_histories and leg.view is not None:
                        leg.start_histories(history_names)
                    legs.put(question.lane, leg)
                    if leg.lacked_memory:
                        raise MemoryError
                    text = leg.failure
                else:
                    asked = NULL
                    legs.put(question.lane, None)
            except MemoryError:
                answer.status = OUT_OF_MEMORY
            except BaseException as problem:
                text = explained(explain, problem)
            place += told + padding_of(told)
            if text is not None:
                answer.status = FAULTY
                answer.text_length = <int32_t>len(text)
                tell_printed(question.lane, leg)
                texts = [text] if texts is None else [*texts, text]
        text = b"" if texts is None else b"".join(texts)
        outbox.reserve(sizeof(Header) + header.count * sizeof(Answer) + len(text))
        reply = <Header*>outbox.content
        reply.size = <uint32_t>(sizeof(Header) + header.count * sizeof(Answer) + len(text))
        reply.serial = header.serial
        reply.count = header.count
        reply.text_size = <uint32_t>len(text)
        memcpy(outbox.content + sizeof(Header) + header.count * sizeof(Answer), <const char*>text, len(text))
        if not write_all(answers, outbox.content, reply.size):
            return
