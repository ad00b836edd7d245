"""Of which origin a page of Playwright's is, judged by its document itself.

A page may go elsewhere between a look at its address and what is asked of it then; so whatever is
brought into a document judges first whether it is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webagent.errors import OriginMismatch, PageGone

if TYPE_CHECKING:
    from playwright.async_api import Page

_FOREIGN = "webagent: of another origin: "
SHOWN = "(window.origin === 'null' ? 'null' : location.origin)"
"""JavaScript: the document's origin. A script of the page may put anything into `origin`, but nothing
into `location`, which alone would not tell that a document is sandboxed."""
JUDGE = f"if (origin !== null && {SHOWN} !== origin) throw Error('{_FOREIGN}' + {SHOWN});"
"""JavaScript that throws where `origin` is not null, and not the document's."""


async def shown_origin(page: Page) -> str:
    """Return the origin of what a page shows, `null` if that has none.

    Raises:
        PageGone: It cannot be asked.
    """
    from playwright.async_api import Error

    try:
        return str(await page.evaluate(SHOWN))
    except Error as error:
        if page.is_closed():
            raise PageGone("the page was closed") from error
        raise PageGone(f"the page cannot be asked - {first_line(error)}") from error


def refuse_foreign(error: Exception, origin: str | None) -> None:
    """Go on, unless a failure is that of `JUDGE`.

    Raises:
        OriginMismatch: It is.
    """
    _, told, shown = str(error).partition(_FOREIGN)
    if told:
        # What an error says is up to the page, which may have an `Error` of its own.
        other = "".join(shown.split()[:1])[:300]
        raise OriginMismatch(
            f"the tools belong to `{origin}`, and the page shows `{other or 'another'}`",
            help=f"go back to a page of `{origin}`, or use the manifest of this one",
        ) from error


def first_line(error: Exception) -> str:
    """Return the beginning of what Playwright says."""
    return str(error).strip().partition("\n")[0][:300]
