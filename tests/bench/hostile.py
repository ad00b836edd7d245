"""Texts that are made to take long, through `check`: a MiB of each, next to half and a quarter of one.

With twice the text the time should double: a growth of 4 from a quarter to the whole is linear.
"""

from __future__ import annotations

from tests.bench.language import output
from tests.bench.table import comparison
from tests.bench.texts import MIB, hostile

TITLE = "Hostile inputs through `check`"
ROUNDS = 3
BOUND_S = 120.0

CHECK = """
import sys, time
from webagent import check
text = sys.stdin.buffer.read().decode()
start = time.process_time()
check(text).to_dict()
print(time.process_time() - start)
"""


async def run() -> str:
    """Return the table of each kind's time and growth."""
    whole, half, quarter = hostile(MIB), hostile(MIB // 2), hostile(MIB // 4)
    times: dict[str, tuple[list[float], ...]] = {name: ([], [], []) for name in whole}
    for _ in range(ROUNDS):
        for name, found in times.items():
            for size, seconds in zip((whole, half, quarter), found, strict=True):
                seconds.append(float(output(CHECK, size[name], True, BOUND_S)))
    return "\n\n".join(
        [
            comparison(
                "s of processor time",
                f"{part} of it",
                {name: (found[0], found[which]) for name, found in times.items()},
                ours="1 MiB",
                digits=2,
            )
            for which, part in ((1, "half"), (2, "a quarter"))
        ]
    )
