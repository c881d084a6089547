"""Hold'em's rates and results for WebAssembly bots, as functions that they import.

Arguments and results are numbers (texas.h packs and unpacks them), so nothing here touches a bot's memory.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.string cimport strlen

from engine.games.holdem_training.rates cimport NOT_CARDS, RateSampler
from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport RuntimeValue, runtime

cdef enum:
    # A sample takes about 50 ns, and a result 25 ns.
    FUEL_OF_SAMPLE = 200
    FUEL_OF_RESULT = 100

cdef const char* NO_STATE = b"asked a helper about a state that is none (a card twice or out of range, or one missing)"
cdef const char* NO_SAMPLES = b"asked getRatesBySampling for fewer than one sample"
cdef const char* NO_FUEL = b"ran out of fuel (too many samples?)"


cdef void* on_rates(void* helpers, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Call `give_rates` for a bot: nine places and a number of samples become wins · 2^32 + ties."""
    return (<RateHelpers>helpers).give_rates(values)


cdef void* on_result(void* helpers, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Call `give_result` for a bot: nine places become 1, 0 or -1."""
    return (<RateHelpers>helpers).give_result(values)


@cython.final
cdef class RateHelpers:
    """The functions that a WebAssembly bot can import: tournament_rates and tournament_result.

    They use the bot's fuel, if it has a budget, and trap if they are misused.

    Args:
        key: Key of the samples, 32 bytes.
        fuel: The bot's fuel; None for no budget.

    Raises:
        ValueError: The key has another length.
    """

    cdef RateSampler sampler
    cdef Fuel fuel

    def __init__(self, bytes key, *, Fuel fuel=None):
        self.sampler = RateSampler(key)
        self.fuel = fuel

    @property
    def functions(self):
        """Address of the C function, and its first argument, by name."""
        return {
            "tournament_rates": (<uintptr_t>&on_rates, <uintptr_t><void*>self),
            "tournament_result": (<uintptr_t>&on_result, <uintptr_t><void*>self),
        }

    cdef void* give_rates(self, RuntimeValue* values) noexcept nogil:
        """Replace the arguments by the rates, and return NULL, or a trap if they are invalid or fuel runs out."""
        cdef int64_t wins = 0
        cdef int64_t ties = 0
        cdef int64_t samples = values[1].i32
        if samples < 1:
            return self.trap(NO_SAMPLES)
        if self.fuel is not None and self.fuel.pay(samples * FUEL_OF_SAMPLE) == 0:
            return self.trap(NO_FUEL)
        if not self.sampler.sample(<uint64_t>values[0].i64, samples, &wins, &ties):
            return self.trap(NO_STATE)
        values[0].i64 = wins << 32 | ties
        return NULL

    cdef void* give_result(self, RuntimeValue* values) noexcept nogil:
        """Replace the arguments by the result, and return NULL, or a trap if they are invalid or fuel runs out."""
        cdef int result
        if self.fuel is not None and self.fuel.pay(FUEL_OF_RESULT) == 0:
            return self.trap(NO_FUEL)
        result = self.sampler.result(<uint64_t>values[0].i64)
        if result == NOT_CARDS:
            return self.trap(NO_STATE)
        values[0].i32 = result
        return NULL

    cdef void* trap(self, const char* reason) noexcept nogil:
        return runtime.new_trap(reason, strlen(reason))
