"""The loop inside a Python bot's process. It reads a message with questions of many legs, and writes their answers.

`engine.processes.messages` describes the messages. `engine.processes.lanes` is the other end. A bot's process loads no
other module of the core, so this one is long.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from cpython.number cimport PyNumber_Index
from cpython.ref cimport PyObject
from libc.errno cimport EINTR, errno
from libc.stdint cimport INT64_MAX, INT64_MIN, int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from posix.unistd cimport read, write

from engine.kernel.limits cimport MAX_QUESTIONS, MAX_VIEW_BYTES
from engine.processes.messages cimport (
    ANSWERED_IN_JSON,
    END_LANE,
    FAULTY,
    MAX_PRINTED,
    MAX_TEXT,
    OUT_OF_MEMORY,
    START_LANE,
    Answer,
    Header,
    Question,
    padding_of,
    question_size,
)

from io import TextIOBase
from marshal import loads

cdef enum:
    MAX_HISTORIES = 4
    MAX_PARAMETERS = 6     # maximum parameters of a bot's function, without its view
    NUMBER = 0          # an integer answers the question
    NAME = 1            # an integer or a text
    VALUE = 2           # a number of any kind, a text, or a list or record of such
    OPTIONAL = 3        # such a value, or None
    MAX_DEPTH = 4      # maximum nesting of lists and records

cdef extern from "Python.h":
    object PyObject_Vectorcall(object function, PyObject** arguments, size_t count, PyObject* names)
    size_t MAY_USE_PLACE_BEFORE "PY_VECTORCALL_ARGUMENTS_OFFSET"
    ctypedef struct PyTypeObject:
        pass
    PyTypeObject* Py_TYPE(object of)


cdef class View:
    """The object that a bot is shown, with Fields of its bytes, Values, and lists of a game's moves as attributes.

    The bot can add attributes. Values are kept as bytes, and become objects when the bot reads one.
    """
    cdef unsigned char content[MAX_VIEW_BYTES]
    cdef list histories                 # the lists, also if the bot has replaced its attributes
    cdef bytes told                     # the values of the last question, None once they are read
    cdef int told_kind                  # kind of the last question
    cdef tuple numbers                  # numbers of the values that a question passes, by its kind
    cdef list values                    # last read values, by number

    def __repr__(self):
        return "Bot(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in self.field_names) + ")"


# These are functions, because a table of methods would be stored before the bytes. A bot that overwrites its view could
# then make its process call anything.
cdef int begin_histories(View view, tuple names) except -1:
    """Give a view new, empty lists of moves, as attributes of these names."""
    view.histories = [[] for _ in names]
    for name, moves in zip(names, view.histories):
        setattr(view, name, moves)
    return 0


cdef int add_to_histories(View view, const int* offsets) except -1:
    """Append to each list its last element, which is in the view at these offsets."""
    cdef int number
    for number in range(len(view.histories)):
        (<list>view.histories[number]).append((<int32_t*>(view.content + offsets[number]))[0])
    return 0


cdef int tell(View view, int kind, const char* content, size_t size) except -1:
    """Store the marshalled values of a question of this kind. Values of other questions stay."""
    if view.told is not None and view.told_kind != kind:
        read_values(view)
    view.told = content[:size]
    view.told_kind = kind
    return 0


cdef int read_values(View view) except -1:
    """Turn the values of the last question into objects."""
    position, seats, players, own = loads(view.told)
    for number, value in zip(view.numbers[view.told_kind], (position, seats, players, *loads(own))):
        view.values[number] = value
    view.told = None
    return 0


cdef object shown = None    # type of the view whose attribute was read last


cdef inline View viewed(object view):
    """Return an object as a View.

    Raises:
        TypeError: The object isn't a View.
    """
    global shown
    if Py_TYPE(view) != <PyTypeObject*>shown:
        if not isinstance(view, View):
            raise TypeError(f"a {type(view).__name__} has no fields")
        shown = type(view)
    return <View>view


cdef inline object field_at(const unsigned char* place, int code):
    """Return the number at this address, by its struct code."""
    if code == c"i":
        return (<const int32_t*>place)[0]
    if code == c"f":
        return <double>(<const float*>place)[0]
    if code == c"q":
        return (<const int64_t*>place)[0]
    return (<const double*>place)[0]


@cython.final
cdef class Field:
    """An attribute in a view's bytes, at an offset, with struct code f, d, q or i.

    Raises:
        ValueError: The view has no place for it, or the code is another one.
    """
    cdef int offset
    cdef int code

    def __init__(self, int offset, str code):
        if code not in ("f", "d", "q", "i") or not 0 <= offset <= MAX_VIEW_BYTES - 8:
            raise ValueError(f"no field can be {code} at {offset}")
        self.offset = offset
        self.code = ord(code)

    def __get__(self, view, kind):
        if view is None:
            return self
        return field_at(viewed(view).content + self.offset, self.code)

    def __set__(self, View view not None, value):
        cdef unsigned char* place = view.content + self.offset
        if self.code == c"f":
            (<float*>place)[0] = value
        elif self.code == c"q":
            (<int64_t*>place)[0] = value
        elif self.code == c"d":
            (<double*>place)[0] = value
        else:
            (<int32_t*>place)[0] = value


@cython.final
cdef class Value:
    """An attribute whose value is passed by name: the value of this number.

    If the bot assigns it, its own value stays until the value is passed again.
    """
    cdef int number

    def __init__(self, int number):
        self.number = number

    def __get__(self, view, kind):
        if view is None:
            return self
        if viewed(view).told is not None:
            read_values(<View>view)
        return (<View>view).values[self.number]

    def __set__(self, View view not None, value):
        if view.told is not None:
            read_values(view)
        view.values[self.number] = value

    def __delete__(self, View view not None):
        self.__set__(view, None)


cdef int64_t whole(object value, str expected="a number") except? -1:
    """Return a bot's answer as an integer. Fractions are cut off, numbers are clamped to 64 bits, NaN becomes 0.

    Args:
        expected: Description of valid answers, for the message.

    Raises:
        TypeError: The answer isn't a number.
    """
    cdef int overflow = 0
    cdef int64_t number
    cdef double real
    if not PyLong_Check(value) and not PyFloat_Check(value):
        if value is None:
            raise TypeError(f"returned None (a path without return?), expected {expected}")
        try:
            value = PyNumber_Index(value)
        except TypeError:
            if isinstance(value, (str, bytes, bytearray)):
                raise TypeError(f"returned a {type(value).__name__}, expected {expected}") from None
            try:
                value = float(value)
            except TypeError:
                raise TypeError(f"returned a {type(value).__name__}, expected {expected}") from None
            except OverflowError:
                return INT64_MAX if value > 0 else INT64_MIN
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


cdef str as_json(object value, int depth=0):
    """Return a bot's answer as JSON.

    Raises:
        TypeError: The answer is None, or no number, text, list or dict. None within a list or dict is null.
        ValueError: Lists and dicts hold each other too deeply, or a number has too many digits.
    """
    if isinstance(value, str):
        return '"' + "".join([escaped(letter) for letter in str.__str__(value)]) + '"'
    if isinstance(value, (list, tuple)) and depth < MAX_DEPTH:
        return "[" + ", ".join([as_json(item, depth + 1) for item in value]) + "]"
    if isinstance(value, dict) and depth < MAX_DEPTH:
        fields = [f"{as_json(str(name))}: {as_json(field, depth + 1)}" for name, field in value.items()]
        return "{" + ", ".join(fields) + "}"
    if PyFloat_Check(value):
        value = PyFloat_AS_DOUBLE(value)
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
    if value is None:
        if depth > 0:
            return "null"
        raise TypeError("returned None (a path without return?)")
    if isinstance(value, (list, tuple, dict)):
        raise ValueError(f"returned lists within lists, more than {int(MAX_DEPTH)} deep")
    try:
        number = int(PyNumber_Index(value))
    except TypeError:
        pass
    else:
        try:
            return int.__repr__(number)
        except ValueError:  # Python's own message suggests what no bot can do
            raise ValueError("returned a number of too many digits") from None
    # Packages have arrays and numbers of their own.
    if depth < MAX_DEPTH and hasattr(value, "tolist"):
        return as_json(value.tolist(), depth + 1)
    raise TypeError(f"returned a {type(value).__name__}, expected a number, a text, a list or a dict")


cdef str escaped(str letter):
    """Return a character as in a JSON text."""
    if letter in ('"', "\\"):
        return "\\" + letter
    return letter if letter >= " " else f"\\u{ord(letter):04x}"


cdef bint read_message(int descriptor, bytearray inbox) except *:
    """Read one message to the front of the inbox, which grows if necessary. Return False if the other end is closed."""
    cdef size_t size = 0
    cdef size_t wanted = sizeof(Header)
    cdef Py_ssize_t count
    while size < wanted:
        # The GIL is kept, so that a bot's threads don't run between its questions.
        count = read(descriptor, PyByteArray_AS_STRING(inbox) + size, len(inbox) - size)
        if count < 0 and errno == EINTR:
            PyErr_CheckSignals()
            continue
        if count <= 0:
            return False
        size += count
        if wanted == sizeof(Header) and size >= sizeof(Header):
            wanted = (<Header*>PyByteArray_AS_STRING(inbox)).size
            if <size_t>len(inbox) < wanted:
                PyByteArray_Resize(inbox, wanted)
    return True


cdef bint write_all(int descriptor, const char* source, size_t size) except *:
    """Write this many bytes. Return False if the other end is closed."""
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


cpdef bytes explained(explain, problem):
    """Return an exception as text of at most MAX_TEXT bytes, by the function that explains it."""
    try:
        return explain(problem).encode("utf-8", "replace")[:MAX_TEXT]
    except BaseException:
        return b"an exception that can't be explained"


cdef PyObject* asked = NULL     # the leg whose bot is running


class LegOutput(TextIOBase):
    """A replacement for sys.stdout and sys.stderr if legs can share a process. It keeps the end of each leg's output.

    Args:
        clean: Called with a text; returns it without addresses.
        stream: Stream that gets the output, too, or None.
    """
    encoding = "utf-8"
    errors = "replace"

    def __init__(self, clean, stream):
        self._clean = clean
        self._stream = stream

    def write(self, str text not None):
        """Keep the end of a text for the running leg, and return the text's length in characters."""
        cdef Leg leg
        size = len(text)
        if " at 0x" in text:
            text = self._clean(text)
        if asked != NULL:
            leg = <Leg>asked
            leg.printed = (leg.printed + text[-MAX_PRINTED:])[-MAX_PRINTED:]
        if self._stream is not None:
            self._stream.write(text)
        return size

    def flush(self):
        """Flush the stream, if there is one."""
        if self._stream is not None:
            self._stream.flush()

    def writable(self):
        """Return True."""
        return True


@cython.final
cdef class Leg:
    """A lane's bot: its view and its functions, or the reason why it couldn't start."""
    cdef View view
    cdef bint is_well           # whether it plays, without a failure or a lack of memory
    cdef tuple functions        # functions by kind of question, None for news that it ignores
    cdef bytes failure          # None for a lack of memory, which other legs can have taken
    cdef str printed            # end of its output

    def __init__(self, new_leg, explain, seed):
        global asked
        self.printed = ""
        asked = <PyObject*>self
        try:
            self.view, self.functions = new_leg(seed)
            self.is_well = True
        except MemoryError:
            pass
        except BaseException as problem:
            self.failure = explained(explain, problem)


cdef int put_leg(list legs, Py_ssize_t lane, Leg leg) except -1:
    """Store a lane's leg, or None."""
    legs += [None] * (lane + 1 - len(legs))
    legs[lane] = leg
    return 0


cdef struct Parameters:     # offsets of the values of a bot's function in the question's view
    int count
    int offsets[MAX_PARAMETERS]
    int codes[MAX_PARAMETERS]


cdef struct Shape:          # format of a contest's questions in a message
    size_t stride
    int view_size
    bint passes_view                # whether the view is each function's first parameter
    Parameters parameters[MAX_QUESTIONS]
    int64_t most_json               # maximum bytes of an answer
    int answers[MAX_QUESTIONS]     # NUMBER, NAME, VALUE or OPTIONAL, which a bot can return
    bint tells_values               # whether values by name follow each question
    int length_offset               # offset of the histories' length
    int history_offsets[MAX_HISTORIES]


cdef size_t size_of(Question* question, Shape* shape) noexcept:
    """Return the length in bytes of a question with the values that follow it."""
    cdef int64_t told = question.argument if shape.tells_values and question.kind >= 0 else 0
    return shape.stride + told + padding_of(told)


cdef bint start_bots(
    Header* header, list legs, Shape* shape, tuple told_numbers, tuple history_names, new_leg, explain
) except *:
    """Make the bots that start with a message, and return whether there are any. Their answers come later."""
    cdef char* place = <char*>header + sizeof(Header)
    cdef Question* question
    cdef Leg leg
    cdef bint starts = False
    cdef uint32_t _number
    for _number in range(header.count):
        question = <Question*>place
        place += size_of(question, shape)
        if question.kind != START_LANE:
            continue
        starts = True
        leg = Leg(new_leg, explain, <uint64_t>question.argument)
        if leg.is_well:
            begin_histories(leg.view, history_names)
            leg.view.numbers = told_numbers
            leg.view.values = [None] * (1 + max((number for told in told_numbers or () for number in told), default=-1))
        put_leg(legs, question.lane, leg)
    return starts


cdef bytes put(Leg leg, Question* question, Answer* answer, Shape* shape, tuple history_names, list numbers):
    """Have a leg's bot answer a question. Return its answer as JSON, or None if it is an integer or there is none.

    Exceptions of the bot are passed on.

    Args:
        answer: Receives the status, and an answer that is an integer.
        history_names: Names of the lists of moves.
        numbers: Keeps the parameters' values alive, MAX_PARAMETERS of them.

    Raises:
        TypeError: The answer is of a type that doesn't fit.
        ValueError: The answer is too long or too deep.
    """
    cdef View view = leg.view
    cdef PyObject* arguments[MAX_PARAMETERS + 2]
    cdef const unsigned char* content = <const unsigned char*>(question + 1)
    cdef const Parameters* parameters = &shape.parameters[question.kind]
    function = leg.functions[question.kind]
    cdef int number
    cdef size_t passed = 1      # the first slot is for the callee
    if shape.tells_values:
        if function is None:    # the bot has no function for these news
            return None
        tell(view, question.kind, <char*>question + shape.stride, question.argument)
        arguments[passed] = <PyObject*>view
        passed += 1
    elif shape.passes_view:
        memcpy(view.content, content, shape.view_size)
        arguments[passed] = <PyObject*>view
        passed += 1
        if view.histories:
            if (<int32_t*>(view.content + shape.length_offset))[0] == 0:
                begin_histories(view, history_names)
            else:
                add_to_histories(view, shape.history_offsets)
            if function is None:
                return None
    for number in range(parameters.count):
        numbers[number] = field_at(content + parameters.offsets[number], parameters.codes[number])
        arguments[passed] = <PyObject*>numbers[number]
        passed += 1
    result = PyObject_Vectorcall(function, arguments + 1, (passed - 1) | MAY_USE_PLACE_BEFORE, NULL)
    if shape.answers[question.kind] >= VALUE or (shape.answers[question.kind] == NAME and isinstance(result, str)):
        answer.status = ANSWERED_IN_JSON
        is_none = result is None and shape.answers[question.kind] == OPTIONAL
        said = b"null" if is_none else as_json(result).encode("utf-8", "surrogatepass")
        if <int64_t>len(said) > shape.most_json:
            raise ValueError(f"returned an answer of {len(said)} bytes, at most {shape.most_json} are possible")
        return said
    answer.answer = whole(result, "a number" if shape.answers[question.kind] == NUMBER else "a name or its number")
    return None


# This is one long function, because handling an answer's exception needs the question's variables.
cdef bytes answers_to(Header* header, Answer* answers, list legs, Shape* shape, tuple history_names, explain):
    """Answer the questions after a header. Return the texts of the answers, one after the other."""
    global asked
    cdef char* place = <char*>header + sizeof(Header)   # start of the next question
    cdef int count = <int>header.count
    cdef int number
    cdef Question* question = <Question*>place
    cdef Answer* answer = answers
    cdef Leg leg = None
    cdef bytes text, said, printed
    cdef list texts = []
    cdef list numbers = [None] * MAX_PARAMETERS
    memset(answers, 0, count * sizeof(Answer))      # ANSWERED
    number = 0
    while number < count:
        text = None
        try:
            while number < count:
                question = <Question*>place
                answer = &answers[number]
                place += size_of(question, shape)
                number += 1
                if question.kind == END_LANE:
                    asked = NULL
                    legs[question.lane] = None
                    continue
                leg = <Leg>legs[question.lane]
                if not leg.is_well:
                    if leg.failure is None:
                        raise MemoryError
                    text = leg.failure
                    break
                if question.kind >= 0:
                    asked = <PyObject*>leg
                    said = put(leg, question, answer, shape, history_names, numbers)
                    if said is not None:
                        answer.text_length = <int32_t>len(said)
                        texts.append(said)
        except MemoryError:
            answer.status = OUT_OF_MEMORY
        except BaseException as problem:
            text = explained(explain, problem)
        if text is not None:
            printed = leg.printed.encode("utf-8", "replace")
            answer.status = FAULTY
            answer.text_length = <int32_t>len(text)
            answer.printed_length = <int16_t>len(printed)
            texts += (text, printed)
    return b"".join(texts)


def serve(
    int questions,
    int answers,
    new_leg,
    explain,
    *,
    parameters,
    int view_size,
    bint passes_view,
    histories=(0, ()),
    tuple told_numbers=None,
    returns=(),
    int64_t most_json=0,
):
    """Answer messages until the pipe closes.

    Args:
        questions: Descriptor of the pipe with messages.
        answers: Descriptor of the pipe for answers.
        new_leg: Called with a seed; returns a leg's view and the functions that answer its questions. None stands for
            a question that only adds to the histories.
        explain: Called with an exception; returns it as text.
        parameters: For each question the offset in the view and struct code of the values passed one by one.
        view_size: Bytes of the view.
        passes_view: Whether the view is the first parameter.
        histories: Offset in the view of their length, and for each its name and the offset of its last element.
        told_numbers: For each question the numbers of the Values that it passes, in order.
        returns: For each question "number", "name", "value" or "optional". Default: numbers.
        most_json: Maximum bytes of an answer as JSON.

    Raises:
        ValueError: The contest has too many questions, parameters or histories, or a view that is too large.
    """
    cdef Shape shape
    cdef bytearray inbox = bytearray(1 << 15)
    cdef bytearray outbox = bytearray()
    cdef list legs = []
    cdef Header* header
    cdef Header* reply
    cdef Header started
    cdef size_t size
    cdef bytes text
    cdef int number
    if (
        len(parameters) > MAX_QUESTIONS
        or max(map(len, parameters), default=0) > MAX_PARAMETERS
        or view_size > MAX_VIEW_BYTES
        or len(histories[1]) > MAX_HISTORIES
    ):
        raise ValueError("questions of more kinds, parameters, bytes or histories than there is room for")
    shape.stride = question_size(view_size)
    shape.view_size = view_size
    shape.most_json = most_json
    shape.passes_view = passes_view
    shape.tells_values = told_numbers is not None
    shape.length_offset = histories[0]
    for number in range(MAX_QUESTIONS):
        shape.answers[number] = NUMBER
    for number, answer_kind in enumerate(returns):
        shape.answers[number] = ("number", "name", "value", "optional").index(answer_kind)
    for number, places in enumerate(parameters):
        shape.parameters[number].count = <int>len(places)
        for i, (offset, code) in enumerate(places):
            shape.parameters[number].offsets[<int>i] = offset
            shape.parameters[number].codes[<int>i] = ord(code)
    history_names = tuple([name for name, _ in histories[1]])
    for number, (_, offset) in enumerate(histories[1]):
        shape.history_offsets[number] = offset
    while read_message(questions, inbox):
        header = <Header*>PyByteArray_AS_STRING(inbox)
        size = sizeof(Header) + header.count * sizeof(Answer)
        if start_bots(header, legs, &shape, told_numbers, history_names, new_leg, explain):
            started = Header(sizeof(Header), header.serial, 0, 0)
            if not write_all(answers, <char*>&started, sizeof(Header)):
                return
        PyByteArray_Resize(outbox, size)
        reply = <Header*>PyByteArray_AS_STRING(outbox)
        text = answers_to(header, <Answer*>(reply + 1), legs, &shape, history_names, explain)
        reply[0] = Header(<uint32_t>(size + len(text)), header.serial, header.count, <uint32_t>len(text))
        outbox += text
        if not write_all(answers, PyByteArray_AS_STRING(outbox), len(outbox)):
            return
