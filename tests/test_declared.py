from pathlib import Path

from tests.compat.texts import COMPACT, STORE
from tests.declared import fuzzed, refused
from webagent import parse

ROOT = Path(__file__).parents[1]


def test_written_manifests_compile() -> None:
    """The format's examples, the template, and tools of every kind are valid TypeScript."""
    files = (ROOT / "site_template/webagents.md", ROOT / "tests/cases/varied.md")
    texts = [STORE, COMPACT, *(file.read_text(encoding="utf-8") for file in files)]

    assert refused(map(parse, texts)) == []


def test_any_manifest_compiles() -> None:
    """The declarations and the context of any manifest are valid TypeScript."""
    found = fuzzed(60)

    assert len(found) > 45
    assert refused(found) == []
