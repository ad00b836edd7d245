"""The reports when `webagent.toml` is saved while the server runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.server import hosting
from webagent_dev.config.file_watch import ConfigWatch
from webagent_dev.config.model import ServeConfig
from webagent_dev.terminal import Console


class Desk:
    """A folder with the file, and what is said of it."""

    def __init__(self, root: Path, text: str | None) -> None:
        self.file = root / "webagent.toml"
        self.save(text)
        self._screen = io.StringIO()
        self._watch = ConfigWatch(ServeConfig(root=root), Console(self._screen))

    def save(self, text: str | None) -> None:
        if text is None:
            self.file.unlink(missing_ok=True)
        else:
            self.file.write_text(text)

    def check(self) -> str:
        """Look once, and return what was said."""
        self._screen.truncate(0)
        self._screen.seek(0)
        self._watch.check()
        return self._screen.getvalue()

    def settled(self, text: str | None) -> str:
        """Save, and look until it is known that this is all."""
        self.save(text)
        assert self.check() == ""
        return self.check()


@pytest.fixture(name="root")
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "site"
    root.mkdir()
    monkeypatch.chdir(tmp_path)
    return root


def test_a_save_is_reported_once_with_the_remedy(root: Path) -> None:
    """Undoing it is reported too."""
    desk = Desk(root, "[server]\nport = 1\n")

    assert "webagent.toml has changed" in desk.settled("[server]\nport = 2\n")
    assert "start the server again" in desk.settled("[server]\nport = 3\n")
    assert desk.check() == ""
    assert "as it was at the start again" in desk.settled("[server]\nport = 1\n")


def test_a_mistake_is_reported_with_its_place(root: Path) -> None:
    """And not first by the server that does not start any more."""
    desk = Desk(root, "")

    assert f"{root}/webagent.toml:2:1: `prot` is not a key" in desk.settled("[server]\nprot = 1\n")


def test_a_new_or_removed_file_is_reported(root: Path) -> None:
    """In the folder, or where the server was started."""
    assert "is gone" in Desk(root, "").settled(None)
    desk = Desk(root, None)
    assert "is new" in desk.settled("")
    desk = Desk(root, None)
    (root.parent / "webagent.toml").write_text("[server]\nport = 1\n")
    desk.check()
    assert "is new" in desk.check()


def test_half_of_a_save_is_not_reported(root: Path) -> None:
    """A file that is still changing is not read."""
    desk = Desk(root, "[server]\nport = 1\n")
    desk.save("[serv")
    assert desk.check() == ""
    desk.save("[server]\nport = 2\n")
    assert desk.check() == ""
    assert "has changed" in desk.check()


def test_a_running_server_reports_it(root: Path) -> None:
    """In its terminal."""
    with hosting(root) as server:
        (root / "webagent.toml").write_text("[server]\nport = 1\n")
        server.wait_for_output("webagent.toml is new - it is read at the start only")
