"""Whether a text holds all words of another: what keeps `fmt` from losing anything."""

from __future__ import annotations

import re
from collections import Counter

from webagent.source import Span
from webagent.types import Manifest

_WORD = re.compile(r"\w+|[^\w\s\x00-\x7f]")

_FORM = frozenset(
    """
    arg args argument arguments async await behavior behaviour boolean code const d declare default
    defaults description dts example examples export false field function global globalthis is
    javascript js json jsonc jsx meaning mjs n na name no none notes number o optional output
    outputs param parameter parameters params promise required return returns sample string summary
    to tool true ts tsx type types typescript undefined usage value version void window x y yes – — ✓ ✔ ✅
    """.split()  # noqa: SIM905 - a list of eighty strings is harder to read
)
"""Words and signs, in lower case, of which the form of a manifest may hold more or fewer."""


def lost(before: str, after: str, manifest: Manifest) -> Span | None:
    """Return the place of the first word that stands more often in one text than in the other.

    Words of the form (headings, `required`, the languages of fences) may come and go. Names and
    types may stand in a signature and in a list before, so they have to be there once only.
    """
    left = Counter(_WORD.findall(after))
    once = _declared(manifest)
    for match in _WORD.finditer(before):
        word = match[0]
        if left[word] > 0:
            left[word] -= word not in once
        elif word.lower() not in _FORM:
            return Span(*match.span())
    return None


def _declared(manifest: Manifest) -> set[str]:
    texts = []
    for tool in manifest.tools:
        texts += [tool.name, tool.returns]
        for param in tool.params:
            texts += [param.name, param.type, param.default or ""]
    return set(_WORD.findall(" ".join(texts)))
