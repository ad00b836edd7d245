"""Films of the panel: goals that visitors type, as sheets of screenshots to look at.

python -m tests.e2e.panel.films FOLDER [--phone] [--dark] [--firefox] [--hotel | --down] [--only WORDS]
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import html
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.panel.conftest import OPENED
from tests.firefox import launch_firefox
from tests.model_server import ModelServer, refuses
from tests.server import serving

ROOT: Final = Path(__file__).parents[3]
SHOP, HOTEL = ROOT / "site_template", ROOT / "tests" / "sites" / "forms"
LONGEST_S: Final = 45.0
QUIET_S: Final = 0.7
"""How long the panel does not change before it is taken."""
NOW: Final = "2026-03-10T10:00:00Z"
STOP, REFUSE = "stop", "refuse"


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture of a page with the panel."""

    picture: bytes
    asks: bool
    """Whether a request waits for its answer."""


@dataclass(frozen=True, slots=True)
class Film:
    """A goal, and how the visitor who has it behaves."""

    goal: str
    page: str = "/"
    answers: Sequence[str] = ()
    """To questions, in order; after them the visitor has no answer."""
    does: str = ""
    """`STOP`: presses stop at the first request; `REFUSE`: says no to the first approval."""
    then: Sequence[str] = ()
    """Goals that follow."""


VISITORS: Final = (
    Film("got anything about rooks?"),
    Film("which books by Tolkien do you have"),
    Film("compare The Hobbit and Farmer Giles of Ham"),
    Film("whats the most expensive book youve got?"),
    Film("Please put What the Tide Owes into my basket", then=("and take it out again",)),
    Film("1x nine ferries north + 2x goodnight harbour -> basket"),
    Film("put a Tolkien in my basket"),
    Film("Leg bitte drei Exemplare von The Harbour Towns in meinen Warenkorb"),
    Film("what would it cost to post The Allotment Larder to Norway"),
    Film("Was kostet der Versand von 1,5 kg nach Spanien?", "/delivery.html"),
    Film("what does it say about returns?", "/delivery.html"),
    Film("are you open on thursday evening"),
    Film("what is the difference between a hardback and a paperback?"),
    Film(
        "fill in the contact form for me, I will send it myself: Lena Ortmann, lena@example.org, "
        'topic "Find a book for me", message "I am looking for an early edition of Letters by '
        'Lantern."',
        "/contact.html",
    ),
    Film(
        "log me in and tell me the status of my latest order",
        answers=("ada@catchword.example", "ropewalk14"),
    ),
    Film("log me in, ada@catchword.example, password ropewalk14, and tell me my latest order"),
    Film("I would like to come by the shop on Thursday at 4 pm, could you arrange that please"),
    Film("arrange a visit"),
    Film("besuch freitag halb vier eintragen", "/contact.html"),
    Film("take me to the delivery page"),
    Film("Add A Year of Rooks to my basket and tell me what sending it to Ireland would cost"),
    Film("book me a flight to Oslo"),
    Film("make it nice"),
    Film("add the salt leger to my basket", does=REFUSE),
    Film("find books by Tolkien and add the cheapest one to my basket", does=STOP),
)
GUESTS: Final = (
    Film("show me free rooms from 3 to 5 April for two adults"),
    Film("book a room"),
    Film("search this site for breakfast"),
    Film("subscribe me to the newsletter, my e-mail is lena@example.org"),
    Film("what is this page about"),
    Film("go to the rooms"),
    Film("I want a gift voucher for 50 pounds"),
    Film("log in", "/account/login.html"),
    Film("how many rooms does the hotel have"),
    Film("write a review: lovely stay, 5 stars", "/reviews.html"),
)

WITHOUT: Final = (
    Film("got anything about rooks?"),
    Film("Please put The Hobbit into my basket"),
)
"""In a shop whose model is down."""

SHOWN: Final = """() => {
  const root = document.querySelector("webagent-panel")?.shadowRoot;
  const panel = root?.querySelector(".panel");
  if (!panel) return { text: "", state: "away" };
  const works = [...root.querySelectorAll(".request button")].some((one) => one.ariaDisabled !== "true");
  const request = root.querySelector(".request");
  const outcomes = root.querySelectorAll(".outcome").length;
  return {
    text: location.pathname + panel.innerText,
    state: request ? (works ? request.className : "settling") : "none",
    outcomes,
  };
}"""


async def take(context: BrowserContext, url: str, film: Film) -> list[Frame]:
    """Play a film and return its frames."""
    page = await context.new_page()
    await page.goto(f"{url}{film.page}")
    frames: list[Frame] = []
    try:
        await page.locator("webagent-launcher button").click()
        for number, goal in enumerate((film.goal, *film.then)):
            await page.locator("webagent-panel #goal").fill(goal)
            await page.keyboard.press("Enter")
            await _play(page, film, number + 1, frames)
    finally:
        await page.close()
    return frames


async def _play(page: Page, film: Film, outcomes: int, frames: list[Frame]) -> None:
    answers = list(film.answers)
    seen, since, taken = "", time.monotonic(), ""
    ends = time.monotonic() + LONGEST_S
    while time.monotonic() < ends:
        try:
            shown: dict[str, Any] = await page.evaluate(SHOWN)
        except Exception:  # The page is being left.
            await asyncio.sleep(0.2)
            continue
        if shown["text"] != seen:
            seen, since = shown["text"], time.monotonic()
        still = time.monotonic() - since
        done = shown["state"] == "none" and shown.get("outcomes", 0) >= outcomes
        ready = still > QUIET_S and shown["state"] not in ("settling", "away")
        if ready and seen != taken:
            taken = seen
            frames.append(Frame(await page.screenshot(), shown["state"] != "none"))
        if ready and done:
            return
        if ready and shown["state"] != "none":
            await _answer(page, shown["state"], film, answers)
            since = time.monotonic()
        await asyncio.sleep(0.1)
    frames.append(Frame(await page.screenshot(), asks=False))


async def _answer(page: Page, state: str, film: Film, answers: list[str]) -> None:
    request = page.locator("webagent-panel .request")
    if film.does == STOP:
        await request.get_by_role("button", name="No, and stop").click()
    elif film.does == REFUSE and "approval" in state:
        await request.get_by_role("button", name="No", exact=True).click()
        await page.keyboard.press("Enter")
    elif "question" in state and answers:
        await request.locator("#answer").fill(answers.pop(0))
        await page.keyboard.press("Enter")
    elif "question" in state and await request.locator(".choice").count():
        await request.locator(".choice").first.click()
    elif "question" in state or "file" in state:
        await request.get_by_role("button", name="No ", exact=False).first.click()
    else:
        await request.locator("button.primary").first.click()


async def sheet(
    browser: Browser, film: Film, frames: Sequence[Frame], path: Path, wide: int
) -> None:
    """Write the pictures of a film as one picture."""
    page = await browser.new_page(
        viewport={"width": wide * min(len(frames), 4) + 50, "height": 400}
    )
    pictures = "".join(
        f'<img width="{wide}" src="data:image/png;base64,{base64.b64encode(one.picture).decode()}">'
        for one in frames
    )
    await page.set_content(
        "<style>body{font:16px sans-serif;margin:8px}img{border:1px solid #888;margin:2px;"
        f"vertical-align:top}}</style><p>{html.escape(film.goal)}</p>{pictures}"
    )
    await page.screenshot(path=path, full_page=True)
    await page.close()


async def shoot(given: argparse.Namespace, url: str) -> None:
    """Take the films that the command line names."""
    goals = GUESTS if given.hotel else WITHOUT if given.down else VISITORS
    films = [one for one in goals if given.only in one.goal]
    size = {"width": 390, "height": 780} if given.phone else {"width": 900, "height": 760}
    touch = {"has_touch": True, "is_mobile": True} if given.phone and not given.firefox else {}
    given.folder.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as playwright:
        browser = await (
            launch_firefox(playwright)
            if given.firefox
            else playwright.chromium.launch(executable_path=find_chromium(), args=ARGS)
        )
        for number, film in enumerate(films, 1):
            context = await browser.new_context(
                viewport=size, color_scheme="dark" if given.dark else "light", **touch
            )
            await context.add_init_script(OPENED)
            await context.clock.set_fixed_time(NOW)
            frames = await take(context, url, film)
            await context.close()
            path = given.folder / f"{number:02}.png"
            await sheet(browser, film, frames, path, size["width"] // (1 if given.phone else 2))
            print(f"{path}: {len(frames)} pictures: {film.goal}", file=sys.stderr)
        await browser.close()


@contextmanager
def served(given: argparse.Namespace) -> Iterator[str]:
    """Serve the site of the films; with `--down` its model answers that it is overloaded."""
    if not given.down:
        with serving(HOTEL if given.hotel else SHOP) as server:
            yield server.url
        return
    with ModelServer(refuses(503, "overloaded"), cycle=True) as model:
        options = ["--llm-base-url", model.url, "--llm-model", "m", "--llm-api-key-env", "KEY"]
        with serving(SHOP, *options, environment={"KEY": "k" * 24}) as server:
            yield server.url


def main() -> None:
    """Serve the site and take the films."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.panel.films", description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write a sheet for each goal")
    parser.add_argument("--phone", action="store_true", help="390 pixels wide, touched")
    parser.add_argument("--dark", action="store_true", help="in the dark scheme")
    parser.add_argument("--firefox", action="store_true", help="in Firefox")
    parser.add_argument("--hotel", action="store_true", help="tests/sites/forms, not the shop")
    parser.add_argument("--down", action="store_true", help="with a model that is down")
    parser.add_argument("--only", default="", metavar="WORDS", help="goals with these words")
    given = parser.parse_args()
    with served(given) as url:
        asyncio.run(shoot(given, url))


if __name__ == "__main__":
    main()
