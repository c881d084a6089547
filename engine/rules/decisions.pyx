"""The questions of rules written in Python: values by name, and which answers are legal.

All are checked against what the contest declares (`engine.rules.shapes`), so
that a contest fails in the same way with bots of every kind. So are answers.
Python bots observe values as attributes, programs in a line of JSON, C bots in
their struct (`engine.rules.placements`).
"""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from engine.rules.shapes cimport Shape, append, reserve

import json
from marshal import dumps

# A value of this name lists the legal answers; others are illegal.
LEGAL_ACTIONS = "legal_actions"
# Values that every question shows first: the bot's position, the number of positions, and for each position a number of
# its bot that stays the same through the leg. C bots find them at the start of their struct, 4 bytes each.
SEATING = ("seat", "seats", "players")
# Most bytes of an answer behind a C bot's struct.
MAX_ANSWER_BYTES = 1 << 16


cdef class Decision:
    """A decision of a bot's function or method of that name.

    If a value has the name LEGAL_ACTIONS, the answer is one of them. An illegal answer is a fault, or loses the game:
    then the rules receive it as an Illegal.

    Args:
        name: Name of the decision.
        values: Shape of each value, by name.
        answer: Shape of the answer.
        answer_bytes: Bytes that an answer takes behind a C bot's struct, 0 if bots return it.
        default: Answer that counts for a bot that is at fault. With LEGAL_ACTIONS, None stands for the first of them.
        loses: Whether an illegal answer loses the game instead of being a fault.
        is_news: Whether it is news: the rules get None, whatever a bot's function returns.

    Raises:
        ValueError: An answer takes more than MAX_ANSWER_BYTES, or the default isn't legal.
    """

    def __init__(
        self,
        str name,
        values,
        *,
        Shape answer not None,
        size_t answer_bytes=0,
        default=None,
        bint loses=False,
        bint is_news=False,
    ):
        self.name = name
        self.loses = loses
        self.is_news = is_news
        self.names = list(values)
        self.shapes = list(values.values())
        self.answer_shape = answer
        self.room = answer_bytes
        self.default = default
        self.legal = self.names.index(LEGAL_ACTIONS) if LEGAL_ACTIONS in values else -1
        self.takes_numbers = answer.code == c"i" or answer.code == c"q"
        if self.room > MAX_ANSWER_BYTES:
            raise ValueError(
                f"{name}: an answer takes up to {self.room} bytes, at most {MAX_ANSWER_BYTES} are possible"
            )
        if self.legal < 0 and not is_news:
            self.default = answer.answered(default)

    @property
    def leaves_answers(self):
        """True if a C bot doesn't return its answer: it writes it behind its struct, or returns the bits of a float."""
        return self.room > 0 or (self.legal < 0 and self.answer_shape.code == c"d")

    @property
    def answer_bytes(self):
        """Bytes of a C bot's answer behind its struct, or 0 if it returns the answer."""
        return self.room

    def __call__(self, int position, /, *, default=None, answer=None, **values):
        """Return the question to a position, from 0, with these values.

        A text, or a list of texts, may be a function that makes it: only some bots are shown texts.

        Args:
            position: Position of the bot.
            default: Answer that counts at a fault instead of the declared one.
            answer: Type of the answers that are legal this time, if those are fewer than declared.
            values: Values by name.

        Raises:
            ValueError: A value isn't as declared, there is no legal action, the default isn't legal, the narrower
                answers weren't declared, or news has an answer.
        """
        cdef Question question = Question.__new__(Question)
        if self.is_news and (default is not None or answer is not None):
            raise ValueError(f"{self.name} is news, which has no answer")
        question.decision = self
        question.position = position
        question.values = values
        if answer is not None:
            question.answer = answer
            question.narrowed, default = self.narrow(answer, default)
        question.check(default)    # here, where the traceback names the rules' own line
        return question

    def narrow(self, answer, default):
        """Return the shape of a narrower answer, and the default that counts then. Only a subclass knows types.

        Raises:
            NotImplementedError: This isn't a subclass.
        """
        raise NotImplementedError


@cython.final
cdef class Illegal:
    """An illegal answer that loses the game, as the rules receive it."""

    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return f"Illegal({self.answer!r})"


@cython.final
cdef class Question:
    """A checked question to a position. Rules can yield it again."""

    def __dealloc__(self):
        free(self.cells.content)

    cdef int check(self, given_default) except -1:
        """Check values, put their numbers into cells, and choose the default.

        Raises:
            ValueError: The values don't fit the decision's declaration, there is no legal action, or the default isn't
                legal.
        """
        cdef Decision decision = self.decision
        cdef Shape shape
        cdef list names = decision.names
        cdef bint is_told = True
        cdef int i
        cdef int64_t number
        cdef int overflow = 0
        for i in range(len(names)):
            is_told = is_told and names[i] in self.values
        if not is_told or len(self.values) != len(names):
            raise ValueError(f"{decision.name} shows {', '.join(self.values)}; declared is {', '.join(names)}")
        self.legal_cell = -1
        reserve(&self.cells, len(names))
        for i in range(len(names)):
            name = <str>names[i]
            shape = <Shape>decision.shapes[i]
            value = self.values[name]
            if (shape.code == c"i" or shape.code == c"q") and PyLong_CheckExact(value):  # most common case
                number = PyLong_AsLongLongAndOverflow(value, &overflow)
                if not overflow and shape.low <= number <= shape.high:
                    append(&self.cells, number)
                    continue
            if i == decision.legal:
                self.legal_cell = self.cells.count
            elif is_text(shape) and callable(value):
                if shape.code == c"L":
                    append(&self.cells, 0)
                continue
            if shape.code == c"L" or shape.code == c"M" or shape.code == c"R":
                # Taken once: a sequence of the author's own might have another length each time.
                self.values[name] = shape.observed(decision.name, name, value, &self.cells)
            else:
                shape.observed(decision.name, name, value, &self.cells)
        return self.choose_default(given_default)

    cdef int choose_default(self, given) except -1:
        """Set the answer that counts for a bot at fault.

        Raises:
            ValueError: There is no legal action, or the default isn't legal.
        """
        cdef Decision decision = self.decision
        if decision.legal >= 0 and self.cells.content[self.legal_cell] == 0:
            raise ValueError(f"{decision.name} is asked without a legal action")
        if given is None and decision.legal < 0:
            self.default = decision.default
            return 0
        try:
            self.default = self.values[LEGAL_ACTIONS][0] if given is None else self.checked(given)
        except ValueError as wrong:
            raise ValueError(f"{decision.name}: the default answer {given!r} is not legal: {wrong}") from None
        return 0

    cdef bint takes_number(self, int64_t answer) noexcept:
        """Return whether an integer is legal, if answers are integers."""
        cdef Shape shape = self.decision.answer_shape if self.narrowed is None else self.narrowed
        cdef const int64_t* legal
        cdef int64_t i
        if self.legal_cell < 0:
            return shape.low <= answer <= shape.high
        legal = self.cells.content + self.legal_cell
        for i in range(1, legal[0] + 1):
            if legal[i] == answer:
                return True
        return False

    cdef object from_number(self, int64_t answer):
        """Return the answer that an integer stands for.

        Raises:
            ValueError: The answer isn't legal. The message describes it.
        """
        if self.decision.takes_numbers:
            if not self.takes_number(answer):
                raise ValueError("not legal")
            return answer
        return self.checked(answer)

    cdef object checked(self, object value):
        """Return an answer as the rules receive it.

        Raises:
            ValueError: The answer isn't legal. The message describes it.
        """
        cdef Decision decision = self.decision
        if decision.legal < 0:
            value = decision.answer_shape.answered(value)
            if self.narrowed is not None:
                self.narrowed.answered(value)
            return value
        if decision.answer_shape.code == c"s":
            return self.legal_text(value)
        if isinstance(value, bool) or not isinstance(value, int) or value not in self.values[LEGAL_ACTIONS]:
            raise ValueError("not legal")
        return int(value)

    cdef object legal_text(self, object value):
        """Return a legal action that is a text, given as that text or as its index among all.

        Raises:
            ValueError: The answer isn't legal, or a function of the rules makes no text.
        """
        legal = self.text(self.decision.legal)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(legal):
            return legal[value]
        if isinstance(value, str) and value in legal:
            return value
        raise ValueError("not legal")

    cdef bytes told(self, bint as_line, tuple players):
        """Return its values, with the number of the bot at each position.

        A program gets a line of JSON, a Python bot's process what messages have. The question's own values are encoded
        once: contests can ask the same question in many sessions.

        Args:
            as_line: Whether to return the line of JSON.
            players: Number of the bot at each position.

        Raises:
            ValueError: A function of the rules makes no text.
        """
        if as_line:
            if self.line is None:
                self.line = (", " * bool(self.values) + json.dumps(self.plain())[1:]).encode() + b"\n"
            return b'{"decision": "%b", "seat": %d, "seats": %d, "players": %b%b' % (
                self.decision.name.encode(), self.position, len(players), str(list(players)).encode(), self.line
            )
        if self.packed is None:
            self.packed = dumps(tuple(self.plain().values()))
        return dumps((self.position, len(players), list(players), self.packed))

    def text(self, int number):
        """Return a value that is a text, or a list of texts, after calling the function that makes it, if any.

        Args:
            number: Index of the value.

        Raises:
            ValueError: The function makes something other than texts.
        """
        cdef Decision decision = self.decision
        cdef Shape shape = decision.shapes[number]
        name = decision.names[number]
        value = self.values[name]
        if callable(value):
            made = value()
            for text in made if shape.code == c"L" else (made,):
                if type(text) is not str:
                    raise ValueError(f"{decision.name} shows {name} = {text!r}, which is no text")
            value = made
        return list(value) if shape.code == c"L" else value

    cdef dict shown(self, tuple players):
        """Return all that the bot is shown as plain numbers, texts and lists, by name.

        Raises:
            ValueError: A function of the rules makes no text.
        """
        return {"seat": self.position, "seats": len(players), "players": list(players), **self.plain()}

    def plain(self):
        """Return the question's values by name, as plain numbers, texts, lists and dicts.

        Raises:
            ValueError: A function of the rules makes no text.
        """
        cdef Decision decision = self.decision
        cdef Shape shape
        cdef int i
        plain = {}
        for i, name in enumerate(decision.names):
            shape = decision.shapes[i]
            plain[name] = self.text(i) if is_text(shape) else shape.plain(self.values[name])
        return plain


cdef inline bint is_text(Shape shape) noexcept:
    """Return whether values are texts, or lists of texts."""
    return shape.code == c"s" or (shape.code == c"L" and shape.item.code == c"s")
