"""Which site a run of tests is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from webagent_dev.testing.settings import Settings, site_of
from webagent_site.errors import UsageError


def settings(site: str | None = None, base: Path = Path(), url: str | None = None) -> Settings:
    return Settings(site, base, url, artifacts=None, headed=False, trace=True)


def test_a_folder_that_was_named_counts(tmp_path: Path) -> None:
    """It is relative to where it was written."""
    (tmp_path / "shop").mkdir()

    assert site_of(settings("shop", tmp_path), (), (Path("/"),)) == tmp_path / "shop"
    with pytest.raises(UsageError, match="is not a folder"):
        site_of(settings("other", tmp_path), (), (tmp_path,))


@pytest.mark.parametrize("sign", ["webagents.md", "webagent.toml"])
def test_a_site_is_looked_for_around_the_tests(tmp_path: Path, sign: str) -> None:
    """Its own files tell it, from the tests' folder upwards."""
    tests = tmp_path / "shop" / "tests" / "deep"
    tests.mkdir(parents=True)
    (tmp_path / "shop" / sign).write_text("", "utf-8")
    (tests / "index.html").write_text("", "utf-8")

    assert site_of(settings(), (), (tests, tmp_path)) == tmp_path / "shop"
    assert site_of(settings(), (tests / "test_site.py",), (tmp_path,)) == tmp_path / "shop"


def test_a_run_tests_one_site(tmp_path: Path) -> None:
    """Tests of two are told apart by whoever runs them."""
    for name in ("shop", "blog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "webagents.md").write_text("", "utf-8")
    files = [tmp_path / "shop/test_a.py", tmp_path / "blog/test_b.py", tmp_path / "test_c.py"]

    assert site_of(settings(), files[1:], (tmp_path,)) == tmp_path / "blog"
    with pytest.raises(UsageError, match=r"`.*shop` and `.*blog` - one run tests one site"):
        site_of(settings(), files, (tmp_path,))
    assert site_of(settings("shop", tmp_path), files, (tmp_path,)) == tmp_path / "shop"


def test_a_folder_with_pages_only_is_a_site_too(tmp_path: Path) -> None:
    """A site that runs already needs no folder at all."""
    with pytest.raises(UsageError, match=r"write `--webagent-root FOLDER`"):
        site_of(settings(), (), (tmp_path,))
    assert site_of(settings(url="http://localhost:5173"), (), (tmp_path,)) == tmp_path
    (tmp_path / "index.html").write_text("", "utf-8")
    assert site_of(settings(), (), (tmp_path,)) == tmp_path
