"""Looks at a page of product cards: the agent's, and those of page-agent's page controller."""

from __future__ import annotations

import subprocess
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from playwright.async_api import Browser

from tests.bench.page_times import chromium
from tests.bench.record import keep
from tests.bench.table import table
from tests.page_agent import VERSION, page_agent

TITLE = "An agent looks at a page of product cards: time, and text"
ROOT = Path(__file__).parents[2]
PEER = f"page-agent {VERSION}"
ESBUILD = ROOT / "browser_bundle" / "node_modules" / ".bin" / "esbuild"
ROUNDS = 7
SIZES = (1_000, 2_000, 5_000, 10_000)
"""Elements of a page."""
MOST_OF_PEER = 2_000
"""The peer's time grows with the square of the elements: 10,000 of them take it minutes."""

PAGE = """<!doctype html><meta charset="utf-8"><title>Books</title><style>
ul {{ display: grid; grid-template-columns: repeat(4, 1fr); list-style: none; padding: 0 }}
</style><body><header><a href="/">Harbour Books</a><nav aria-label="Main"><a href="/new">New</a>
<a href="/used">Used</a><a href="/basket">Basket</a></nav></header>
<main><h1>All books</h1><ul>{cards}</ul></main></body>"""
CARD = """<li><article>
<a href="/books/{n}"><img alt="{title}" width="120" height="160" src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E"></a>
<h3><a href="/books/{n}">{title}</a></h3><p>{author}</p><p>£{price}.50</p>
<button>Add to basket</button><button aria-label="Save {title} for later">♡</button>
</article></li>"""
ELEMENTS = 10
"""Of a card."""
ADJECTIVES = ("Quiet", "Northern", "Salt", "Winter", "Glass", "Paper", "Distant")
NOUNS = ("harbour", "roads", "tides", "letters", "gardens", "stations")
AUTHORS = ("Ada Voss", "Ben Marlow", "Ines Okafor", "Tom Reed", "Mira Sand")

OURS = """import { createDom } from "{source}";
const dom = createDom();
globalThis.look = async () => dom.snapshot().text;"""
THEIRS = """import { PageController } from "@page-agent/page-controller";
const controller = new PageController();
globalThis.look = async () => {
  const { header, content, footer } = await controller.getBrowserState();
  return `${header}\\n${content}\\n${footer}`;
};"""
LOOK = """async () => {
  // The page is laid out, as it is for a visitor.
  document.body.getBoundingClientRect();
  const start = performance.now();
  const text = await look();
  return { ms: performance.now() - start, characters: text.length };
}"""


class Looks(NamedTuple):
    """Milliseconds of the first and the second look at a page, and the characters of its text."""

    first: list[float]
    second: list[float]
    characters: list[float]


async def run() -> str:
    """Return the tables: each looks at a page of its own in every round, one after the other."""
    modules = page_agent()
    source = str(ROOT / "browser_bundle/src/dom/index.ts")
    theirs = script(THEIRS, modules)
    ours = script(OURS.replace("{source}", source), modules)
    parts: list[str] = []
    growth = ["| elements | first look, ms | second | characters |", "|---:|---:|---:|---:|"]
    async with chromium() as browser:
        for size in SIZES:
            scripts = {PEER: theirs, "webagent": ours}
            if size > MOST_OF_PEER:
                del scripts[PEER]
            found = await looks_at(browser, page_of(size), scripts)
            own = [median(values) for values in found["webagent"]]
            growth.append(f"| {size:,} | {own[0]:.1f} | {own[1]:.1f} | {own[2]:,.0f} |")
            for name, digits in (("first", 1), ("second", 1), ("characters", 0)):
                rows = {who: getattr(looks, name) for who, looks in found.items()}
                what = f"{name} look, ms" if digits else "characters of the text"
                title = f"{size:,} elements: {what}"
                if PEER in rows:
                    parts.append(table(title, rows, digits=digits))
                else:
                    keep(title, "webagent", rows["webagent"], ())
    return "\n\n".join([*parts, "\n".join(growth)])


async def looks_at(browser: Browser, html: str, scripts: dict[str, str]) -> dict[str, Looks]:
    """Return the looks of each script; the round that comes first is not counted."""
    found = {name: Looks([], [], []) for name in scripts}
    for number in range(ROUNDS + 1):
        for name, text in scripts.items():
            looks = await looked(browser, html, text)
            if number:
                for values, value in zip(found[name], looks, strict=True):
                    values.append(value)
    return found


def page_of(elements: int) -> str:
    """Return a page with about `elements` elements."""
    words = zip(cycle(ADJECTIVES), cycle(NOUNS), cycle(AUTHORS), strict=False)
    cards = [
        CARD.format(n=n, title=f"{first} {second}", author=author, price=4 + n % 17)
        for n, (first, second, author) in zip(
            range(1, elements // ELEMENTS + 1), words, strict=False
        )
    ]
    return PAGE.format(cards="\n".join(cards))


def script(source: str, folder: Path, *, minified: bool = True) -> str:
    """Return a module and all that it imports as one script."""
    command = [str(ESBUILD), "--bundle", "--format=iife", "--loader=ts"]
    command += ["--minify"] * minified
    done = subprocess.run(
        command, input=source, cwd=folder, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout


async def looked(browser: Browser, html: str, text: str) -> tuple[Any, ...]:
    """Return the times of two looks at a new page, and the length of the first text."""
    page = await browser.new_page()
    try:
        await page.route("**/*", lambda route: route.fulfill(body=html, content_type="text/html"))
        await page.goto("http://books.test/")
        await page.evaluate(text)
        first, second = [await page.evaluate(LOOK) for _ in range(2)]
        return first["ms"], second["ms"], first["characters"]
    finally:
        await page.close()
