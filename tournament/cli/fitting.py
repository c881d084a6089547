"""Tables and facts that fit a terminal without cutting a digit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

Cell = str | Text

# Widths in characters. A longer name is wrapped to the first before a column is dropped for it. Below the second, the
# columns that are dropped last are dropped, too.
_NAME, _NARROW_NAME = 24, 10
# `FittingTable.drop` of a column that is only dropped when names would be narrower than `_NARROW_NAME`.
LATE = 10


@dataclass(frozen=True)
class _Column:
    """A column of a table, with the arguments of `FittingTable.add_column`."""

    title: Cell
    is_left: bool
    drop: int | None


@dataclass
class FittingTable:
    """A table whose numbers are always whole.

    If it is too wide for a terminal, it first drops whole columns, then wraps the names. If it is still too wide, its
    lines are longer than the terminal's. In a pipe or a file lines are as wide as they need to be.

    Attributes:
        title: The line above the table, "" for none.
        caption: Text below it, "" for none.
        fits: Whether a terminal narrows the table.
        columns: The columns from left to right, see `add_column`.
        rows: The cells of each row, and whether a rule follows it. The rows are in order.
    """

    title: str
    caption: str = ""
    fits: bool = True
    columns: list[_Column] = field(default_factory=list)
    rows: list[tuple[Sequence[Cell], bool]] = field(default_factory=list)

    def add_column(self, title: Cell, *, drop: int | None = None, is_left: bool = False) -> None:
        """Add a column of numbers, or of names, at the right. Rows that were added before have an empty cell in it.

        Args:
            title: The heading.
            drop: When a narrow table drops the column: the lowest number first, and of equal ones the rightmost. From
                LATE on columns are only dropped when names would otherwise be too narrow. None: never.
            is_left: Whether the column has names. They start at the left and can be wrapped.
        """
        self.columns.append(_Column(title, is_left, drop))

    def add_row(self, *cells: Cell, ends_section: bool = False) -> None:
        """Add a row at the bottom. Cells can have several lines.

        Args:
            *cells: A cell for each column from the left. Missing ones are empty.
            ends_section: Whether a rule follows the row.
        """
        self.rows.append((cells, ends_section))

    def add_rows(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Add rows at the bottom, as `add_row` does, without rules."""
        self.rows += ((cells, False) for cells in rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = [column.title for column in self.columns]
        rows = [cells for cells, _ in self.rows]
        if any(len(cells) < len(heads) for cells in rows):
            rows = [[*cells, *[""] * (len(heads) - len(cells))] for cells in rows]
        columns: list[Sequence[Cell]] = list(zip(*rows)) or [()] * len(heads)
        widths = [max(_width(head), _column_width(cells)) for head, cells in zip(heads, columns)]
        room = options.max_width if console.is_terminal and self.fits else None
        visible = list(range(len(widths))) if room is None else self._fit(widths, room)
        widths = [widths[place] for place in visible]
        columns = [columns[place] for place in visible]
        is_left = [self.columns[place].is_left for place in visible]
        table_width = sum(widths) + 3 * (len(widths) - 1)
        across = max(table_width, min(room, 40)) if room is not None else None
        yield from _centred(self.title, table_width, across, Style(bold=True))
        yield from _row_segments([heads[place] for place in visible], widths, is_left, " ┃ ", Style(bold=True))
        yield Segment("━╇━".join("━" * width for width in widths) + "\n")
        if _are_plain(columns, widths) and not any(ends_section for _, ends_section in self.rows):
            padded = [_padded_column(*column) for column in zip(columns, widths, is_left)]
            yield Segment("".join(f"{' │ '.join(cells)}\n" for cells in zip(*padded)))
        else:
            rule = Segment("─┼─".join("─" * width for width in widths) + "\n")
            for row, (_, ends_section) in zip(zip(*columns), self.rows):
                yield from _row_segments(row, widths, is_left, " │ ")
                if ends_section:
                    yield rule
        yield from _centred(self.caption, table_width, across, Style(dim=True, italic=True))

    def _fit(self, widths: list[int], room: int) -> list[int]:
        """Return the indices of the columns to show, in order, and narrow the `widths` of names.

        Args:
            widths: Width of each column in characters. Those of names are changed.
            room: Width of the terminal in characters. The columns can still be wider than it.
        """
        visible = list(range(len(widths)))
        names = [place for place in visible if self.columns[place].is_left]

        def missing(name_width: int) -> int:
            """Return by how many characters a table with names of this width is too wide, 0 or less if it fits."""
            wide = sum(min(widths[place], name_width) if place in names else widths[place] for place in visible)
            return wide + 3 * (len(visible) - 1) - room

        for last, width in ((LATE - 1, _NAME), (99, _NARROW_NAME)):
            droppable = [place for place in visible if (drop := self.columns[place].drop) is not None and drop <= last]
            for place in sorted(droppable, key=lambda place: (self.columns[place].drop, -place)):
                if missing(width) <= 0:
                    break
                visible.remove(place)
        # The longest names are narrowed first.
        limit = max((widths[place] for place in names), default=1)
        while limit > 1 and missing(limit) > 0:
            limit -= 1
        for place in names:
            widths[place] = min(widths[place], limit)
        return visible


def _split_text(cell: Cell) -> list[str]:
    """Return the lines of a cell."""
    return str(cell).split("\n")


def _width(cell: Cell) -> int:
    """Return the width of a cell's widest line in characters of the terminal."""
    return max(map(cell_len, _split_text(cell)))


def _is_simple(cells: Sequence[Cell]) -> bool:
    """Return whether the cells of a column are text without a style, a line of ASCII each."""
    return all(type(cell) is str and cell.isascii() and "\n" not in cell for cell in cells)


def _column_width(cells: Sequence[Cell]) -> int:
    """Return the width of the widest cell of a column, 0 without cells."""
    return max(map(len if _is_simple(cells) else _width, cells), default=0)


def _are_plain(columns: Sequence[Sequence[Cell]], widths: Sequence[int]) -> bool:
    """Return whether columns can be drawn as one text, which takes a tenth of the time: they matter in lists."""
    return all(_is_simple(cells) and max(map(len, cells), default=0) <= width for cells, width in zip(columns, widths))


def _padded_column(cells: Sequence[Cell], width: int, is_left: bool) -> list[str]:
    """Return the cells of a column, padded to its width.

    Args:
        cells: The cells, which must be simple, as `_is_simple` says.
        width: Width of the column in characters.
        is_left: Whether cells start at the left.
    """
    return [f"{cell:<{width}}" for cell in cells] if is_left else [f"{cell:>{width}}" for cell in cells]


def _row_segments(
    cells: Sequence[Cell], widths: Sequence[int], is_left: Sequence[bool], between: str, style: Style | None = None
) -> Iterator[Segment]:
    """Yield the segments of a row, which has as many lines as its tallest cell.

    Args:
        cells: A cell for each column.
        widths: Width of each column in characters. Wider cells are wrapped.
        is_left: Whether the cells of each column start at the left.
        between: Text between columns.
        style: Style of lines of cells that have none of their own. None for none.
    """
    columns = [_wrap_cell(cell, width) for cell, width in zip(cells, widths)]
    for line in range(max(map(len, columns))):
        for place, (column, width, left) in enumerate(zip(columns, widths, is_left)):
            text, own = column[line] if line < len(column) else ("", None)
            if place:
                yield Segment(between)
            yield Segment(_padded(text, width, left), own or style)
        yield Segment("\n")


def _padded(text: str, width: int, is_left: bool) -> str:
    """Return a text, padded to a width."""
    blank = " " * (width - cell_len(text))
    return text + blank if is_left else blank + text


def _wrap_cell(cell: Cell, width: int) -> list[tuple[str, Style | None]]:
    """Return the lines of a cell, none wider than `width`, with the style of each."""
    styled: list[tuple[str, Style | None]] = []
    text = Text(cell) if isinstance(cell, str) else cell
    if "\n" not in text.plain and cell_len(text.plain) <= width and not text.spans:
        return [(text.plain, _style(text.style))]
    for line in text.split("\n", allow_blank=True):
        style = _style(line.spans[0].style if line.spans else text.style)
        styled += [(part.plain.rstrip(), style) for part in line.wrap(_WRAPPING, width, overflow="fold")]
    return styled


_WRAPPING = Console(file=None, width=1_000)


def _style(style: str | Style) -> Style | None:
    """Return a style, parsed if it is text, or None if it is empty."""
    return style if isinstance(style, Style) else Style.parse(style) if style else None


def _centred(text: str, table_width: int, across: int | None, style: Style) -> Iterator[Segment]:
    """Yield lines of text in the middle of a table, nothing for "".

    Args:
        text: The text.
        table_width: Width of the table in characters.
        across: Width in characters at which the text is wrapped. None: it is not.
        style: Style of the text.
    """
    if text:
        lines = [text] if across is None else [one.plain.rstrip() for one in Text(text).wrap(_WRAPPING, across)]
        for line in lines:
            yield Segment(" " * max(0, (table_width - cell_len(line)) // 2) + line, style)
            yield Segment("\n")


class Facts:
    """Labels with their values, a line each, in the order of `add_row`. A terminal wraps values beside their labels."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, Text]] = []

    def add_row(self, label: str, value: Cell) -> None:
        """Add a value, which can have several lines. With the label "" it continues the value above.

        A Text isn't copied. Printing removes spaces from the ends of its lines.
        """
        self.rows.append((label, Text(value) if isinstance(value, str) else value))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max((len(label) for label, _ in self.rows), default=0) + 2
        for label, value in self.rows:
            room = max(10, options.max_width - width)
            lines = [
                part
                for line in value.split("\n", allow_blank=True)
                for part in (line.wrap(console, room, overflow="fold") if console.is_terminal else [line])
            ]
            for number, line in enumerate(lines):
                line.rstrip()
                yield Segment(f"{label if number == 0 else '':{width}}", Style(bold=True))
                yield from line.render(console)
                yield Segment("\n")
