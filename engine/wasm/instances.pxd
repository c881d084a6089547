# See instances.pyx for details.

from engine.wasm.runtime cimport Extern

cdef bytes as_bytes(const Extern* found)
cdef const Extern* as_extern(bytes extern) except NULL
