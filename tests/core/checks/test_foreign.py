"""A file of the same name but of another kind gets one finding that says so."""

from __future__ import annotations

import pytest

from webagent import check

OPENAPI = "openapi: 3.1.0\ninfo:\n  title: Shop\npaths:\n  /search:\n    get: {}\n"
TOOLS = '[{"name": "search", "description": "Find.", "inputSchema": {"type": "object"}}]'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!doctype html>\n<title>Shop</title>\n<div id=app></div>\n", "an HTML page"),
        ("<?xml version='1.0'?>\n<html>\n", "an HTML page"),
        (OPENAPI, "an OpenAPI description in YAML"),
        ('{"openapi": "3.1.0", "paths": {}}', "an OpenAPI description in JSON"),
        (f"# API\n\n```yaml\n{OPENAPI}```\n", "a text around an OpenAPI description in YAML"),
        (TOOLS, "a list of tools in JSON"),
        ('{"tools": []}', "a list of tools in JSON"),
        (f"# Shop\n\n## Tools\n\n```json\n{TOOLS}\n```\n", "a text around a list of tools in JSON"),
        (
            "# Shop\n\n```yaml\ntools:\n  - name: search\n```\n",
            "a text around a list of tools in YAML",
        ),
        ('{"name": "A", "url": "/", "skills": []}', "an agent card in JSON"),
        ("name: shop\nversion: 1\ntools:\n  - search\n", "a file in YAML"),
        ("User-agent: *\nDisallow: /\n", "a robots.txt"),
        (
            "# Shop\n\n## Docs\n- [A](/a): x\n- [B](/b): y\n- [C](/c): z\n",
            "a list of links (`llms.txt`)",
        ),
        (
            "# Guide\n\n## Role\nBe kind.\n\n## Our mission\nGrow.\n",
            "a guide in prose (2 sections)",
        ),
    ],
)
def test_a_file_of_another_kind_is_recognized(text: str, kind: str) -> None:
    """It has no tools, and one error that says what it is and what to write instead."""
    report = check(text)

    assert report.manifest.tools == []
    assert report.broken
    (finding,) = report.findings
    assert finding.rule == "foreign-document"
    assert finding.message == f"the file seems to be {kind}, and declares no tool"
    assert "write" in finding.help or "save" in finding.help


@pytest.mark.parametrize(
    "text",
    [
        "# Shop\n\n## search\nFind.\n\n### Params\n\n## More\n```json\n" + TOOLS + "\n```\n",
        "# Shop\n\nWe sell shoes.\n",
        "# Shop\n\n## search\nFind things.\n",
        "# Shop\n\n## Search products\n- `q` (string, required): Words.\n",
        '# Shop\n\n```json\n{ "answer": 42 }\n```\n',
        "\n",
    ],
)
def test_manifests_are_not_foreign(text: str) -> None:
    """This goes for a manifest with tools, and for one that needs few changes to have some."""
    assert "foreign-document" not in {finding.rule for finding in check(text).findings}
