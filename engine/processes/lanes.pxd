# See lanes.pyx for details.

from libc.stdint cimport int64_t, uint64_t

from engine.kernel.records cimport RowBuffer

cdef enum LaneState:
    READY       # its answer is there
    ASKED       # its bot is asked
    STOPPED     # the caller was told, and resumes or drops it
    GONE

cdef struct Lane:
    void* core              # a GameCore
    void* referee           # a Referee where a seat has a WebAssembly bot, else NULL
    int channels[2]         # by seat, -1 for none
    int slots[2]            # what its channels call it
    int64_t answer
    int state
    uint64_t decisions[2]
    void* tables[2]         # of games and of sessions, into which the core writes
    RowBuffer buffers[2]    # what was in them before

cdef enum EventKind:
    LEG_OVER_EVENT = 0      # the first three are codes of GameCore.play
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
