"""Which site is tested, and what puts it back."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main
from webagent_dev.contract import subject
from webagent_dev.contract.subject import Subject, subject_of
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

NOTES = Console(io.StringIO())


@pytest.fixture(name="shop")
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "index.html").write_text("<!doctype html>")
    (shop / "webagents.md").write_text("# Shop\n")
    return shop


def test_a_folder_has_its_manifest_and_its_configuration(shop: Path) -> None:
    """The manifest is called as it is typed from here."""
    (shop / "webagent.toml").write_text('[test]\nreset = "true"\nallow_writes = true\n')
    found = subject_of("shop", NOTES, spa=None)

    assert (found.target, found.shown) == (str(shop.resolve()), "shop")
    assert (found.document.name, found.document.data) == ("shop/webagents.md", b"# Shop\n")
    assert (found.reset_command, found.folder, found.allow_writes) == ("true", Path("shop"), True)
    found.refuse_writes()


def test_a_folder_without_a_manifest_is_tested_by_what_its_pages_offer(shop: Path) -> None:
    """Its document is empty, and no file."""
    (shop / "webagents.md").unlink()
    found = subject_of("shop", NOTES, spa=None)

    assert (found.document.data, found.document.path) == (b"", None)


def test_a_site_behind_a_server_is_tested_there(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the manifest that lies in the folder."""
    monkeypatch.chdir(shop)
    (shop / "webagent.toml").write_text('[site]\nproxy = "http://localhost:5173"\n')
    found = subject_of(None, NOTES, spa=None)

    assert (found.target, found.document.data) == ("http://localhost:5173/", b"# Shop\n")
    with pytest.raises(UsageError, match="would change what your server keeps"):
        found.refuse_writes()


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("http://localhost:5173", True),
        ("http://127.0.0.1:8000", True),
        ("https://shop.example", False),
        ("https://localhost.shop.example", False),
    ],
)
def test_permission_of_a_folder_holds_on_this_machine_alone(
    shop: Path, monkeypatch: pytest.MonkeyPatch, address: str, allowed: bool
) -> None:
    """Its `reset` would not put back what tools write on another, so that has to be typed."""
    monkeypatch.chdir(shop)
    monkeypatch.setattr(subject, "read_document", lambda _: _nothing())
    (shop / "webagent.toml").write_text('[test]\nreset = "true"\nallow_writes = true\n')

    assert subject_of(address, NOTES, spa=None).allow_writes is allowed
    (shop / "webagent.toml").write_text(
        f'[site]\nproxy = "{address}"\n[test]\nreset = "true"\nallow_writes = true\n'
    )
    assert subject_of(None, NOTES, spa=None).allow_writes is allowed


@pytest.mark.process
async def test_the_site_is_put_back_by_a_command(tmp_path: Path) -> None:
    """In the folder of the configuration."""
    code = "open('reset', 'a').write('x')"
    subject_ = Subject(
        "http://x/", "x", _nothing(), None, f'"{sys.executable}" -c "{code}"', tmp_path
    )
    await subject_.reset()
    await subject_.reset()

    assert (tmp_path / "reset").read_text() == "xx"


@pytest.mark.process
async def test_a_command_that_fails_ends_the_test(tmp_path: Path) -> None:
    """With the last line that it wrote."""
    code = "import sys; print('no database'); sys.exit(3)"
    subject_ = Subject(
        "http://x/", "x", _nothing(), None, f'"{sys.executable}" -c "{code}"', tmp_path
    )

    with pytest.raises(UsageError, match="it ended with 3: no database - run it by hand"):
        await subject_.reset()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "`nowhere` does not exist"),
        (["--timeout", "0"], "--timeout"),
        (["http://127.0.0.1:1/"], "http://127.0.0.1:1/"),
    ],
)
def test_misuse_ends_with_code_2(shop: Path, arguments: list[str], sentence: str) -> None:
    """One sentence says what is wrong."""
    result = CliRunner().invoke(main, ["test", *arguments])

    assert result.exit_code == 2
    assert sentence in result.stderr


def _nothing() -> object:
    from webagent_dev.site.documents import Document

    return Document("webagents.md", b"")
