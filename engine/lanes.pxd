# See lanes.pyx for details.

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef struct Pile:       # blocks of a table's rows, one after the other
    unsigned char* content
    size_t size
    size_t capacity

cdef enum:
    MOST_VIEW_BYTES = 128
    MOST_TEXT = 400     # bytes that say why one answer is faulty

cdef enum:              # instead of a question's number
    START_LANE = -1     # make a new bot for the lane; the first argument is its seed
    END_LANE = -2

cdef enum:              # status of an answer
    ANSWERED = 0
    FAULTY = 1          # the text says why
    OUT_OF_MEMORY = 2

cdef struct Header:
    uint32_t size       # bytes of the message, with this header
    uint32_t serial     # of the question, and again of its answer
    uint32_t count      # items
    uint32_t text_size  # bytes after the items

cdef struct Question:
    int32_t lane        # as its channel numbers it
    int32_t kind
    int64_t arguments[1]    # as many as the contest's longest question has; then the view

cdef struct Answer:
    int64_t answer
    int32_t status
    int32_t text_length

cdef inline size_t question_size(int most_arguments, int view_size) noexcept nogil:
    """Bytes of a Question with its arguments and its view."""
    return 8 + 8 * most_arguments + (view_size + 7) // 8 * 8

cdef enum LaneState:
    READY       # its answer is there
    ASKED       # its bot is asked
    STOPPED     # the caller was told, and resumes or drops it
    GONE

cdef struct Lane:
    void* core          # a GameCore
    void* referee       # a Referee where a seat has a WebAssembly bot, else NULL
    int channels[2]     # by seat, -1 for none
    int places[2]       # what its channels call it
    int64_t answer
    int state
    uint64_t decisions[2]
    void* tables[2]     # of games and of sessions, into which the core writes
    Pile piles[2]       # what was in them before

cdef struct Channel:
    int to_bot
    int from_bot
    int errors
    bint lines          # one lane, asked in text
    void* dialogue      # what asks and understands it instead of lines that stay the same, or NULL
    bint is_open
    bint is_closed      # by the caller
    bint outstanding    # a message is out, its answer is not yet in
    bint in_touched
    unsigned char* gathering    # the next message
    size_t gathered_size
    size_t gathering_capacity
    int* gathered               # the lane of each question, -1 for a start or an end
    int gathered_count
    int gathered_capacity
    unsigned char* sending      # the message that is out
    size_t sending_size
    size_t sending_capacity
    size_t sent
    int* asked
    int asked_count
    int asked_capacity
    unsigned char* inbox
    size_t inbox_size
    size_t inbox_capacity
    uint32_t serial
    uint64_t messages
    int tail_size               # of the last that it complained
    char tail[4096]

cdef enum EventKind:
    LEG_OVER_EVENT = 0          # the first four are the codes of GameCore.play
    RECORDS_FULL_EVENT = 1
    TRAP_EVENT = 3
    FAULT_EVENT = 4
    MEMORY_EVENT = 5
    CHANNEL_EVENT = 6

cdef struct Event:
    int kind
    int lane
    int channel
    int text_size
    char text[512]

cdef enum:
    MOST_SEGMENTS = 24
    MOST_WORDS = 8
    MOST_QUESTIONS = 8

cdef struct Segment:        # a piece of a line
    int kind                # 0 text, 1 argument, or the struct code of a field of the view
    int place               # the argument's number, the field's offset
    int length
    char text[32]

cdef struct Word:           # a way to answer
    int length
    bint takes_number
    int64_t value
    char text[32]

cdef struct Line:
    int segment_count
    int word_count
    Segment segments[MOST_SEGMENTS]
    Word words[MOST_WORDS]
