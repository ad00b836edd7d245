"""The pictures of the documentation: each is shown, small, and made by a command."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.bench import flame
from tests.bench.growth import PICTURE
from tests.e2e.pictures import IMAGES, PICTURES
from tests.test_docs import PAGES

MOST_BYTES = 2_000_000
MOST_OF_A_FLAME_GRAPH = 60_000
FLAMES = [flame.picture(name, when) for name in flame.PATHS for when in flame.WHEN]
FILES = sorted([PICTURE.name, *FLAMES, *(name for names in PICTURES.values() for name in names)])
SHOWN = re.compile(r"!\[([^\]]+)\]\(([^)\s]+)\)")


def test_there_are_those_that_are_made() -> None:
    """And no others."""
    assert sorted(path.name for path in IMAGES.iterdir()) == FILES


@pytest.mark.parametrize("name", FILES)
def test_each_is_shown(name: str) -> None:
    """On a page, with words for those who do not see it."""
    shown = {
        (page.parent / target).resolve(): words
        for page in PAGES
        for words, target in SHOWN.findall(page.read_text("utf-8"))
    }

    assert len(shown[IMAGES / name]) > 20


@pytest.mark.parametrize("name", FILES)
def test_each_is_small(name: str) -> None:
    """A page of the documentation loads quickly."""
    assert (IMAGES / name).stat().st_size < MOST_BYTES


@pytest.mark.parametrize("name", FLAMES)
def test_a_flame_graph_is_only_a_picture(name: str) -> None:
    """It says what each frame is, and runs nothing."""
    path = IMAGES / name
    drawn = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}

    assert drawn == {"svg", "rect", "path", "text", "g", "title"}
    assert path.stat().st_size < MOST_OF_A_FLAME_GRAPH


def test_the_first_one_moves() -> None:
    """It shows a goal from its first word to the basket, and begins again."""
    first = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    found = SHOWN.search(first)

    assert found is not None
    assert found[2] == "docs/images/demo.webp"
    with Image.open(IMAGES / "demo.webp") as film:
        assert getattr(film, "n_frames", 1) > 20
        assert film.info["loop"] == 0
