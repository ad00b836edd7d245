"""What differs between two texts, as a unified diff, in time that grows with their length."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import pairwise

_AROUND = 3
"""Equal lines that are shown on either side of a change."""
_CLOSE = 200
"""Lines of a stretch up to which all lines are compared with all others."""


def difference(before: str, after: str, name: str, *, what: str = "formatted") -> str:
    """Return how a text changes, empty if it does not; `what` says why it does.

    Lines that stand once in either text, in the same order, are known to be the same. What stands
    between two of those is compared on its own, so that twice the text takes twice the time.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = _Matcher(old, new)
    rows: list[str] = []
    for group in matcher.get_grouped_opcodes(_AROUND):
        (_, i, _, j, _), (_, _, k, _, m) = group[0], group[-1]
        rows.append(f"@@ -{_extent(i, k)} +{_extent(j, m)} @@\n")
        for tag, start, end, first, last in group:
            if tag == "equal":
                rows += [f" {line}" for line in old[start:end]]
                continue
            rows += [f"-{line}" for line in old[start:end]]
            rows += [f"+{line}" for line in new[first:last]]
    head = [f"--- {name}\n", f"+++ {name} ({what})\n"] if rows else []
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in [*head, *rows])


def _extent(start: int, end: int) -> str:
    """Return first line and number of lines, as a unified diff says them."""
    length = end - start
    return f"{start + (length > 0)}" + ("" if length == 1 else f",{length}")


class _Matcher(SequenceMatcher[str]):
    """Finds what is the same by lines that stand once; `difflib` makes groups of that."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, "", "", autojunk=False)
        self.old, self.new = old, new

    def get_matching_blocks(self) -> list[Match]:
        """Return the stretches that are the same, an empty one at the end."""
        blocks: list[Match] = []
        for i, j, size in _same(self.old, self.new):
            if blocks and size:
                last = blocks[-1]
                if last.a + last.size == i and last.b + last.size == j:
                    blocks[-1] = Match(last.a, last.b, last.size + size)
                    continue
            if size:
                blocks.append(Match(i, j, size))
        return [*blocks, Match(len(self.old), len(self.new), 0)]


def _same(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches that are the same: where in the one, where in the other, how many lines.

    Those that meet may be yielded apart.
    """
    anchors = [(-1, -1), *_anchors(old, new), (len(old), len(new))]
    for (i, j), (k, m) in pairwise(anchors):
        left, right = old[i + 1 : k], new[j + 1 : m]
        if len(left) + len(right) <= _CLOSE:
            for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
                yield i + 1 + block.a, j + 1 + block.b, block.size
        yield k, m, 1 if k < len(old) else 0


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of lines that stand once in either text, as many as are in order."""
    in_old, in_new = Counter(old), Counter(new)
    at = {line: number for number, line in enumerate(new) if in_new[line] == 1}
    pairs = [(i, at[line]) for i, line in enumerate(old) if in_old[line] == 1 and line in at]
    ends: list[int] = []  # the least place in which a chain of each length can end
    last: list[int] = []  # the pair that stands there
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
    chain = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]
