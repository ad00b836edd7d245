"""Flame graphs: what is drawn, as wide as it takes long, and what is left out."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree

from tests.bench.flame_graph import WIDTH, svg

SVG = "{http://www.w3.org/2000/svg}"
STACKS = {
    ("main (webagent/a.py)", "read (webagent/b.py)"): 60.0,
    ("main (webagent/a.py)", "main (webagent/a.py)", "<lambda> (c & d.py)"): 39.6,
    ("main (webagent/a.py)", "tiny"): 0.4,
}


def frames() -> dict[str, ElementTree.Element]:
    """Return the frames of the picture, by what they say."""
    root = ElementTree.fromstring(svg("Check <one>", defaultdict(float, STACKS)))
    return {group.findtext(f"{SVG}title", ""): group for group in root.iter(f"{SVG}g")}


def test_each_frame_says_its_name_and_time() -> None:
    """A frame that calls itself is drawn once, and one below half a percent not at all."""
    assert list(frames()) == [
        "main (webagent/a.py): 100.0 ms, 100.0%",
        "read (webagent/b.py): 60.0 ms, 60.0%",
        "<lambda> (c & d.py): 39.6 ms, 39.6%",
    ]


def test_a_frame_is_as_wide_as_its_time() -> None:
    """And begins where the one before it ends, below its caller."""
    places = [group.find(f"{SVG}rect") for group in frames().values()]
    main, read, other = ({} if place is None else place.attrib for place in places)

    assert float(main["width"]) == WIDTH
    assert float(read["width"]) == float(other["x"]) == WIDTH * 0.6
    assert float(read["y"]) == float(other["y"]) > float(main["y"])


def test_our_own_frames_have_another_color() -> None:
    """So that the picture shows what is ours."""
    places = [group.find(f"{SVG}rect") for group in frames().values()]
    main, read, other = (place is not None and place.get("fill") for place in places)

    assert main == read != other
