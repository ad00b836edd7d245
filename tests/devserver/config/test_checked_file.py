"""A `webagent.toml` that is checked once, and again when it or the program is another one."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webagent_dev.config import checked_file
from webagent_dev.config.checked_file import checked_sections
from webagent_dev.config.resolve import resolve_config
from webagent_site.errors import ConfigError

CONTENT = """\
[site]
root = "."
allow_files = ["data/*.db"]
[server]
port = 5000
https = { cert = "a.pem", key = "b.pem" }
[page]
start = "use"
[test.login]
tool = "login"
arguments = { password = "hunter2" }
[checks]
ignore = ["missing-output"]
"""

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")


@pytest.fixture(name="file")
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "site" / "webagent.toml"
    file.parent.mkdir()
    file.write_text(CONTENT)
    return file


def kept(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "state" / "webagent").glob("*.config.json")
    return found


@pytest.fixture(name="checks")
def _checks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are checked."""
    from webagent_dev.config import toml_file

    found: list[Path] = []
    read = toml_file.read_config

    def read_config(path: Path, content: bytes | None = None) -> Any:
        found.append(path)
        return read(path, content)

    monkeypatch.setattr(toml_file, "read_config", read_config)
    return found


def test_a_second_start_finds_the_same_without_a_check(file: Path, checks: list[Path]) -> None:
    """All sections but `test`, with the types that they had."""
    first = checked_sections(file)

    assert checked_sections(file) == first
    assert checks == [file]
    assert first["server"] == {
        "port": 5000,
        "https": {"cert": "a.pem", "key": "b.pem"},
        "allow_host": [],
        "allow_origin": [],
    }
    assert isinstance(first["rules"], frozenset)
    assert "missing-output" not in first["rules"]
    assert "test" not in first


@posix
def test_the_kept_sections_have_no_passwords_and_are_private(file: Path, tmp_path: Path) -> None:
    """Only its owner can read it."""
    checked_sections(file)

    assert "hunter2" not in kept(tmp_path).read_text()
    assert stat.S_IMODE(kept(tmp_path).stat().st_mode) == 0o600


def test_another_content_or_version_is_checked(
    file: Path, checks: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake is found each time."""
    checked_sections(file)
    file.write_text(CONTENT.replace("5000", "5001"))
    assert checked_sections(file)["server"]["port"] == 5001
    monkeypatch.setattr(checked_file, "__version__", "99.0")
    assert checked_sections(file)["server"]["port"] == 5001
    file.write_text(CONTENT.replace("5000", "'5000'"))
    for _ in range(2):
        with pytest.raises(ConfigError, match="port"):
            checked_sections(file)

    assert len(checks) == 5


@posix
@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"digest": "DIGEST"}', '{"digest": "DIGEST", "sections": {}}']
)
def test_kept_sections_count_only_as_they_were_written(
    file: Path, checks: list[Path], tmp_path: Path, text: str
) -> None:
    """Something else is overwritten, and so is a file that others can read."""
    first = checked_sections(file)
    place = kept(tmp_path)
    place.write_text(text.replace("DIGEST", json.loads(place.read_text())["digest"]))
    assert checked_sections(file) == first
    place.chmod(0o644)
    assert checked_sections(file) == first

    assert len(checks) == 3
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_prices_and_a_full_disk_only_cost_time(
    file: Path, checks: list[Path], tmp_path: Path
) -> None:
    """The file is checked each time."""
    file.write_text("[llm]\nprices = { prompt = 0.25, completion = 2.0 }\n")
    for _ in range(2):
        assert str(checked_sections(file)["llm"]["prices"]["prompt"]) == "0.25"
    file.write_text(CONTENT)
    (tmp_path / "state").write_text("in the way")
    for _ in range(2):
        assert checked_sections(file)["server"]["port"] == 5000

    assert len(checks) == 4


def test_a_file_that_cannot_be_read_is_named(file: Path) -> None:
    """As without anything that is kept."""
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        checked_sections(file)


@pytest.mark.process
def test_the_second_start_does_not_load_the_check(file: Path) -> None:
    """It would take half as long as the server."""
    file.write_text("[page]\nstart = 'use'\n")
    resolve_config(str(file.parent))
    program = (
        "import sys\n"
        "from webagent_dev.config.resolve import resolve_config\n"
        "assert resolve_config(sys.argv[1]).page_options == {'start': 'use'}\n"
        "print('pydantic' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file.parent)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "False"
