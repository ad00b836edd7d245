"""Whether the source text of a function shows that a call changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from webagent.checks.sample_code.javascript import Code, Kind, Token, read_code
from webagent_dev.extract.function_code import CONTROL


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORDS = _listed(
    "if for while switch catch function return typeof await async of in case else do new throw"
)
"""Words before a parenthesis that is not that of a call."""
_FUNCTIONS = _listed(
    """String Number Boolean BigInt Array Object Date parseInt parseFloat isNaN isFinite
    structuredClone encodeURIComponent decodeURIComponent encodeURI decodeURI"""
)
_MADE = _listed(
    """Array Date Error Headers Intl Map RangeError RegExp Set TypeError URL URLSearchParams
    AbortController NumberFormat DateTimeFormat Collator"""
)
"""Classes whose objects may be made with `new`."""
_METHODS = _listed(
    """abs all at catch ceil charAt charCodeAt closest codePointAt concat endsWith entries every
    filter finally find findIndex findLast findLastIndex flat flatMap floor forEach format from
    fromEntries get getAll getAttribute getDate getDay getElementById getFullYear getHours getItem
    getMinutes getMonth getSeconds getTime has hasOwn includes indexOf isArray isInteger join json
    keys lastIndexOf localeCompare map match matchAll matches max min normalize now of padEnd
    padStart parse querySelector querySelectorAll reduce reduceRight repeat replace replaceAll
    resolve round slice some split startsWith stringify substring test text then toFixed toISOString
    toJSON toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString toLowerCase
    toReversed toSorted toSpliced toString toUpperCase trim trimEnd trimStart trunc valueOf values
    with"""
)
"""Methods that change neither their object nor the page; the code of callbacks is judged itself."""
_FILLING = _listed("push unshift add set append sort reverse splice")
"""Methods that change their object, which may be one that the function made."""
_ASSIGNS = _listed("= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=")


def changes_nothing(code: str) -> bool:
    """Whether every call and every assignment in a function is known to change nothing outside it.

    A function that this cannot judge is taken for one that changes something.
    """
    read = read_code(code)
    return read.fault is None and bool(read.tokens) and _Judge(read).is_harmless()


class _Judge:
    """Looks at the tokens of a function once."""

    def __init__(self, code: Code) -> None:
        self._tokens: Sequence[Token] = code.tokens
        self._closes = code.closes
        self._opens = {close: opening for opening, close in code.closes.items()}
        self._own = {
            token.text
            for index, token in enumerate(self._tokens)
            if token.kind is Kind.NAME and self._text(index - 1) in ("const", "let", "var")
        }
        """The names that the function declares."""

    def is_harmless(self) -> bool:
        return all(self._harmless(index, token) for index, token in enumerate(self._tokens))

    def _harmless(self, index: int, token: Token) -> bool:
        before = self._text(index - 1)
        if token.kind is Kind.TEMPLATE:
            # A name right before it makes it a call.
            return token.text[0] != "`" or not self._is_value(index - 1)
        if token.kind is Kind.NAME:
            return token.text not in ("delete", "import", "eval", "debugger") or before == "."
        if token.text in ("++", "--"):
            return self._is_own(index - 1) or self._is_own(index + 1)
        if token.text in _ASSIGNS:
            return self._is_declared(index - 1) if token.text == "=" else self._is_own(index - 1)
        return token.text != "(" or self._is_harmless_call(index)

    def _is_declared(self, at: int) -> bool:
        """Whether what is assigned to is a name of the function's own, or a default in a pattern."""
        if self._is_own(at):
            return True
        opening = self._opens.get(at)
        if opening is not None:
            return self._is_pattern(opening)
        outer = self._outer(at)
        return self._tokens[at].kind is Kind.NAME and (
            self._is_parameters(outer) or self._is_pattern(outer)
        )

    def _is_pattern(self, opening: int) -> bool:
        """Whether a bracket is one of a pattern that declares names: `const { a, b } =`."""
        if self._text(opening) not in ("{", "["):
            return False
        outer = self._outer(opening)
        declared = self._text(opening - 1) in ("const", "let", "var")
        return declared or self._is_parameters(outer) or self._is_pattern(outer)

    def _is_parameters(self, opening: int) -> bool:
        """Whether a parenthesis is that of a function's parameters."""
        if self._text(opening) != "(" or self._text(opening - 1) in CONTROL:
            return False
        return self._text(self._closes.get(opening, -1) + 1) in ("=>", "{")

    def _outer(self, at: int) -> int:
        """Return the bracket that a token is in, -1 if it is in none."""
        inside = (start for start, end in self._closes.items() if start < at < end)
        return max(inside, default=-1)

    def _is_harmless_call(self, opening: int) -> bool:
        at = opening - 1
        if self._text(at) == "?.":
            at -= 1
        if not self._is_value(at):
            return True
        name, dot = self._text(at), self._text(at - 1)
        if self._tokens[at].kind is not Kind.NAME:
            # A function that another one returned, or one that is called where it is written.
            return False
        if dot in (".", "?."):
            filled = at - 2
            made = self._is_own(filled) or self._text(filled) in (")", "]")
            return name in _METHODS or (name in _FILLING and made)
        if dot == "new":
            return name in _MADE
        if self._is_parameters(opening):
            return True
        if name == "fetch":
            # With one argument it is a `GET`.
            return not self._has_comma(opening)
        return name in _FUNCTIONS or name in self._own

    def _has_comma(self, opening: int) -> bool:
        index, close = opening + 1, self._closes[opening]
        while index < close:
            if self._text(index) == ",":
                return True
            index = self._closes.get(index, index) + 1
        return False

    def _is_value(self, at: int) -> bool:
        """Whether the token is the end of a value, so that a parenthesis after it is a call's."""
        if at < 0:
            return False
        token = self._tokens[at]
        if token.kind is Kind.NAME:
            return token.text not in _WORDS or self._text(at - 1) in (".", "?.")
        return token.text in (")", "]") and self._text(self._opens.get(at, 0) - 1) not in CONTROL

    def _is_own(self, at: int) -> bool:
        return self._text(at) in self._own and self._text(at - 1) not in (".", "?.")

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""
