"""The pages that the headless browser may open, before it opens any."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from webagent.errors import OriginMismatch
from webagent_dev.agents.headless import Headless
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import resolve_config
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError


def made(root: Path, *allowed: str) -> Headless:
    config = ServeConfig(root, headless=True, allow_origin=allowed)
    return Headless(config, OpenPages(lambda: None), Console(io.StringIO()))


def test_a_variable_that_names_no_browser_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it serves anything, not with the first call."""
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    with pytest.raises(ConfigError, match="`CHROMIUM` names `no-such-browser`"):
        made(tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/",
        "http://shop.example/",
        "https://shop.example:444/",
        "https://shop.example.evil.test/",
        "https://shop.example@evil.test/",
        "file:///etc/passwd",
        "about:blank",
        "",
    ],
)
async def test_a_page_of_another_origin_is_not_opened(tmp_path: Path, url: str) -> None:
    """The error names the allowed origins and the option; no browser is started."""
    own = made(tmp_path, "https://shop.example")
    assert not own.allows(url)
    with pytest.raises(OriginMismatch, match=r"`https://shop\.example`") as caught:
        async with own.cross_origin_page(url):
            pass

    assert "`http://127.0.0.1:8000`" in str(caught.value)
    assert "--headless --allow-origin" in str(caught.value.help)


def test_an_origin_is_allowed_with_all_its_paths(tmp_path: Path) -> None:
    """However its scheme, name and usual port are written."""
    own = made(tmp_path, "https://shop.example")
    for url in ("https://shop.example", "https://SHOP.example:443/a?b#c", "HTTPS://shop.example/"):
        assert own.allows(url)


def test_other_origins_need_a_browser_for_them(tmp_path: Path) -> None:
    """Typed, or in the file."""
    with pytest.raises(ConfigError, match="write `--headless` too"):
        resolve_config(str(tmp_path), allow_origin=("https://shop.example",))
    (tmp_path / "webagent.toml").write_text('[server]\nallow_origin = ["https://a.example"]\n')
    with pytest.raises(ConfigError, match="write `--headless` too"):
        resolve_config(str(tmp_path))
    config = resolve_config(str(tmp_path), headless=True)

    assert (config.headless, config.allow_origin) == (True, ("https://a.example",))


def test_only_origins_can_be_allowed(tmp_path: Path) -> None:
    """A path would promise a limit that does not exist."""
    with pytest.raises(ConfigError, match=r"write `--allow-origin https://shop\.example`"):
        resolve_config(str(tmp_path), headless=True, allow_origin=("https://shop.example/cart",))
