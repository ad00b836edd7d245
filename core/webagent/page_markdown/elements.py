"""The open elements of a page, as far as it matters what is inside of what.

Browsers mend broken nesting by many rules. Here an element ends at the same place, or later: what
is inside a part that is closed to agents is never taken for something outside of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

VOID = frozenset(
    [
        "area",
        "base",
        "basefont",
        "bgsound",
        "br",
        "col",
        "colgroup",
        "embed",
        "frame",
        "frameset",
        "hr",
        "img",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
"""Elements without content, or whose content is around them."""
CLOSING_P = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "ul",
    ]
)
"""Elements before which a paragraph ends."""
_ITEMS = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
_SPECIAL = (
    CLOSING_P
    | _ITEMS.keys()
    | frozenset(
        [
            "applet",
            "button",
            "caption",
            "iframe",
            "marquee",
            "object",
            "select",
            "tbody",
            "td",
            "template",
            "tfoot",
            "th",
            "thead",
            "tr",
        ]
    )
)
"""Elements that only end tags of such elements close through."""
_PASSED = frozenset(("address", "div", "p"))
"""Those through which the next item of a list closes the one before, too."""
_SCOPES = frozenset(
    [
        "annotation-xml",
        "applet",
        "button",
        "caption",
        "desc",
        "foreignobject",
        "marquee",
        "math",
        "mi",
        "mn",
        "mo",
        "ms",
        "mtext",
        "object",
        "select",
        "svg",
        "table",
        "td",
        "th",
    ]
)
"""Elements from within which nothing around them is closed."""
_CELLS: tuple[str, ...] = ("caption", "td", "th")
_ROWS: tuple[str, ...] = (*_CELLS, "tr")
_GROUPS: tuple[str, ...] = (*_ROWS, "tbody", "tfoot", "thead")
_ENDED_BY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("td", "th"), _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(("caption", "tbody", "tfoot", "thead"), _GROUPS),
}
"""The parts of a table that end where another one begins."""
_FORMATTING = frozenset(
    [
        "a",
        "b",
        "big",
        "code",
        "em",
        "font",
        "i",
        "nobr",
        "s",
        "small",
        "strike",
        "strong",
        "tt",
        "u",
    ]
)
"""Elements that browsers open again after an element around them has ended."""


@dataclass(slots=True)
class Element:
    """An open element."""

    name: str
    hides: bool
    """Whether nothing of it is read."""
    shown: bool = True
    """Whether it was read when it began."""
    around: int = 0
    """How many elements around it hide their content."""
    href: str = ""
    outside: tuple[int, int] | None = None
    """How many containers and lists are around it, if it adds to them."""


@dataclass(slots=True)
class _Scope:
    """The elements among which an end tag looks for its own."""

    start: int
    """The place of the element that began it."""
    names: Counter[str] = field(default_factory=Counter)


class OpenElements:
    """The open elements, the innermost last."""

    def __init__(self) -> None:
        self._elements: list[Element] = []
        self._scopes = [_Scope(-1)]
        """Of special elements."""
        self._spans = [_Scope(-1)]
        """Of others."""
        self._tables: list[_Scope] = []
        """Of the parts of tables."""
        self._items: list[int] = []
        """The places of what may be an item, or is around its list."""
        self.hidden = 0
        """How many elements that hide their content are around the present place."""

    @property
    def tables(self) -> int:
        """How many tables are around the present place."""
        return len(self._tables)

    def takes(self, name: str) -> bool:
        """Whether an element may begin here: the parts of a table only in one."""
        return name not in _ENDED_BY or bool(self._tables)

    def push(self, element: Element) -> None:
        """Open an element."""
        place, name = len(self._elements), element.name
        self._among(name).names[name] += 1
        if name == "table":
            self._tables.append(_Scope(place))
        if name in _SCOPES:
            self._scopes.append(_Scope(place))
        if name in _SPECIAL or name in _SCOPES:
            self._spans.append(_Scope(place))
        if name in _SPECIAL and name not in _PASSED:
            self._items.append(place)
        element.around = self.hidden
        self._elements.append(element)
        self.hidden += element.hides

    def _among(self, name: str) -> _Scope:
        """Return the elements among which those of a name are found."""
        if name in _ENDED_BY:
            return self._tables[-1]
        # An item is not closed from within another list.
        return self._scopes[-1] if name in _SPECIAL and name != "li" else self._spans[-1]

    def before(self, name: str) -> Iterator[Element]:
        """Close what ends where an element begins, and yield it from the inside out."""
        if self._items:
            item = self._elements[self._items[-1]].name
            if item in _ITEMS.get(name, ()):
                yield from self._close(place=self._items[-1])
        if (name in CLOSING_P or name in _ITEMS) and self._scopes[-1].names["p"]:
            yield from self._close(name="p")
        for part in _ENDED_BY.get(name, ()):
            if self._tables[-1].names[part]:
                yield from self._close(name=part)

    def end(self, name: str) -> Iterator[Element]:
        """Close what an end tag closes, and yield it from the inside out."""
        if name == "table":
            if self._tables:
                yield from self._close(place=self._tables[-1].start)
            return
        if name in _ENDED_BY and not self._tables:
            return
        among = self._among(name)
        if name == "form":
            # Where its content is not closed, browsers let it go on in it.
            if self._elements and self._elements[-1].name == "form":
                yield from self._close(name=name)
        elif among.names[name]:
            yield from self._close(name=name)
        elif (
            among.start >= 0
            and (scope := self._elements[among.start]).name == name
            # Browsers may have ended it before: no part in it that is closed ends with it.
            and self.hidden <= scope.around + scope.hides
        ):
            yield from self._close(place=among.start)

    def end_all(self) -> Iterator[Element]:
        """Close everything."""
        while self._elements:
            yield self._pop()

    def _close(self, *, name: str = "", place: int = -1) -> Iterator[Element]:
        """Close the innermost element of a name, or the one at a place, and what is in it."""
        again: dict[str, Element] = {}
        while True:
            element = self._pop()
            yield element
            if element.name == name or len(self._elements) == place:
                break
            if element.hides and element.name in _FORMATTING:
                again[element.name] = Element(element.name, hides=True, shown=False)
        for element in again.values():
            self.push(element)

    def _pop(self) -> Element:
        element = self._elements.pop()
        place, name = len(self._elements), element.name
        if self._items and self._items[-1] == place:
            self._items.pop()
        if self._scopes[-1].start == place:
            self._scopes.pop()
        if self._spans[-1].start == place:
            self._spans.pop()
        if name == "table":
            self._tables.pop()
        self._among(name).names[name] -= 1
        self.hidden -= element.hides
        return element
