"""A driver that opens a browser of its own."""

from __future__ import annotations

import pytest

from tests.chromium import find_chromium
from tests.server import Server
from webagent.agent import Driver
from webagent.errors import NoPage


@pytest.fixture(name="_chromium", autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))


async def test_a_driver_opens_and_closes_a_browser(template: Server) -> None:
    """With the tools of the manifest; after the block the page is gone."""
    async with Driver.start(template.url) as driver:
        result = await driver.run('search for books about "harbour"')

    assert result.ok
    assert "The Harbour Towns" in result.text
    after = await driver.run("search for books")
    assert after.error is not None
    assert after.error.kind == "page_gone"


async def test_what_cannot_be_opened_is_named() -> None:
    """An address without a server, and an option that does not exist."""
    with pytest.raises(NoPage, match=r"`http://127\.0\.0\.1:9/` cannot be opened"):
        async with Driver.start("http://127.0.0.1:9/"):
            pass
    with pytest.raises(TypeError, match="did you mean `model`"):
        async with Driver.start("http://127.0.0.1:9/", modl=None):
            pass
