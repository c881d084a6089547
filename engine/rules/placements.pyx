"""Questions in the struct of C bots: values and the seating written there, answers read from behind it."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from engine.rules.shapes cimport Shape


@cython.final
cdef class Placement:
    """The places of a decision's values and answer in the memory of a contest's C bots. Contests can share a decision.

    Args:
        decision: The decision.
        kind: Its number in the contest.
        slots: Slot of each value in the bots' struct, by name. Texts have none.
        answer_offset: Offset of answers that aren't returned, in bytes.
        answer_slot: Slot of such an answer, relative to that offset.
    """

    def __init__(self, Decision decision not None, int kind, slots, int answer_offset=0, Slot answer_slot=None):
        self.decision = decision
        self.kind = kind
        self.answer_offset = answer_offset
        self.answer_slot = answer_slot
        self.slots = [slots.get(name) for name in decision.names]

    cdef int show(self, Question question, unsigned char* window, tuple players) except -1:
        """Write a question's values and each position's bot number into a C bot's struct, and clear the answer's bytes.
        """
        cdef const int64_t* cell = question.cells.content
        cdef int32_t* seating = <int32_t*>window
        cdef Shape shape
        cdef int number
        seating[0] = question.position
        seating[1] = <int32_t>len(players)
        for number in range(<int>len(players)):
            seating[2 + number] = <int32_t>players[number]
        if self.decision.room:
            memset(window + self.answer_offset, 0, self.decision.room)
        for number in range(len(self.slots)):
            slot = self.slots[number]
            shape = <Shape>self.decision.shapes[number]
            if slot is not None:
                cell = (<Slot>slot).write(shape, window, window, cell)
            elif shape.code == c"L":
                cell += 1   # cell of a list of texts
        return 0

    cdef object answer_of(self, Question question, int64_t answer, const unsigned char* window):
        """Return what a C bot answered, as the rules receive it.

        Args:
            question: The question.
            answer: What the bot's function returned: an integer, the bits of a float, or the length of a list.
            window: The bot's struct, behind which it might have written the answer.

        Raises:
            ValueError: The answer isn't legal. The message describes it.
        """
        cdef Shape shape = self.decision.answer_shape
        cdef const unsigned char* left = window + self.answer_offset
        cdef double real
        if question.legal_cell < 0 and shape.code == c"d":
            memcpy(&real, &answer, sizeof(real))
            return question.checked(real)
        if self.decision.room == 0:
            return question.from_number(answer)
        if shape.code == c"L" and self.answer_slot.count < 0:
            if not 0 <= answer <= shape.most:
                raise ValueError(f"a length of {answer}")
            return question.checked(self.answer_slot.read_items(shape, left, left, answer))
        return question.checked(self.answer_slot.read(shape, left, left))
