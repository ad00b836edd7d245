"""The marks around data that a model reads: nobody who wrote the data can know them."""

from __future__ import annotations

import secrets


class Fence:
    """Marks with a word that was drawn at random."""

    def __init__(self, nonce: str | None = None) -> None:
        """Draw the word, unless one is given."""
        self._nonce = nonce or secrets.token_hex(6)

    @property
    def opening(self) -> str:
        """How every opening mark begins."""
        return f"<data-{self._nonce}"

    @property
    def closing(self) -> str:
        """The closing mark."""
        return f"</data-{self._nonce}>"

    def around(self, text: str, what: str) -> str:
        """Return data between the marks.

        Args:
            text: The data; the random word is taken out, should it be in there.
            what: What it is: `page`, `result`.
        """
        return f'{self.opening} of="{what}">\n{text.replace(self._nonce, "")}\n{self.closing}'
