"""Pairs of two kinds of things, each used once: as many as there can be."""

from __future__ import annotations

from collections.abc import Sequence


def paired(fitting: Sequence[Sequence[int]], needed: Sequence[bool]) -> dict[int, int]:
    """Return a largest set of pairs, as the partner of each.

    As many of the needed as possible are in it: they are paired first, and whoever has a partner
    keeps one, perhaps another, while further pairs are made (augmenting paths).

    Args:
        fitting: For each, whom it fits.
        needed: Which of them count more.
    """
    partner_of: dict[int, int] = {}

    def pair(one: int) -> bool:
        """Find a partner for one, moving others from partner to partner."""
        came_from: dict[int, int] = {}
        queue = [one]
        for current in queue:
            for other in fitting[current]:
                if other in came_from:
                    continue
                came_from[other] = current
                if other in partner_of:
                    queue.append(partner_of[other])
                    continue
                while True:
                    owner = came_from[other]
                    before = next((o for o, p in partner_of.items() if p == owner), None)
                    partner_of[other] = owner
                    if before is None:
                        return True
                    other = before
        return False

    for important in (True, False):
        for one, need in enumerate(needed):
            if need is important:
                pair(one)
    return {one: other for other, one in partner_of.items()}
