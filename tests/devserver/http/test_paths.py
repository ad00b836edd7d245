"""From a URL path to a file, as an attacker would try it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from webagent_dev.http.paths import Kind, is_denied, locate, shown, url_path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/index.html", Kind.FILE),
        ("/", Kind.DIRECTORY),
        ("/nothing.html", Kind.MISSING),
        ("/index.html/", Kind.MISSING),
        ("/../outside.txt", Kind.MISSING),
        ("/./index.html", Kind.MISSING),
        ("//index.html", Kind.MISSING),
        ("/..\\outside.txt", Kind.MISSING),
        ("/index.html\0.css", Kind.MISSING),
        ("/" + "a" * 5_000, Kind.MISSING),
        ("/\ud800", Kind.MISSING),
        ("/.env", Kind.DENIED),
        ("/.ENV.local", Kind.DENIED),
        ("/.git/config", Kind.DENIED),
        ("/.git/../index.html", Kind.DENIED),
        ("/keys/server.PEM", Kind.DENIED),
        ("/tests/test_shop.py", Kind.DENIED),
    ],
)
def test_a_url_path_leads_to_one_kind_of_place(root: Path, path: str, kind: Kind) -> None:
    """Only plain names inside the root lead anywhere."""
    (root.parent / "outside.txt").write_text("secret", encoding="utf-8")

    assert locate(root, path).kind is kind


def test_links_count_as_their_targets(root: Path) -> None:
    """A link inside the root is followed; one that leaves it or leads to a kept name is not."""
    outside = root.parent / "outside.txt"
    outside.write_text("secret", encoding="utf-8")
    (root / ".env").write_text("KEY=1", encoding="utf-8")
    (root / "out.txt").symlink_to(outside)
    (root / "up").symlink_to(root.parent)
    (root / "env.txt").symlink_to(root / ".env")
    (root / "in.html").symlink_to("index.html")
    (root / "loop").symlink_to("loop")

    assert locate(root, "/out.txt").kind is Kind.DENIED
    assert locate(root, "/up/outside.txt").kind is Kind.DENIED
    assert locate(root, "/env.txt").kind is Kind.DENIED
    assert locate(root, "/loop").kind is Kind.MISSING
    assert locate(root, "/in.html").path == root / "index.html"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_special_file_counts_as_missing(root: Path) -> None:
    """A pipe would be waited for without end."""
    os.mkfifo(root / "pipe")

    assert locate(root, "/pipe").kind is Kind.MISSING


@pytest.mark.parametrize(
    "name",
    [
        ".well-known",
        "environment",
        "key.html",
        "a.env",
        ".gitignore",
        "test_shop.js",
        "run_agent.py",
    ],
)
def test_names_that_only_look_like_secrets_are_served(name: str) -> None:
    """The list is about whole names."""
    assert not is_denied(name)


def test_urls_are_written_as_browsers_write_them(root: Path) -> None:
    """So a page can compare them with the address of its stylesheet."""
    assert url_path(root, root / "css" / "a b(1)%ü.css") == "/css/a%20b(1)%25%C3%BC.css"
    assert shown(root, root / "css" / os.fsdecode(b"\xff.css")) == "css/\ufffd.css"
