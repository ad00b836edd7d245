"""Files in the values of tools: what they are by their bytes, and where they are kept."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from webagent.agent.person import Files, GivenFile
from webagent.page.values import FileValue, decode, files_taken, media_type, plain

PNG = b"\x89PNG\r\n\x1a\n" + bytes(10)


def tag(data: bytes, name: Any = "", kind: Any = "") -> dict[str, Any]:
    """Return a file as a page writes it."""
    value = base64.b64encode(data).decode()
    return {"$type": "file", "value": value, "name": name, "type": kind}


@pytest.mark.parametrize(
    ("declared", "data", "kind"),
    [
        ("image/jpeg", PNG, "image/png"),
        ("text/plain", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("", b"GIF89a", "image/gif"),
        ("", b"RIFF....WEBPVP8 ", "image/webp"),
        ("image/png", b"<script>", "application/octet-stream"),
        ("image/svg+xml", b"<svg>", "application/octet-stream"),
        ("TEXT/CSV; charset=utf-8", b"a,b", "text/csv"),
        ("text/html\r\nx: y", b"", "application/octet-stream"),
        ("", b"", "application/octet-stream"),
    ],
)
def test_a_picture_is_one_by_its_bytes(declared: str, data: bytes, kind: str) -> None:
    """A page may declare anything; only other types are taken as declared."""
    assert media_type(declared, data) == kind


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("chart.png", "chart.png"),
        ("", "file.png"),
        ("../../etc/passwd", "etcpasswd"),
        ("a\\b:c\u202e\x00.png", "abc.png"),
        (7, "7"),
        ("..", "file.png"),
        ("x" * 500, "x" * 100),
    ],
)
def test_names_are_those_of_files(given: Any, name: str) -> None:
    """Neither paths nor unseen characters are left in a name."""
    file = FileValue.read(tag(PNG, given))

    assert file is not None
    assert file.name == name


def test_files_are_taken_out_of_values() -> None:
    """Those of the value, its list or its object are taken; anything else is as it was."""
    kept: list[FileValue] = []

    def keep(file: FileValue) -> str:
        kept.append(file)
        return f"n{len(kept)}"

    png = tag(PNG)
    taken = {"file": "n1", "type": "image/png", "size": len(PNG)}
    broken = {"$type": "file", "value": "%"}

    assert files_taken(png, keep) == taken
    assert files_taken([1, png], keep) == [1, taken | {"file": "n2"}]
    assert files_taken({"a": png, "b": broken}, keep) == {"a": taken | {"file": "n3"}, "b": broken}
    assert files_taken("text", keep) == "text"
    assert files_taken({"$type": "object", "value": {"a": png}}, keep)["$type"] == "object"
    assert sum("$type" in each for each in files_taken([png] * 30, keep)) == 10


def test_a_file_is_plain_data_for_programs() -> None:
    """Python reads its bytes; JSON has them in Base64."""
    assert decode(tag(b"a,b", "x.csv", "text/csv")) == {
        "name": "x.csv",
        "type": "text/csv",
        "data": b"a,b",
    }
    assert plain(tag(b"a", "x", "text/csv"))["data"] == "YQ=="


def test_files_of_tools_keep_names_of_their_own() -> None:
    """A tool cannot replace what the person gave, nor an earlier result; the oldest go first."""
    files = Files()
    files.give([GivenFile("cv.pdf", "", b"mine")])
    names = [files.keep(GivenFile("cv.pdf", "", b"theirs")) for _ in range(2)]
    given = files.get("cv.pdf")

    assert names == ["cv-2.pdf", "cv-3.pdf"]
    assert given is not None
    assert given.data == b"mine"
    assert [files.keep(GivenFile(f"{i}", "", b"")) for i in range(60)] == [
        str(i) for i in range(60)
    ]
    assert len(files.pictures) == 50


def test_a_screenshot_replaces_no_file() -> None:
    """Neither one that a tool has called so, nor an earlier one when the oldest have gone."""
    files = Files()
    names = [files.picture(b"1"), files.keep(GivenFile("screenshot-2.png", "", b"theirs"))]
    names += [files.picture(bytes([each])) for each in range(60)]

    assert len(set(names)) == 62
    assert names[2] == "screenshot-2-2.png"
    assert [file.data for file in files.pictures] == [bytes([each]) for each in range(10, 60)]
