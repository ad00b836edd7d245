"""Measures the agent without a model in the shop: `python -m tests.goals.shop [WORDS] [--list]`."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence

from playwright.async_api import async_playwright

from tests.browsers import launch
from tests.e2e.conftest import TEMPLATE
from tests.goals.shop.play import CONVERSATIONS, GOALS, Played, Visit, play, shop_context
from tests.server import ServerProcess


async def _measure(visits: Sequence[Visit], url: str) -> list[list[Played]]:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        async with shop_context(browser) as context:
            return [await play(context, url, visit) for visit in visits]


def _report(title: str, played: Sequence[Played]) -> None:
    verdicts = Counter(one.verdict for one in played)
    print(f"{title}: {verdicts['right']} of {len(played)} right", end="")
    print("".join(f", {verdicts[name]} {name}" for name in ("wrong", "asked", "short")))


def main() -> None:
    """Play the goals, and print the rates."""
    parser = argparse.ArgumentParser(prog="python -m tests.goals.shop", description=__doc__)
    parser.add_argument("words", nargs="?", default="", help="only goals that begin with them")
    parser.add_argument("--list", action="store_true", help="print each goal that is not right")
    options = parser.parse_args()
    goals = [one for one in GOALS if one.title.startswith(options.words)]
    talks = [one for one in CONVERSATIONS if one.title.startswith(options.words)]
    server = ServerProcess(TEMPLATE)
    try:
        played = asyncio.run(_measure([*goals, *talks], server.url))
    finally:
        server.stop()
    single = [turn for visit in played[: len(goals)] for turn in visit]
    talked = played[len(goals) :]
    if options.list:
        for one in (one for visit in played for one in visit if one.verdict != "right"):
            print(one.told())
    _report("goals", single)
    _report("first goals of conversations", [visit[0] for visit in talked])
    _report("later goals of conversations", [one for visit in talked for one in visit[1:]])


if __name__ == "__main__":
    main()
