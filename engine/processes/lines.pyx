"""A contest's questions as lines of text, and the lines that answer them."""

cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp, memcpy

from engine.kernel.limits cimport MOST_ARGUMENTS, MOST_VIEW_BYTES


@cython.final
cdef class QuestionLines:
    """For each question the segments of its line and the words that answer it, as
    `tournament.worker.processes.lines` makes them.

    Raises ValueError for more of them, or longer ones, than there is room for.
    """

    def __init__(self, lines):
        cdef Line* line
        cdef bytes text
        if len(lines) > MOST_QUESTIONS:
            raise ValueError(f"lines of {len(lines)} questions, at most {int(MOST_QUESTIONS)} are possible")
        for number, (segments, words) in enumerate(lines):
            line = &self.lines[number]
            if len(segments) > MOST_SEGMENTS or len(words) > MOST_WORDS:
                raise ValueError("a line of more pieces than there is room for")
            for _, _, text in segments:
                check_length(text)
            for text, _, _ in words:
                check_length(text)
            for i, (kind, place, text) in enumerate(segments):
                if not 0 <= place < (MOST_ARGUMENTS if kind == ARGUMENT else MOST_VIEW_BYTES - 7):
                    raise ValueError("a piece of a line that shows what is not there")
                line.segments[i].kind = kind
                line.segments[i].number = place
                line.segments[i].length = <int>len(text)
                memcpy(line.segments[i].text, <const char*>text, len(text))
            line.segment_count = <int>len(segments)
            for i, (text, takes_number, value) in enumerate(words):
                line.words[i].length = <int>len(text)
                line.words[i].takes_number = takes_number
                line.words[i].value = value
                memcpy(line.words[i].text, <const char*>text, len(text))
            line.word_count = <int>len(words)

    cdef size_t write(self, char* target, const Decision* decision, const unsigned char* view) noexcept nogil:
        """Write the line that asks for a decision; returns its length, at most LONGEST_QUESTION, which must fit."""
        cdef const Line* line = &self.lines[decision.kind]
        cdef const Segment* segment
        cdef const void* field
        cdef size_t size = 0
        cdef int i
        for i in range(line.segment_count):
            segment = &line.segments[i]
            field = view + segment.number
            if segment.kind == TEXT:
                memcpy(target + size, segment.text, segment.length)
                size += segment.length
            elif segment.kind == ARGUMENT:
                size += snprintf(target + size, 32, "%lld", <long long>decision.arguments[segment.number])
            elif segment.kind == c"f":
                size += snprintf(target + size, 32, "%.9g", <double>(<const float*>field)[0])
            elif segment.kind == c"d":
                size += snprintf(target + size, 32, "%.17g", (<const double*>field)[0])
            elif segment.kind == c"q":
                size += snprintf(target + size, 32, "%lld", <long long>(<const int64_t*>field)[0])
            else:
                size += snprintf(target + size, 32, "%d", (<const int32_t*>field)[0])
        return size

    cdef const char* read(self, int kind, const char* text, size_t size, int64_t* answer) noexcept nogil:
        """Read a line: ACTION, a word, and a number for words that take one; a number alone for a question without
        words. Returns what is wrong with it, or NULL.

        `text` is all that the program wrote since it was asked.
        """
        cdef const Line* line = &self.lines[kind]
        cdef const Word* word
        cdef const char* line_end = <const char*>memchr(text, c"\n", size)
        cdef int length, start, end, i
        cdef int64_t value
        if line_end == NULL or line_end - text > MOST_LINE_BYTES:
            return b"wrote an over-long line: "
        if line_end != text + size - 1:
            return b"answered before it was asked: "
        length = <int>(line_end - text)
        if length and text[length - 1] == c"\r":
            length -= 1
        start = next_word(text, length, 0, &end)
        if end - start != 6 or memcmp(text + start, b"ACTION", 6) != 0:
            return b"wrote what is no ACTION: "
        start = next_word(text, length, end, &end)
        if line.word_count == 0:
            if not read_number(text + start, end - start, &value):
                return b"wrote no whole number: "
            start = next_word(text, length, end, &end)
            if start == end:
                answer[0] = value
                return NULL
        for i in range(line.word_count):
            word = &line.words[i]
            if end - start == word.length and memcmp(text + start, word.text, word.length) == 0:
                value = word.value
                if word.takes_number:
                    start = next_word(text, length, end, &end)
                    if not read_number(text + start, end - start, &value):
                        return b"wrote no whole number: "
                start = next_word(text, length, end, &end)
                if start != end:
                    break
                answer[0] = value
                return NULL
        return b"wrote an ACTION that is none: "


cdef check_length(bytes text):
    if len(text) > MOST_PIECE:
        raise ValueError(f"a piece of a line is longer than {int(MOST_PIECE)} characters: {text}")


cdef int next_word(const char* text, int size, int start, int* end) noexcept nogil:
    """Where the next word begins; `end` becomes where it ends, the same when there is none."""
    while start < size and (text[start] == c" " or text[start] == c"\t"):
        start += 1
    end[0] = start
    while end[0] < size and text[end[0]] != c" " and text[end[0]] != c"\t":
        end[0] += 1
    return start


cdef bint read_number(const char* text, int length, int64_t* value) noexcept nogil:
    """A whole number in decimal; one that is too large becomes the largest."""
    cdef int i = 0
    cdef bint negative = False
    cdef int64_t number = 0
    if length and (text[0] == c"-" or text[0] == c"+"):
        negative = text[0] == c"-"
        i = 1
    if i == length:
        return False
    while i < length:
        if text[i] < c"0" or text[i] > c"9":
            return False
        number = number * 10 + (text[i] - c"0") if number < INT64_MAX // 10 - 1 else INT64_MAX - 10
        i += 1
    value[0] = -number if negative else number
    return True
