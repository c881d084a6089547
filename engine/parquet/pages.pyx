"""Columns as the pages of a Parquet file, each with its checksum.

Apache Parquet, "Parquet Format" 2.12: README.md (pages), Encodings.md, src/main/thrift/parquet.thrift. A column of a
row group, its chunk, is one data page here, of version 1 and without nulls, after a dictionary page where it has one.
These of the format's encodings are quick to write, and small:

- whole numbers that lie within 256 of one another: a dictionary of all numbers from the least to the greatest, so
  that a value's index is its distance from the least. An index takes 1, 2, 4 or 8 bits. Equal numbers are one run.
- other whole numbers: the differences of neighbours (DELTA_BINARY_PACKED), where these take less room.
- flags: a bit each. All else is plain.
"""

from zlib import crc32

from cpython.buffer cimport PyBUF_READ
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

cimport numpy as cnp

from engine.kernel.memory cimport grown

cnp.import_array()

cdef extern from "crc32.h" nogil:
    size_t crc32_fold(const unsigned char* content, size_t size, unsigned char* folded)

# parquet.thrift: enum Encoding
PLAIN = 0
RLE = 3
DELTA_BINARY_PACKED = 5
RLE_DICTIONARY = 8

# A page's size must be a whole number of 32 bits, and its plain values may take 8 bytes.
MOST_ROWS = 1 << 27

cdef enum:
    DATA_PAGE = 0           # parquet.thrift: enum PageType
    DICTIONARY_PAGE = 2
    PIECE = 1024            # indices that are narrowed at once, in the processor's nearest cache
    BLOCK = 128             # differences that share a least one
    MINIBLOCK = 32          # differences of a block that share a width
    MINIBLOCKS = 4          # of a block; as a quotient it crashes Cython 3.3 where divisions are checked
    MOST_BLOCK_BYTES = 10 + MINIBLOCKS * (1 + 4 * MINIBLOCK)
    BLOCKS_ON_TRIAL = 4     # after as many, differences are given up if they take more than the alternative
    MOST_RUN_HEADER = 16    # bytes
    MOST_HEADER = 64
    THRIFT_I32 = 5
    THRIFT_STRUCT = 12

# Eight bytes of 0 or 1, times this, have their lowest bits in order in the highest byte.
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


cdef class Chunk:
    """A column of a row group: its bytes are `prefix`, then `payload`.

    The first `dictionary_bytes` of them are a dictionary page. `least` and `greatest` are None unless the column has
    whole numbers. The payload is the column's memory or the encoder's, and is valid until that changes.
    """

    cdef readonly bytes prefix
    cdef readonly object payload
    cdef readonly int64_t dictionary_bytes
    cdef readonly tuple encodings
    cdef readonly object least
    cdef readonly object greatest


cdef class PageEncoder:
    """Encodes one column after the other, in memory that it keeps."""

    cdef unsigned char* content
    cdef size_t capacity

    def __dealloc__(self):
        free(self.content)

    def encode(self, values, bint flags=False):
        """A Chunk of a numpy array of one dimension, aligned and without gaps, of 1 to MOST_ROWS values.

        `flags` are bytes, true where they aren't 0. Raises ValueError for another array, TypeError for a type that
        is neither whole numbers nor floats.
        """
        if not cnp.PyArray_Check(values):
            raise TypeError("a column is a numpy array")
        cdef cnp.ndarray array = values
        cdef int64_t rows = array.size
        if array.ndim != 1 or not cnp.PyArray_ISCARRAY_RO(array) or not 0 < rows <= MOST_ROWS:
            raise ValueError(f"a column has one dimension, no gaps, and 1 to {MOST_ROWS:,} values")
        cdef int kind = cnp.PyArray_TYPE(array)
        cdef const void* content = cnp.PyArray_DATA(array)
        if flags:
            if cnp.PyArray_ITEMSIZE(array) != 1:
                raise TypeError(f"flags are bytes, not {array.dtype}")
            return flag_chunk(self, <const uint8_t*>content, rows)
        if kind == cnp.NPY_INT8:
            return number_chunk(self, array, <const int8_t*>content, rows)
        if kind == cnp.NPY_UINT8:
            return number_chunk(self, array, <const uint8_t*>content, rows)
        if kind == cnp.NPY_INT16:
            return number_chunk(self, array, <const int16_t*>content, rows)
        if kind == cnp.NPY_UINT16:
            return number_chunk(self, array, <const uint16_t*>content, rows)
        if kind == cnp.NPY_INT32:
            return number_chunk(self, array, <const int32_t*>content, rows)
        if kind == cnp.NPY_UINT32:
            return number_chunk(self, array, <const uint32_t*>content, rows)
        if kind == cnp.NPY_INT64:
            return number_chunk(self, array, <const int64_t*>content, rows)
        if kind == cnp.NPY_UINT64:
            return number_chunk(self, array, <const uint64_t*>content, rows)
        if kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64:
            return unchanged_chunk(self, array, rows)
        raise TypeError(f"{array.dtype} is no column's type")

    cdef unsigned char* room(self, size_t size) except NULL:
        if not grown(<void**>&self.content, &self.capacity, size, 1):
            raise MemoryError
        return self.content

    cdef Chunk chunk(self, int64_t size, int64_t rows, int encoding):
        """A data page, whose content is the first bytes of the encoder's memory."""
        cdef Chunk made = Chunk()
        made.prefix = page_header(DATA_PAGE, self.content, size, rows, encoding)
        made.payload = PyMemoryView_FromMemory(<char*>self.content, size, PyBUF_READ)
        made.encodings = (encoding,)
        return made


cdef bytes page_header(int type, const unsigned char* content, int64_t size, int64_t rows, int encoding):
    """A PageHeader, for a page's bytes and number of values, in Thrift's compact protocol.

    Of a struct's field, the upper four bits tell how far its number is from the one before, the lower ones its type.
    """
    cdef unsigned char text[MOST_HEADER]
    cdef unsigned char* end = text
    cdef int32_t fields[4]
    fields[:] = [type, <int32_t>size, <int32_t>size, <int32_t>checksum(content, size)]
    for field in fields:
        end = put_field(end, field)
    end[0] = (3 if type == DICTIONARY_PAGE else 1) << 4 | THRIFT_STRUCT
    end = put_field(end + 1, rows)
    end = put_field(end, encoding)
    if type == DATA_PAGE:  # how the levels of nulls and of lists would be encoded
        end = put_field(put_field(end, RLE), RLE)
    end[0] = end[1] = 0  # the ends of both structs
    return text[:end + 2 - text]


cdef unsigned char* put_field(unsigned char* end, int64_t value) noexcept:
    """The next field of a struct, a whole number of 32 bits."""
    end[0] = 1 << 4 | THRIFT_I32
    return put_varint(end + 1, zigzag(value))


cdef uint32_t checksum(const unsigned char* content, int64_t size) except? 0:
    """A page's CRC-32: by zlib, after folding most of the page. zlib alone takes four times as long."""
    cdef unsigned char folded[16]
    cdef size_t done
    with nogil:
        done = crc32_fold(content, size, folded)
    before = crc32(folded[:16], 0xFFFFFFFF) if done else 0
    return crc32(PyMemoryView_FromMemory(<char*>content + done, size - done, PyBUF_READ), before)


cdef Chunk flag_chunk(PageEncoder encoder, const uint8_t* values, int64_t rows):
    cdef int64_t size = (rows + 7) // 8
    cdef unsigned char* content = encoder.room(size)
    cdef uint64_t last = 0
    cdef int64_t i
    with nogil:
        for i in range(rows // 8):
            content[i] = eight_flags(values + 8 * i)
        if rows % 8:
            memcpy(&last, values + 8 * (size - 1), rows % 8)
            content[size - 1] = eight_flags(<const uint8_t*>&last)
    return encoder.chunk(size, rows, PLAIN)


cdef inline unsigned char eight_flags(const uint8_t* values) noexcept nogil:
    cdef uint64_t eight
    memcpy(&eight, values, 8)
    eight = ((eight & 0x7F7F7F7F7F7F7F7FULL) + 0x7F7F7F7F7F7F7F7FULL | eight) >> 7 & 0x0101010101010101ULL
    return <unsigned char>(eight * GATHER >> 56)


cdef Chunk unchanged_chunk(PageEncoder encoder, cnp.ndarray array, int64_t rows):
    cdef Chunk made = Chunk()
    cdef int64_t size = rows * cnp.PyArray_ITEMSIZE(array)
    made.prefix = page_header(DATA_PAGE, <const unsigned char*>cnp.PyArray_DATA(array), size, rows, PLAIN)
    made.payload = memoryview(array).cast("B")
    made.encodings = (PLAIN,)
    return made


cdef Chunk number_chunk(PageEncoder encoder, cnp.ndarray array, const Integer* values, int64_t rows):
    cdef int64_t entry = 8 if sizeof(Integer) == 8 else 4   # bytes of a plain value
    cdef Integer least, greatest
    cdef uint64_t distance
    cdef int width
    cdef int64_t size, indices_size
    cdef unsigned char* content
    cdef Chunk made
    with nogil:
        find_limits(values, rows, &least, &greatest)
    distance = <uint64_t>greatest - <uint64_t>least
    width = 1 if distance < 2 else 2 if distance < 4 else 4 if distance < 16 else 8
    indices_size = (rows + 7) // 8 * width if distance < 256 else rows * entry
    size = 0
    if sizeof(Integer) > 1 and 0 < distance < 1 << 31 and is_signed_alike(greatest):
        content = encoder.room(indices_size + (BLOCKS_ON_TRIAL + 1) * MOST_BLOCK_BYTES)
        with nogil:
            size = put_differences(values, rows, content, indices_size)
    if size:
        made = encoder.chunk(size, rows, DELTA_BINARY_PACKED)
    elif distance < 256:
        content = encoder.room(indices_size + MOST_RUN_HEADER)
        with nogil:
            size = put_indices(values, rows, least, distance, width, content)
        made = encoder.chunk(size, rows, RLE_DICTIONARY)
        add_dictionary(encoder, made, least, <int>distance + 1)
    elif sizeof(Integer) >= 4:
        made = unchanged_chunk(encoder, array, rows)
    else:
        content = encoder.room(indices_size)
        with nogil:
            widen(values, rows, <int32_t*>content)
        made = encoder.chunk(indices_size, rows, PLAIN)
    made.least = least
    made.greatest = greatest
    return made


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
    """Whether a number stays the same as a signed one, as which the format stores it."""
    if Integer is uint32_t:
        return greatest < <uint32_t>1 << 31
    elif Integer is uint64_t:
        return greatest < <uint64_t>1 << 63
    else:
        return True


cdef void widen(const Integer* values, int64_t rows, int32_t* wide) noexcept nogil:
    cdef int64_t i
    for i in range(rows):
        wide[i] = <int32_t>values[i]


cdef int add_dictionary(PageEncoder encoder, Chunk data, Integer least, int entries) except -1:
    """Put a dictionary page before a data page: so many numbers from the least on."""
    cdef int32_t narrow[256]
    cdef int64_t wide[256]
    cdef int i
    cdef const unsigned char* content = <const unsigned char*>narrow
    cdef int64_t size = entries * 4
    for i in range(entries):
        narrow[i] = <int32_t>(<uint32_t>least + <uint32_t>i)
        wide[i] = <int64_t>(<uint64_t>least + <uint64_t>i)
    if sizeof(Integer) == 8:
        content = <const unsigned char*>wide
        size = entries * 8
    cdef bytes page = page_header(DICTIONARY_PAGE, content, size, entries, PLAIN) + content[:size]
    data.dictionary_bytes = len(page)
    data.prefix = page + data.prefix
    data.encodings = (PLAIN, RLE_DICTIONARY)
    return 0


cdef int64_t put_indices(
    const Integer* values, int64_t rows, Integer least, uint64_t distance, int width, unsigned char* content
) noexcept nogil:
    """Write the indices' width, then them as one run, of equal indices or of groups of eight. Returns the size."""
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
    """Eight values of 1, 2 or 4 bits, the first one lowest."""
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
    """Write the differences of neighbours, each block's above its least. Returns the size, 0 when over the limit."""
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
    """Write a block of differences that are 0 or 1, but not all the same. False if it has others."""
    cdef uint8_t flags[BLOCK]
    cdef uint32_t step, bits_of_any = 0, bits_of_all = 1
    cdef int i
    for i in range(BLOCK):
        step = <uint32_t>values[i + 1] - <uint32_t>values[i]
        bits_of_any |= step
        bits_of_all &= step
        flags[i] = <uint8_t>step
    if bits_of_any > 1 or bits_of_any == bits_of_all:
        return False
    end[0][0] = 0  # the least of them
    memset(end[0] + 1, 1, MINIBLOCKS)
    end[0] += 1 + MINIBLOCKS
    for i in range(BLOCK // 8):
        put_eight(flags + 8 * i, 1, end[0] + i)
    end[0] += BLOCK // 8
    return True


cdef unsigned char* put_miniblock(const uint32_t* values, int width, unsigned char* end) noexcept nogil:
    """Write values of so many bits, the first one lowest. Returns the end."""
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
