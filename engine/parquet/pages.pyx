"""Row groups of a Parquet file: pages, each with its checksum, and their descriptions for the file's footer.

Apache Parquet, "Parquet Format" 2.12: README.md (pages), Encodings.md, src/main/thrift/parquet.thrift. A column of a
row group, its chunk, is one data page here, of version 1 and without nulls. Some columns have a dictionary page before
it. These of the format's encodings are fast to write, and small:

Integers whose range is below 256 have a dictionary of all numbers from the minimum to the maximum. The index of a value
is its distance from the minimum, in 1, 2, 4 or 8 bits. Equal numbers are one run. Other integers are differences of
neighbours (DELTA_BINARY_PACKED), if these take less space. Values that stay the same over many rows, such as names,
have a dictionary and runs of equal indices. A flag is one bit. Everything else is plain.

A row group is encoded without the interpreter's lock, because other workers would wait if it
were acquired for each page.
"""

from zlib import crc32

from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memmove, memset

cimport numpy as cnp

from engine.kernel.memory cimport grown

cnp.import_array()

cdef extern from "crc32.h" nogil:
    enum: CRC32_FEW
    size_t crc32_fold(const unsigned char* content, size_t size, unsigned char* folded)
    uint32_t crc32_few(uint32_t crc, const unsigned char* content, size_t size)

# A page's size in bytes must fit into a signed integer of 32 bits, and a plain value can take 8 bytes.
MAX_ROWS = 1 << 27

cdef enum:
    PLAIN = 0               # parquet.thrift: enum Encoding
    RLE = 3
    DELTA_BINARY_PACKED = 5
    RLE_DICTIONARY = 8
    DATA_PAGE = 0           # enum PageType
    DICTIONARY_PAGE = 2
    BOOLEAN = 0             # enum Type
    INT32 = 1
    INT64 = 2
    FLOAT = 4
    DOUBLE = 5
    BYTE_ARRAY = 6
    RUNS = -1               # instead of numpy's number of a type: a column given by runs
    UNCOMPRESSED = 0        # enum CompressionCodec
    PIECE = 1024            # indices that are narrowed together, in the processor's nearest cache
    BLOCK = 128             # differences that share a minimum
    MINIBLOCK = 32          # differences of a block that share a width
    MINIBLOCKS = 4          # miniblocks of a block; a quotient crashes Cython 3.3 with checked divisions
    MAX_BLOCK_BYTES = 10 + MINIBLOCKS * (1 + 4 * MINIBLOCK)
    BLOCKS_ON_TRIAL = 4     # blocks after which differences larger than the alternative are abandoned
    MAX_RUN_HEADER = 16    # bytes
    MAX_HEADER = 64
    MAX_DESCRIPTION = 160  # bytes of a column without its name, or of a row group without its columns
    # Types of fields in Thrift's compact protocol. The same byte has the distance of the field's number from the last
    # one.
    THRIFT_I32 = 5
    THRIFT_I64 = 6
    THRIFT_BINARY = 8
    THRIFT_LIST = 9
    THRIFT_STRUCT = 12
    NEXT = 1 << 4
    AFTER_ONE = 2 << 4
    AFTER_TWO = 3 << 4

cdef dict TYPES = {
    cnp.NPY_INT8: INT32, cnp.NPY_UINT8: INT32, cnp.NPY_INT16: INT32, cnp.NPY_UINT16: INT32,
    cnp.NPY_INT32: INT32, cnp.NPY_UINT32: INT32, cnp.NPY_INT64: INT64, cnp.NPY_UINT64: INT64,
    cnp.NPY_FLOAT32: FLOAT, cnp.NPY_FLOAT64: DOUBLE,
}  # fmt: skip

# The product of eight bytes of 0 or 1 with this number has their lowest bits, in order, in its highest byte.
cdef uint64_t GATHER = 0x0102040810204080ULL

ctypedef fused Integer:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    uint32_t
    int64_t
    uint64_t


cdef struct Chunk:
    # A column of a row group: its values, and properties of its encoded pages.
    const void* values
    int kind                    # numpy's number of their type
    int type
    int encoding
    bint has_limits
    int64_t size                # bytes
    int64_t dictionary_bytes    # bytes of a page before the data page
    int64_t least, greatest     # or these bits, if the type has no sign
    # The next fields are those of a column given by runs. Its values are the runs' indices in a dictionary.
    const int64_t* lengths
    int64_t runs
    const unsigned char* dictionary
    int64_t dictionary_size     # bytes
    int entries


cdef class GroupEncoder:
    """Encodes one row group after the other, in memory that it reuses.

    Args:
        names: Names of the columns.
        flags: Names of the columns of flags, whose values are bytes: false if 0, otherwise true.
        statistics: Names of the columns of integers whose minimum and maximum the footer has.

    Raises:
        MemoryError: There isn't enough memory.
    """

    cdef list names, flags, statistics
    cdef Chunk* chunks
    cdef unsigned char* content
    cdef size_t capacity
    cdef int64_t size

    def __cinit__(self, names, flags=(), statistics=()):
        self.names = [name.encode() for name in names]
        self.flags = [name in flags for name in names]
        self.statistics = [name in statistics for name in names]
        self.chunks = <Chunk*>calloc(len(self.names) + 1, sizeof(Chunk))
        if self.chunks == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.chunks)
        free(self.content)

    def encode(self, list columns, int64_t place):
        """Encode a row group.

        Args:
            columns: Numpy arrays of one dimension, aligned and without gaps, of equal length, 1 to MAX_ROWS. A column
                of few values is a tuple: the values in the format's plain encoding, whether they are texts instead of
                32-bit integers, their number, and the index (int32) and length (int64) of each run of rows.
            place: Offset of the row group in its file, in bytes.

        Returns:
            The bytes of the row group, which are valid until the next call, and its RowGroup, a struct of Thrift's.

        Raises:
            ValueError: There is another number of columns, arrays have different lengths, or an array or run is
                invalid.
            TypeError: A column isn't an array of integers or floats, or flags aren't bytes.
            MemoryError: There isn't enough memory.
        """
        cdef int64_t rows = len(columns[0])
        cdef int count = len(self.names), number
        cdef bint has_room = True
        if len(columns) != count:
            raise ValueError(f"a row group here has {count} columns")
        for number in range(count):
            self.take(&self.chunks[number], columns[number], self.flags[number], rows)
        self.size = 0
        with nogil:
            for number in range(count):
                has_room = has_room and put_chunk(self, &self.chunks[number], rows)
        if not has_room:
            raise MemoryError
        described = self.described(rows, place)
        return PyMemoryView_FromMemory(<char*>self.content, self.size, PyBUF_READ), described

    cdef int take(self, Chunk* chunk, values, bint flags, int64_t rows) except -1:
        if isinstance(values, tuple):
            return self.take_runs(chunk, values, rows)
        if not cnp.PyArray_Check(values):
            raise TypeError("a column is a numpy array")
        cdef cnp.ndarray array = values
        if array.ndim != 1 or not cnp.PyArray_ISCARRAY_RO(array) or not 0 < array.size <= MAX_ROWS:
            raise ValueError(f"a column has one dimension, no gaps, and 1 to {MAX_ROWS:,} values")
        if array.size != rows:
            raise ValueError(f"one column has {rows:,} values, another {array.size:,}")
        chunk.values = cnp.PyArray_DATA(array)
        chunk.kind = cnp.PyArray_TYPE(array)
        chunk.dictionary_bytes = 0
        chunk.has_limits = False
        if flags:
            if cnp.PyArray_ITEMSIZE(array) != 1:
                raise TypeError(f"flags are bytes, not {array.dtype}")
            chunk.kind, chunk.type = cnp.NPY_BOOL, BOOLEAN
        elif chunk.kind in TYPES:
            chunk.type = TYPES[chunk.kind]
        else:
            raise TypeError(f"{array.dtype} is no column's type")
        return 0

    cdef int take_runs(self, Chunk* chunk, tuple given, int64_t rows) except -1:
        cdef bytes dictionary
        cdef cnp.ndarray indices, lengths
        dictionary, is_text, entries, indices, lengths = given
        if (
            indices.dtype != "int32" or lengths.dtype != "int64" or indices.ndim != 1 or lengths.ndim != 1
            or not cnp.PyArray_ISCARRAY_RO(indices) or not cnp.PyArray_ISCARRAY_RO(lengths)
            or indices.size != lengths.size or lengths.sum() != rows or lengths.min() < 1
            or indices.min() < 0 or indices.max() >= entries
        ):
            raise ValueError(f"a column given by runs has indices below {entries} for {rows:,} rows")
        chunk.kind, chunk.type = RUNS, BYTE_ARRAY if is_text else INT32
        chunk.dictionary_bytes = 0
        chunk.has_limits = False
        chunk.values, chunk.lengths = cnp.PyArray_DATA(indices), <const int64_t*>cnp.PyArray_DATA(lengths)
        chunk.runs, chunk.entries = indices.size, entries
        chunk.dictionary = <const unsigned char*>PyBytes_AS_STRING(dictionary)
        chunk.dictionary_size = PyBytes_GET_SIZE(dictionary)
        return 0

    cdef unsigned char* room(self, int64_t size) noexcept nogil:
        """Return the address of space for `size` further bytes, or NULL if there isn't enough memory."""
        if not grown(<void**>&self.content, &self.capacity, self.size + size, 1):
            return NULL
        return self.content + self.size

    cdef void put_page(
        self, int type, const unsigned char* content, int64_t size, int64_t rows, int encoding
    ) noexcept nogil:
        """Add a page whose content is elsewhere, or MAX_HEADER bytes after the end."""
        cdef unsigned char* end = put_page_header(self.content + self.size, type, content, size, rows, encoding)
        memmove(end, content, size)
        self.size = end + size - self.content

    cdef bytes described(self, int64_t rows, int64_t place):
        """Return the RowGroup of the encoded row group.

        Args:
            rows: Number of rows.
            place: Offset of the row group in its file, in bytes.

        Raises:
            MemoryError: There isn't enough memory.
        """
        cdef int64_t size = self.size, start = place
        cdef int count = len(self.names), number
        cdef unsigned char* begin = self.room(MAX_DESCRIPTION * (count + 1) + sum(map(len, self.names)))
        cdef unsigned char* end = begin
        if begin == NULL:
            raise MemoryError
        end = put_list(end, count, THRIFT_STRUCT)
        for number in range(count):
            end = describe(end, &self.chunks[number], self.names[number], self.statistics[number], rows, place)
            place += self.chunks[number].size
        end = put_number(end, NEXT | THRIFT_I64, size)
        end = put_number(end, NEXT | THRIFT_I64, rows)
        end = put_number(end, AFTER_ONE | THRIFT_I64, start)
        end = put_number(end, NEXT | THRIFT_I64, size)
        end[0] = 0
        return begin[:end + 1 - begin]


cdef unsigned char* describe(
    unsigned char* end, const Chunk* chunk, bytes name, bint statistics, int64_t rows, int64_t place
):
    """Write a ColumnChunk, and return the address after it."""
    cdef int64_t value_bytes = 8 if chunk.type == INT64 else 4
    end = put_number(end, AFTER_ONE | THRIFT_I64, 0)
    end[0] = NEXT | THRIFT_STRUCT
    end = put_number(end + 1, NEXT | THRIFT_I32, chunk.type)
    if chunk.dictionary_bytes:
        end = put_varint(put_list(end, 2, THRIFT_I32), zigzag(PLAIN))
    else:
        end = put_list(end, 1, THRIFT_I32)
    end = put_varint(end, zigzag(chunk.encoding))
    end = put_text(put_list(end, 1, THRIFT_BINARY), PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name))
    end = put_number(end, NEXT | THRIFT_I32, UNCOMPRESSED)
    end = put_number(end, NEXT | THRIFT_I64, rows)
    end = put_number(end, NEXT | THRIFT_I64, chunk.size)
    end = put_number(end, NEXT | THRIFT_I64, chunk.size)
    end = put_number(end, AFTER_ONE | THRIFT_I64, place + chunk.dictionary_bytes)
    if chunk.dictionary_bytes:
        end = put_number(end, AFTER_ONE | THRIFT_I64, place)
    if statistics and chunk.has_limits:
        end[0] = (NEXT if chunk.dictionary_bytes else AFTER_TWO) | THRIFT_STRUCT
        end = put_number(end + 1, AFTER_TWO | THRIFT_I64, 0)  # nulls
        end[0] = AFTER_ONE | THRIFT_BINARY
        end = put_text(end + 1, <const char*>&chunk.greatest, value_bytes)
        end[0] = NEXT | THRIFT_BINARY
        end = put_text(end + 1, <const char*>&chunk.least, value_bytes)
        end[0] = 0
        end += 1
    end[0] = end[1] = 0  # the ends of both structs
    return end + 2


cdef unsigned char* put_page_header(
    unsigned char* end, int type, const unsigned char* content, int64_t size, int64_t rows, int encoding
) noexcept nogil:
    """Write the PageHeader of a page, and return the address after it."""
    cdef uint32_t crc = checksum(content, size)
    end = put_number(end, NEXT | THRIFT_I32, type)
    end = put_number(end, NEXT | THRIFT_I32, size)
    end = put_number(end, NEXT | THRIFT_I32, size)
    end = put_number(end, NEXT | THRIFT_I32, <int32_t>crc)
    end[0] = (AFTER_TWO if type == DICTIONARY_PAGE else NEXT) | THRIFT_STRUCT
    end = put_number(end + 1, NEXT | THRIFT_I32, rows)
    end = put_number(end, NEXT | THRIFT_I32, encoding)
    if type == DATA_PAGE:  # encodings of the levels of nulls and of lists, which the page lacks
        end = put_number(end, NEXT | THRIFT_I32, RLE)
        end = put_number(end, NEXT | THRIFT_I32, RLE)
    end[0] = end[1] = 0  # the ends of both structs
    return end + 2


cdef unsigned char* put_number(unsigned char* end, int head, int64_t value) noexcept nogil:
    """Write an integer field of a struct, and return the address after it."""
    end[0] = <unsigned char>head
    return put_varint(end + 1, zigzag(value))


cdef unsigned char* put_list(unsigned char* end, int size, int type) noexcept nogil:
    """Write the head of a struct's next field, a list, and return the address after it."""
    end[0] = NEXT | THRIFT_LIST
    if size < 15:
        end[1] = <unsigned char>(size << 4 | type)
        return end + 2
    end[1] = <unsigned char>(0xF0 | type)
    return put_varint(end + 2, size)


cdef unsigned char* put_text(unsigned char* end, const char* content, int64_t size) noexcept nogil:
    end = put_varint(end, size)
    memcpy(end, content, size)
    return end + size


cdef uint32_t checksum(const unsigned char* content, int64_t size) noexcept nogil:
    """Return a page's CRC-32.

    Only for long pages that can't be folded, zlib computes it, because it takes four times as long.
    """
    cdef unsigned char folded[16]
    cdef size_t done = crc32_fold(content, size, folded)
    cdef uint32_t crc = 0xFFFFFFFF
    if done:
        crc = crc32_few(0, folded, 16)
    elif size >= CRC32_FEW:
        with gil:
            return crc32(PyMemoryView_FromMemory(<char*>content, size, PyBUF_READ))
    return ~crc32_few(crc, content + done, size - done)


cdef bint put_chunk(GroupEncoder encoder, Chunk* chunk, int64_t rows) noexcept nogil:
    """Add a column's pages, and return false if there isn't enough memory."""
    cdef int64_t start = encoder.size
    cdef bint put
    if chunk.kind == RUNS:
        put = put_runs(encoder, chunk, rows)
    elif chunk.kind == cnp.NPY_BOOL:
        put = put_flags(encoder, chunk, rows)
    elif chunk.kind == cnp.NPY_INT8:
        put = put_numbers(encoder, chunk, <const int8_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_UINT8:
        put = put_numbers(encoder, chunk, <const uint8_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_INT16:
        put = put_numbers(encoder, chunk, <const int16_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_UINT16:
        put = put_numbers(encoder, chunk, <const uint16_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_INT32:
        put = put_numbers(encoder, chunk, <const int32_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_UINT32:
        put = put_numbers(encoder, chunk, <const uint32_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_INT64:
        put = put_numbers(encoder, chunk, <const int64_t*>chunk.values, rows)
    elif chunk.kind == cnp.NPY_UINT64:
        put = put_numbers(encoder, chunk, <const uint64_t*>chunk.values, rows)
    else:
        put = put_unchanged(encoder, chunk, rows, 8 if chunk.type == DOUBLE else 4)
    chunk.size = encoder.size - start
    return put


cdef bint put_flags(GroupEncoder encoder, Chunk* chunk, int64_t rows) noexcept nogil:
    cdef int64_t size = (rows + 7) // 8
    cdef const uint8_t* values = <const uint8_t*>chunk.values
    cdef unsigned char* content = encoder.room(MAX_HEADER + size)
    cdef uint64_t last = 0
    cdef int64_t i
    if content == NULL:
        return False
    content += MAX_HEADER
    for i in range(rows // 8):
        content[i] = eight_flags(values + 8 * i)
    if rows % 8:
        memcpy(&last, values + 8 * (size - 1), rows % 8)
        content[size - 1] = eight_flags(<const uint8_t*>&last)
    chunk.encoding = PLAIN
    encoder.put_page(DATA_PAGE, content, size, rows, PLAIN)
    return True


cdef inline unsigned char eight_flags(const uint8_t* values) noexcept nogil:
    cdef uint64_t eight
    memcpy(&eight, values, 8)
    eight = ((eight & 0x7F7F7F7F7F7F7F7FULL) + 0x7F7F7F7F7F7F7F7FULL | eight) >> 7 & 0x0101010101010101ULL
    return <unsigned char>(eight * GATHER >> 56)


cdef bint put_unchanged(GroupEncoder encoder, Chunk* chunk, int64_t rows, int64_t value_bytes) noexcept nogil:
    if encoder.room(MAX_HEADER + rows * value_bytes) == NULL:
        return False
    chunk.encoding = PLAIN
    encoder.put_page(DATA_PAGE, <const unsigned char*>chunk.values, rows * value_bytes, rows, PLAIN)
    return True


cdef bint put_runs(GroupEncoder encoder, Chunk* chunk, int64_t rows) noexcept nogil:
    """Add a dictionary and indices, and return false if there isn't enough memory.

    The indices are runs of equal ones, or each by itself if that takes less space.
    """
    cdef const int32_t* indices = <const int32_t*>chunk.values
    cdef int width = 1
    cdef int64_t groups = (rows + 7) // 8, packed, before = encoder.size
    cdef int64_t run
    cdef unsigned char* content
    cdef unsigned char* end
    cdef uint32_t index
    while (<int64_t>1 << width) < chunk.entries:
        width += 1
    packed = MAX_RUN_HEADER + groups * width
    if encoder.room(3 * MAX_HEADER + chunk.dictionary_size + packed + MAX_RUN_HEADER) == NULL:
        return False
    encoder.put_page(DICTIONARY_PAGE, chunk.dictionary, chunk.dictionary_size, chunk.entries, PLAIN)
    chunk.dictionary_bytes = encoder.size - before
    content = encoder.content + encoder.size + MAX_HEADER
    content[0] = <unsigned char>width
    end = content + 1
    for run in range(chunk.runs):
        end = put_varint(end, <uint64_t>chunk.lengths[run] << 1)
        index = <uint32_t>indices[run]
        memcpy(end, &index, 4)      # the lowest bytes come first
        end += (width + 7) // 8
        if end - content > packed:
            end = put_each(indices, chunk.lengths, chunk.runs, groups, width, content + 1)
            break
    chunk.encoding = RLE_DICTIONARY
    encoder.put_page(DATA_PAGE, content, end - content, rows, RLE_DICTIONARY)
    return True


cdef unsigned char* put_each(
    const int32_t* indices, const int64_t* lengths, int64_t runs, int64_t groups, int width, unsigned char* end
) noexcept nogil:
    """Write the index of each row with `width` bits, the first one lowest, and return the address after them."""
    cdef uint64_t waiting = 0
    cdef int bits = 0
    cdef int64_t run, _
    cdef unsigned char* past
    end = put_varint(end, <uint64_t>groups << 1 | 1)
    past = end + groups * width
    for run in range(runs):
        for _ in range(lengths[run]):
            waiting |= <uint64_t>indices[run] << bits
            bits += width
            while bits >= 8:
                end[0] = <unsigned char>(waiting & 0xFF)
                end += 1
                waiting >>= 8
                bits -= 8
    while end < past:
        end[0] = <unsigned char>(waiting & 0xFF)
        end += 1
        waiting >>= 8
    return end


cdef bint put_numbers(GroupEncoder encoder, Chunk* chunk, const Integer* values, int64_t rows) noexcept nogil:
    cdef int64_t entry = 8 if sizeof(Integer) == 8 else 4   # bytes of a plain value
    cdef Integer least, greatest
    cdef uint64_t distance
    cdef int width
    cdef int64_t size = 0, most
    cdef unsigned char* content
    find_limits(values, rows, &least, &greatest)
    chunk.has_limits, chunk.least, chunk.greatest = True, <int64_t>least, <int64_t>greatest
    distance = <uint64_t>greatest - <uint64_t>least
    width = 1 if distance < 2 else 2 if distance < 4 else 4 if distance < 16 else 8
    most = (rows + 7) // 8 * width if distance < 256 else rows * entry
    content = encoder.room(2 * MAX_HEADER + 256 * entry + most + (BLOCKS_ON_TRIAL + 1) * MAX_BLOCK_BYTES)
    if content == NULL:
        return False
    content += MAX_HEADER
    if sizeof(Integer) > 1 and 0 < distance < <uint64_t>1 << 31 and is_signed_alike(greatest):
        size = put_differences(values, rows, content, most)
    if size:
        chunk.encoding = DELTA_BINARY_PACKED
    elif distance < 256:
        chunk.encoding = RLE_DICTIONARY
        chunk.dictionary_bytes = put_dictionary(encoder, least, <int>distance + 1)
        content = encoder.content + encoder.size + MAX_HEADER
        size = put_indices(values, rows, least, distance, width, content)
    elif sizeof(Integer) >= 4:
        return put_unchanged(encoder, chunk, rows, entry)
    else:
        chunk.encoding = PLAIN
        size = most
        widen(values, rows, content)
    encoder.put_page(DATA_PAGE, content, size, rows, chunk.encoding)
    return True


cdef void find_limits(const Integer* values, int64_t rows, Integer* least, Integer* greatest) noexcept nogil:
    cdef Integer low = values[0], high = values[0], value
    cdef int64_t i
    if memcmp(values, values + 1, (rows - 1) * sizeof(Integer)) == 0:  # all the same
        rows = 0
    for i in range(rows):
        value = values[i]
        low = value if value < low else low
        high = value if value > high else high
    least[0] = low
    greatest[0] = high


cdef bint is_signed_alike(Integer greatest) noexcept nogil:
    """Return whether a number stays the same as a signed one, which the format stores."""
    if Integer is uint32_t:
        return greatest < <uint32_t>1 << 31
    elif Integer is uint64_t:
        return greatest < <uint64_t>1 << 63
    else:
        return True


cdef void widen(const Integer* values, int64_t rows, unsigned char* wide) noexcept nogil:
    cdef int64_t i
    cdef int32_t value
    for i in range(rows):
        value = <int32_t>values[i]
        memcpy(wide + 4 * i, &value, 4)


cdef int64_t put_dictionary(GroupEncoder encoder, Integer least, int entries) noexcept nogil:
    """Add a dictionary page with consecutive numbers, starting at the minimum, and return its size in bytes."""
    cdef int32_t narrow[256]
    cdef int64_t wide[256]
    cdef int64_t before = encoder.size
    cdef int i
    for i in range(entries):
        narrow[i] = <int32_t>(<uint32_t>least + <uint32_t>i)
        wide[i] = <int64_t>(<uint64_t>least + <uint64_t>i)
    if sizeof(Integer) == 8:
        encoder.put_page(DICTIONARY_PAGE, <const unsigned char*>wide, entries * 8, entries, PLAIN)
    else:
        encoder.put_page(DICTIONARY_PAGE, <const unsigned char*>narrow, entries * 4, entries, PLAIN)
    return encoder.size - before


cdef int64_t put_indices(
    const Integer* values, int64_t rows, Integer least, uint64_t distance, int width, unsigned char* content
) noexcept nogil:
    """Write the width of indices, then the indices as one run, and return the size in bytes.

    The run is one of equal indices, or one of groups of eight.
    """
    cdef unsigned char* end = content
    cdef uint8_t piece[PIECE]
    cdef int64_t groups = (rows + 7) // 8, number, start, count, i
    end[0] = <unsigned char>width
    end += 1
    if distance == 0:
        end = put_varint(end, <uint64_t>rows << 1)
        end[0] = 0
        return end + 1 - content
    end = put_varint(end, <uint64_t>groups << 1 | 1)
    if width == 8:
        for i in range(rows):
            end[i] = <uint8_t>(values[i] - least)
        memset(end + rows, 0, 8 * groups - rows)
        return end + 8 * groups - content
    for number in range((rows + PIECE - 1) // PIECE):
        start = number * PIECE
        count = min(<int64_t>PIECE, rows - start)
        for i in range(count):
            piece[i] = <uint8_t>(values[start + i] - least)
        memset(piece + count, 0, (8 - count % 8) % 8)
        for i in range((count + 7) // 8):
            put_eight(piece + 8 * i, width, end)
            end += width
    return end - content


cdef inline void put_eight(const uint8_t* values, int width, unsigned char* end) noexcept nogil:
    """Write eight values of 1, 2 or 4 bits, the first one lowest."""
    cdef uint64_t eight
    memcpy(&eight, values, 8)
    if width == 4:
        eight = (eight | eight >> 4) & 0x00FF00FF00FF00FFULL
        eight = (eight | eight >> 8) & 0x0000FFFF0000FFFFULL
        eight = eight | eight >> 16
        memcpy(end, &eight, 4)
    elif width == 2:
        eight = (eight | eight >> 6) & 0x000F000F000F000FULL
        eight = (eight | eight >> 12) & 0x000000FF000000FFULL
        eight = eight | eight >> 24
        memcpy(end, &eight, 2)
    else:
        end[0] = <unsigned char>(eight * GATHER >> 56)


cdef int64_t put_differences(
    const Integer* values, int64_t rows, unsigned char* content, int64_t limit
) noexcept nogil:
    """Write the differences of neighbours, and return their size in bytes.

    Differences are written as distances from the minimum of their block. The result is 0 if their size reaches the
    limit, or if the blocks so far suggest that it will.
    """
    cdef unsigned char* end = content
    cdef unsigned char* widths
    cdef int32_t steps[BLOCK]
    cdef uint32_t above[BLOCK]
    cdef uint32_t bits
    cdef int32_t least
    cdef int64_t number, start, count, i, j
    end = put_varint(end, BLOCK)
    end = put_varint(end, MINIBLOCKS)
    end = put_varint(end, rows)
    end = put_varint(end, zigzag(<int64_t>values[0]))
    for number in range((rows - 1 + BLOCK - 1) // BLOCK):
        start = number * BLOCK
        count = min(<int64_t>BLOCK, rows - 1 - start)
        if count == BLOCK and put_block_of_flags(values + start, &end):
            continue
        for i in range(count):
            steps[i] = <int32_t>(<uint32_t>values[start + i + 1] - <uint32_t>values[start + i])
        least = steps[0]
        for i in range(count):
            least = steps[i] if steps[i] < least else least
        for i in range(count):
            above[i] = <uint32_t>steps[i] - <uint32_t>least
        memset(above + count, 0, (BLOCK - count) * sizeof(uint32_t))
        end = put_varint(end, zigzag(least))
        widths = end
        end += MINIBLOCKS
        for i in range(MINIBLOCKS):
            bits = 0
            for j in range(MINIBLOCK):
                bits |= above[MINIBLOCK * i + j]
            widths[i] = 0
            while bits:
                bits >>= 1
                widths[i] += 1
            end = put_miniblock(above + MINIBLOCK * i, widths[i], end)
        if (number + 1) % BLOCKS_ON_TRIAL == 0 and (end - content) * rows >= limit * (start + count + 1):
            return 0
    return end - content if end - content < limit else 0


cdef inline bint put_block_of_flags(const Integer* values, unsigned char** end) noexcept nogil:
    """Write a block of differences that are all 0 or 1, and return true, or write nothing and return false."""
    cdef uint8_t flags[BLOCK]
    cdef uint32_t step, bits_of_any = 0, bits_of_all = 1
    cdef int i
    for i in range(BLOCK):
        step = <uint32_t>values[i + 1] - <uint32_t>values[i]
        bits_of_any |= step
        bits_of_all &= step
        flags[i] = <uint8_t>step
    if bits_of_any > 1:
        return False
    end[0] = put_varint(end[0], zigzag(bits_of_all))  # their minimum
    memset(end[0], bits_of_any ^ bits_of_all, MINIBLOCKS)
    end[0] += MINIBLOCKS
    if bits_of_any == bits_of_all:
        return True
    for i in range(BLOCK // 8):
        put_eight(flags + 8 * i, 1, end[0] + i)
    end[0] += BLOCK // 8
    return True


cdef unsigned char* put_miniblock(const uint32_t* values, int width, unsigned char* end) noexcept nogil:
    """Write values with `width` bits, the first one lowest, and return the address after them."""
    cdef uint64_t waiting = 0
    cdef int bits = 0, i
    for i in range(MINIBLOCK if width else 0):
        waiting |= <uint64_t>values[i] << bits
        bits += width
        if bits >= 32:
            memcpy(end, &waiting, 4)
            end += 4
            waiting >>= 32
            bits -= 32
    return end


cdef unsigned char* put_varint(unsigned char* end, uint64_t value) noexcept nogil:
    while value >= 0x80:
        end[0] = <unsigned char>(value & 0x7F | 0x80)
        end += 1
        value >>= 7
    end[0] = <unsigned char>value
    return end + 1


cdef uint64_t zigzag(int64_t value) noexcept nogil:
    return <uint64_t>value << 1 ^ <uint64_t>(value >> 63)
