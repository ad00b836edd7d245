"""A program with the same answer in CPython and the built bundle: its last expression."""

import json
import random

from webagent.checks import check
from webagent.codegen import generate_typescript
from webagent.serializer import to_markdown


def answer(text: str) -> dict[str, object]:
    """Return everything that the language makes of a manifest, as plain data."""
    report = check(text)
    return {
        "manifest": report.manifest.model_dump(mode="json"),
        "findings": report.to_dict()["findings"],
        "typescript": generate_typescript(report.manifest),
        "markdown": to_markdown(report.manifest),
    }


def mangled(text: str, seed: int) -> str:
    """Return the text with a few stretches moved and removed, the same everywhere."""
    chance = random.Random(seed)
    for _ in range(8):
        start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, start + 40)
        to = chance.randrange(len(text) + 1)
        text = (
            text[:start] + text[end:]
            if chance.random() < 0.5
            else text[:to] + text[start:end] + text[to:]
        )
    return text


texts = json.loads(TEXTS)  # type: ignore[name-defined]  # noqa: F821
json.dumps([answer(mangled(text, seed) if seed else text) for text in texts for seed in range(4)])
