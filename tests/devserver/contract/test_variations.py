"""Answered calls with one argument less, or with another declared value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.devserver.contract.kit import World, failed, line, manifest, proof, prove, tool
from webagent_dev.contract.harness import PageEvent, PageEventKind

GRAMS = "- `grams` (number, required): How much."


def volume(*params: str, sample: str = 'await global.volume(500, "flour");') -> str:
    """Return the manifest of a tool with these parameters."""
    return manifest(tool("volume", "\n".join(params), "number", sample))


def refusing(of: str | None) -> None:
    """Refuse what is neither flour nor water."""
    if of not in ("flour", "water"):
        raise ValueError("of has to be flour or water")


def always(grams: float, of: str | None = None) -> float:
    """Need the second argument in every call."""
    refusing(of)
    return grams * 2


def some(grams: float, of: str | None = None) -> float:
    """Need the second argument with more than nothing."""
    if grams > 0:
        refusing(of)
    return grams * 2


def either(grams: float | None = None, of: str | None = None) -> float:
    """Need one of two."""
    if grams is None:
        refusing(of)
    return (grams or 1) * 2


@pytest.mark.parametrize(
    ("grams", "of", "function", "blamed"),
    [
        (GRAMS, '("flour" | "water", optional, default="water")', always, True),
        (GRAMS, '("flour" | "water", optional)', always, True),
        (GRAMS, '("flour" | "water", optional)', some, False),
        ("- `grams` (500, required): How much.", '("flour" | "water", optional)', always, True),
        (
            "- `grams` (number, optional): How much.",
            '("flour" | "water", optional)',
            either,
            False,
        ),
    ],
)
async def test_an_argument_that_may_be_left_out_is_left_out(
    grams: str, of: str, function: Callable[..., Any], blamed: bool
) -> None:
    """Without a default it may be needed with some values of others, or one of several may be."""
    text = volume(grams, f"- `of` {of}: Of what.")
    report = await prove(text, {"volume": function})

    assert failed(report) == (["arguments"] if blamed else [])
    if blamed:
        found = proof(report, "arguments")
        assert "`of` of `volume` may be left out" in found.message
        assert found.place is not None
        assert found.place.line == line(text, "- `of`")


KINDS = '- `of` ("flour" | "water" | "dry salt", required): Of what.'


@pytest.mark.parametrize(
    ("refusal", "blamed"),
    [
        ("of has to be one of flour, water, sea-salt", True),
        ("of has to be flour, not dry salt", False),
        ("there is none", False),
    ],
)
async def test_a_declared_value_that_every_call_refuses(refusal: str, blamed: bool) -> None:
    """It fails if the function names other declared values instead, and is noted otherwise."""

    def measured(grams: float, of: str) -> float:
        if of == "dry salt":
            raise ValueError(refusal)
        return grams * 2

    text = volume(GRAMS, KINDS)
    report = await prove(text, {"volume": measured})
    found = proof(report, "arguments")

    assert failed(report) == (["arguments"] if blamed else [])
    said = found.message if blamed else " ".join(found.remarks)
    assert '"dry salt" for `of` is declared, and `volume` refuses' in said
    if blamed:
        assert found.place is not None
        assert found.place.line == line(text, "- `of`")
        assert found.call.endswith('"dry salt")')


async def test_a_declared_value_that_some_calls_refuse_is_no_fault() -> None:
    """The other arguments have to fit it."""

    def measured(grams: float, of: str) -> float:
        if of == "dry salt" and grams >= 500:
            raise ValueError("of so much has to be flour or water")
        return grams * 2

    report = await prove(volume(GRAMS, KINDS), {"volume": measured})

    assert failed(report) == []
    assert "dry salt" not in " ".join(proof(report, "arguments").remarks)


@pytest.mark.parametrize("blamed", [True, False])
async def test_a_page_that_is_not_there_without_an_optional_argument(blamed: bool) -> None:
    """With it, the call leads to one that is."""

    def make(world: World) -> dict[str, Any]:
        def show(grams: float, of: str | None = None) -> int:
            events = [PageEvent(PageEventKind.NAVIGATION, "/flour")]
            if of is None and blamed:
                events.append(PageEvent(PageEventKind.DEAD_END, "`/null`: 404"))
            world.pending_events.extend(events)
            return 1

        return {"volume": show}

    text = volume(GRAMS, '- `of` ("flour" | "water", optional): Of what.')
    report = await prove(text, World(make))

    assert failed(report) == (["arguments"] if blamed else [])
    if blamed:
        found = proof(report, "arguments")
        assert "without `of`, `volume` leads to a page that answers with an error" in found.message
        assert found.place is not None
        assert found.place.line == line(text, "- `of`")
