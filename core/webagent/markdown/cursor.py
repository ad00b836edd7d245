"""A line and how far it has been read, in characters and in columns.

Columns matter because a tab reaches to the next multiple of four, and a container may take only
some of its columns.
"""

from __future__ import annotations


class Cursor:
    """A line that is being read from left to right.

    Attributes:
        text: The line without its line end.
        start: Offset of the line.
        number: Its 0-based number.
        next: Index of the first character that is not blank, from where it was read to.
        indent: Columns of white space before that character.
        blank: Whether nothing but white space is left.
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
        # Up to here it was read: a column, and the last index whose column is known.
        self._column = self._index = self._index_column = 0
        self.next = self.indent = 0
        if text:
            self.blank = False
            if text[0] in " \t":
                self._look()
        else:
            self.blank = True

    def _look(self) -> None:
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
        """Read up to so many columns of white space."""
        columns = min(columns, self.indent)
        self._column += columns
        self.indent -= columns

    def take(self, characters: int) -> None:
        """Read the white space and so many characters after it; they are no tabs."""
        self._column += self.indent + characters
        self._index = self.next + characters
        self._index_column = self._column
        self._look()

    @property
    def character(self) -> str:
        """The first character that is not blank."""
        return self.text[self.next]

    @property
    def rest(self) -> str:
        """What is left after the white space."""
        return self.text[self.next :] if self.next else self.text

    @property
    def raw(self) -> tuple[str, int]:
        """What is left with its white space, and its offset; part of a tab becomes spaces."""
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
