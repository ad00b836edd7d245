"""`webagent-dev schema`: the schemas of all tools."""

from __future__ import annotations

import json

from click.testing import CliRunner
from jsonschema import Draft202012Validator

from webagent_dev.cli.main import main

MANIFEST = """\
# Shop

## Types
```ts
interface Product { id: string }
```

## search
Find.

### Params
- `query` (string, required): Words.

### Output
`Product[]`

## pay
Pay.

### Params
"""


def test_each_tool_has_its_schemas() -> None:
    """For its arguments by name, and for its result if it is declared; shared types are followed."""
    result = CliRunner().invoke(main, ["schema", "-"], input=MANIFEST)
    search, pay = json.loads(result.stdout)["tools"]

    assert (search["name"], search["description"]) == ("search", "Find.")
    assert search["inputSchema"]["required"] == ["query"]
    output = Draft202012Validator(search["outputSchema"])
    assert output.is_valid([{"id": "a"}])
    assert not output.is_valid([{"id": 1}])
    assert "outputSchema" not in pay
