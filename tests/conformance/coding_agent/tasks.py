"""The ten tasks: what is asked for, on which site, and what a coding agent has to have seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.conformance.coding_agent.sites import Site


def _nothing(_: Site) -> None:
    """Leave the files as they are."""


def _heading(site: Site) -> None:
    site.replace("index.html", "Books we have read to the end", "Books for long winters")


def _shop_fault(site: Site) -> None:
    site.replace(
        "js/pages/catalogue.js",
        'more.addEventListener("click", () => {',
        'more.addEventListener("click", () => {\n  countOfBooks.update();',
    )


def _cups(site: Site) -> None:
    site.replace("src/counter.js", "Count is", "Cups:")


def _counter_fault(site: Site) -> None:
    site.replace("src/counter.js", "setCounter(counter + 1)", "setCounter(counter.next.value)")


def _office(site: Site) -> None:
    site.replace(
        "teas/urls.py", "urlpatterns = [", 'admin.site.site_header = "Tea office"\nurlpatterns = ['
    )


@dataclass(frozen=True)
class Task:
    """One task."""

    name: str
    site: str
    asked: str
    seen: tuple[str, ...]
    """Patterns, each of which has to be in what the coding agent reads in the end."""
    prepare: Callable[[Site], None] = _nothing
    """Writes into the files of the site: the change to look at, or a fault to find."""
    served: tuple[str, str] = ("/", "")
    """A path of the site, and the words that it has once it serves the change."""

    def is_done(self, read: str) -> bool:
        """Whether a coding agent that has read this knows what was asked for."""
        return all(re.search(pattern, read) for pattern in self.seen)


TASKS = (
    Task(
        *("search", "shop", "search for “harbour” in the page: what does The Harbour Towns cost?"),
        (r"The Harbour Towns", r"12\.99"),
    ),
    Task(
        *("basket", "shop", "put The Harbour Towns into the basket with its button; is it counted?"),
        (r"Basket 1 book",),
    ),
    Task("heading", "shop", "change the heading, and see it", (r"Books for long winters",), _heading,
        ("/", "Books for long winters")),
    Task(
        *("error", "shop", "the button “Show all 32 books” does nothing: which line is wrong?"),
        (r"countOfBooks is not defined", r"catalogue\.js:98"),
        _shop_fault,
        ("/js/pages/catalogue.js", "countOfBooks"),
    ),
    Task(
        *("proof", "shop", "does `searchBooks` return what the page shows?"),
        (r'"total": ?5', r"5 books for “harbour”"),
    ),
    Task(
        *("counter", "vite", "change the words of the counter, press it twice, and see them"),
        (r"Cups: 2",),
        _cups,
        ("/src/counter.js", "Cups:"),
    ),
    Task(
        *("fault", "vite", "the counter does not count: which line is wrong?"),
        (r"TypeError", r"counter\.js\S*:7"),
        _counter_fault,
        ("/src/counter.js", "counter.next"),
    ),
    Task("tool", "vite", "does `findTeas` find the Assam?", (r"Assam Breakfast",)),
    Task("office", "django", "change the header of the administration, and see it",
         (r"Tea office",), _office, ("/admin/login/", "Tea office")),
    Task(
        *("group", "django", "log in, and add a group"),
        (r"was added successfully",),
    ),
)  # fmt: skip
