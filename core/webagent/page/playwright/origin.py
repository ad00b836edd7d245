"""The origin of a page of Playwright, checked inside its document.

A page may navigate between a look at its address and the next request to it. So every script that is
brought into a document first checks the origin there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webagent.errors import OriginMismatch, PageGone

if TYPE_CHECKING:
    from playwright.async_api import Page

_FOREIGN = "webagent: of another origin: "
DOCUMENT_ORIGIN = "(window.origin === 'null' ? 'null' : location.origin)"
"""JavaScript: the document's origin. A script of the page can overwrite `origin`, but not `location`,
which alone would not show that a document is sandboxed."""
ORIGIN_GUARD = (
    f"if (origin !== null && {DOCUMENT_ORIGIN} !== origin) "
    f"throw Error('{_FOREIGN}' + {DOCUMENT_ORIGIN});"
)
"""JavaScript that throws if `origin` is neither null nor the document's origin."""


async def document_origin(page: Page) -> str:
    """Return the origin of the page's document, `null` if it has none.

    Raises:
        PageGone: The page does not respond.
    """
    from playwright.async_api import Error

    try:
        return str(await page.evaluate(DOCUMENT_ORIGIN))
    except Error as error:
        if page.is_closed():
            raise PageGone("the page was closed") from error
        raise PageGone(f"the page cannot be asked - {first_line(error)}") from error


def refuse_foreign(error: Exception, origin: str | None) -> None:
    """Return, unless an error was thrown by `ORIGIN_GUARD`.

    Raises:
        OriginMismatch: It was.
    """
    _, guarded, shown = str(error).partition(_FOREIGN)
    if guarded:
        # The page may have replaced `Error`, so its text is not trusted.
        other = "".join(shown.split()[:1])[:300]
        raise OriginMismatch(
            f"the tools belong to `{origin}`, and the page shows `{other or 'another'}`",
            help=f"go back to a page of `{origin}`, or use the manifest of this one",
        ) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error of Playwright."""
    return str(error).strip().partition("\n")[0][:300]
