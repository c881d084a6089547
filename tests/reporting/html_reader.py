"""A strict reader of a page: every element closed, as a tree that tests can ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}


@dataclass
class Element:
    """An element with its attributes, and what is in it: elements and texts."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def all(self, tag: str | None = None, **attributes: str) -> Iterator[Element]:
        """Yield the elements at any depth that have this tag and these attributes or classes."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in (None, child.tag) and all(child.has(key.rstrip("_"), v) for key, v in attributes.items()):
                    yield child
                yield from child.all(tag, **attributes)

    def first(self, tag: str | None = None, **attributes: str) -> Element:
        return next(self.all(tag, **attributes))

    def has(self, name: str, value: str) -> bool:
        own = self.attributes.get(name)
        return own == value or (name == "class" and value in (own or "").split())

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read_html(text: str) -> Element:
    """Return the tree of a page, which must be well formed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is not closed"
    return reader.open[0]
