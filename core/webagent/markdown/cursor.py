"""A cursor in a line, with its position in characters and in columns.

The two differ because of tabs. A tab extends to the next multiple of four columns, and a container
may consume only some of them.
"""

from __future__ import annotations


class Cursor:
    """A position in a line, which moves from left to right.

    Attributes:
        text: The line without its line end.
        start: Offset of the line.
        number: Its 0-based number.
        next: Index of the next character that is not blank.
        indent: Columns of white space before that character.
        blank: Whether only white space is left.
    """

    __slots__ = (
        "_column",
        "_index",
        "_index_column",
        "blank",
        "indent",
        "next",
        "number",
        "start",
        "text",
    )

    def __init__(self, text: str, start: int, number: int) -> None:
        self.text = text
        self.start = start
        self.number = number
        # The position as a column, and the last index whose column is known. `skip` moves only the
        # column, as it may end inside a tab.
        self._column = self._index = self._index_column = 0
        self.next = self.indent = 0
        if text:
            self.blank = False
            if text[0] in " \t":
                self._find_next()
        else:
            self.blank = True

    def _find_next(self) -> None:
        """Set `next`, `indent` and `blank` for the current position."""
        text, index, column = self.text, self._index, self._column
        end = len(text)
        while index < end:
            character = text[index]
            if character == " ":
                column += 1
            elif character == "\t":
                column += 4 - column % 4
            else:
                break
            index += 1
        self.next = index
        self.indent = column - self._column
        self.blank = index == end

    def skip(self, columns: int) -> None:
        """Consume white space, up to a number of columns."""
        columns = min(columns, self.indent)
        self._column += columns
        self.indent -= columns

    def take(self, characters: int) -> None:
        """Consume the white space and a number of characters after it, which must not be tabs."""
        self._column += self.indent + characters
        self._index = self.next + characters
        self._index_column = self._column
        self._find_next()

    @property
    def character(self) -> str:
        """The first character that is not blank."""
        return self.text[self.next]

    @property
    def rest(self) -> str:
        """The rest of the line, without the white space before it."""
        return self.text[self.next :] if self.next else self.text

    @property
    def raw(self) -> tuple[str, int]:
        """The rest of the line with its white space, and its offset. Part of a tab becomes spaces."""
        text, index, column = self.text, self._index, self._index_column
        if not self._column:
            return text, self.start
        while column < self._column:
            column += 4 - column % 4 if text[index] == "\t" else 1
            index += 1
        width = column - self._column
        return " " * width + text[index:], self.start + index - width

    @property
    def offset(self) -> int:
        """Offset of the first character that is not blank."""
        return self.start + self.next

    @property
    def end(self) -> int:
        """Offset of the end of the line."""
        return self.start + len(self.text)
