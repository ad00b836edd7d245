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
JUDGE = f"if (origin !== null && self.origin !== origin) throw Error('{_FOREIGN}' + self.origin);"
"""JavaScript that throws where `origin` is not null, and not the document's."""


async def shown_origin(page: Page) -> str:
    """Return the origin of what a page shows, `null` if that has none.

    Raises:
        PageGone: It cannot be asked.
    """
    from playwright.async_api import Error

    try:
        return str(await page.evaluate("self.origin"))
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
        raise OriginMismatch(
            f"the tools belong to `{origin}`, and the page shows `{shown.split()[0]}`",
            help=f"go back to a page of `{origin}`, or use the manifest of this one",
        ) from error


def first_line(error: Exception) -> str:
    """Return the beginning of what Playwright says."""
    return str(error).strip().splitlines()[0][:300]
