# See channels.pyx for details.

cimport cython
from libc.stdint cimport int64_t

from engine.kernel.game_core cimport REFUSED
from engine.processes.lines cimport MOST_LINE_BYTES
from engine.processes.pipes cimport Channel, pollfd

cpdef enum:     # kinds of events, beside GameCore's LEG_OVER, RECORDS_FULL and REFUSED
    BOT_FAULTY = REFUSED + 1
    BOT_OUT_OF_MEMORY
    CHANNEL_FAILED

cdef enum:
    LINE_ROOM = MOST_LINE_BYTES + 1
    MOST_EVENT_TEXT = 511

cdef struct Event:
    int kind
    int lane
    int channel
    int text_size
    char text[MOST_EVENT_TEXT]

cdef const char* NO_MEMORY


@cython.final
cdef class Channels:
    cdef Channel* all
    cdef int count
    cdef size_t capacity
    cdef int* touched           # channels with questions that are not sent
    cdef size_t touched_capacity
    cdef int touched_count
    cdef pollfd* polled
    cdef size_t polled_capacity
    cdef int asked_last         # of the processes with many lanes, -1 for none yet
    cdef int times_skipped      # how often in a row the one of them that waits longest was not asked
    cdef Event* events          # of one run: at most one for each lane, which then stops, and for each channel
    cdef size_t event_capacity
    cdef int event_count
    cdef list closed            # numbers of channels closed since the last run, whose events may still be read
    cdef list spare             # numbers that are free
    cdef dict dialogues         # what the channels point to

    cdef int begin_run(self, int lane_count) except -1
    cdef list happened(self)
    cdef void touch(self, int number) noexcept nogil
    cdef int send_next(self) noexcept nogil
    cdef int choose(self) noexcept nogil
    cdef bint is_worth_asking_again(self) noexcept nogil
    cdef void speak(self, int number) noexcept nogil
    cdef bint was_silent(self, int number) noexcept nogil
    cdef void push_on(self, int number) noexcept nogil
    cdef bint receive(self, int number) noexcept nogil
    cdef bint wait_for_any(self, int64_t until) noexcept nogil
    cdef void refuse_line(self, int number, const char* why) noexcept nogil
    cdef void fail(self, int number, const char* why) noexcept nogil
    cdef void tell(self, int kind, int lane, int channel, const char* text, int length) noexcept nogil

cdef int64_t now_nanoseconds() noexcept nogil
