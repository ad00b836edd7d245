"""The scripted replies of tests have the shapes of the official packages."""

from __future__ import annotations

import json

import pytest

from tests.oracles.readers import event_type
from tests.provider_turns import MODEL, answer
from webagent.llm import ScriptedFetch, connect_model
from webagent.llm.providers import PROVIDERS, Provider


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda provider: provider.name)
@pytest.mark.parametrize("name", ["", "search"])
def test_events_of_scripted_replies_have_the_shape_of_the_package(
    provider: Provider, name: str
) -> None:
    """Each event is valid for the type that the package has for it."""
    client = type(connect_model(f"{provider.name}:{MODEL}", ScriptedFetch())).__name__
    lines = answer(provider.protocol, "Hello there", name, {"query": "x"}).body.decode().split("\n")
    texts = [line.removeprefix("data: ") for line in lines if not line.startswith("event:")]
    events = [json.loads(text) for text in texts if text.startswith("{")]

    assert len(events) > 2
    for event in events:
        if event.get("type") != "ping":
            event_type(client).validate_python(event)
