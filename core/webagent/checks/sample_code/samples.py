"""Rules about sample code."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

_SEARCH = (
    "# Shop\n\n## searchProducts\nFind.\n\n### Params\n- `query` (string, required): Words.\n\n"
)

SAMPLES = (
    Rule(
        "unfenced-code",
        Severity.WARNING,
        "Sample code stands in no fence.",
        "Markdown may change what it takes for markup, such as `*` and `_`.",
        "# Shop\n\n## pay\nPay.\n\n### Sample Code\nawait global.pay();\n",
        "# Shop\n\n## pay\nPay.\n\n### Sample Code\n```js\nawait global.pay();\n```\n",
    ),
    Rule(
        "sample-syntax",
        Severity.WARNING,
        "Sample code cannot be JavaScript: something is never closed, brackets do not match, an "
        "operator lacks its operand, or two values stand side by side.",
        "Agents write their own code after the samples. The code is split into tokens, not parsed, "
        "so other mistakes are not found.",
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes);\n```\n',
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
    ),
    Rule(
        "sample-without-call",
        Severity.WARNING,
        "The sample code of a tool does not call the tool.",
        "It was probably copied from another one, and shows an agent nothing about this one.",
        _SEARCH + '### Sample Code\n```js\nawait fetch("/search?q=shoes");\n```\n',
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
    ),
    Rule(
        "sample-unknown-tool",
        Severity.WARNING,
        "Sample code calls a function of `global` that the manifest does not declare.",
        "Agents can call declared tools only; a call like this fails.",
        _SEARCH + '### Sample Code\n```js\nawait global.searchproducts("shoes");\n```\n',
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
    ),
    Rule(
        "sample-arguments",
        Severity.WARNING,
        "Sample code calls a tool with too few or too many arguments, or with one object.",
        "Arguments go by position, in the order of the parameters; agents copy the way it is shown.",
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts({ query: "shoes" });\n```\n',
        _SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
    ),
)
