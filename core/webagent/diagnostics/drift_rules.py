"""The rules for drift between a manifest and its page. `registry/drift.py` has the comparison."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

_SEARCH = "# Shop\n\n## searchProducts\nFind products.\n\n### Params\n- `query` (string, required): Words.\n"
_CART = _SEARCH + "\n## getCart\nList the items in the cart.\n\n### Params\n"
_OUTPUT = "\n### Output\n```typescript\nArray<{ name: string; price: number }>\n```\n"

MISSING_FUNCTION = Rule(
    "missing-function",
    Severity.WARNING,
    what="The manifest declares a tool, and the page has neither a function nor a registered tool of "
    "that name, even some seconds after it is ready.",
    why="A call of the tool on this page fails. If the tool belongs to other pages, say so "
    "with `paths:`.",
    bad=_CART,
    good=_SEARCH,
    script="globalThis.searchProducts = async (query) => [];",
)

UNDECLARED_FUNCTION = Rule(
    "undeclared-function",
    Severity.INFO,
    what="The page has a function that looks made for agents, but the manifest does not declare it.",
    why="Agents do not know it. Functions of libraries are ignored, and so are names that begin "
    "with `_` or `$`.",
    bad=_SEARCH,
    good=_CART,
    script="globalThis.searchProducts = async (query) => [];\nglobalThis.getCart = async () => [];",
)

WRONG_ARITY = Rule(
    "wrong-arity",
    Severity.WARNING,
    what="The function of the page takes another number of arguments than the manifest declares.",
    why="Declared arguments are lost, or the function does not get what it needs.",
    bad=_CART,
    good=_CART.replace("Words.\n", "Words.\n- `limit` (number, required): How many.\n"),
    script="globalThis.searchProducts = async (query, limit) => [];\nglobalThis.getCart = async () => [];",
)

RESULT_MISMATCH = Rule(
    "result-mismatch",
    Severity.WARNING,
    what="A call did not return what the output declares.",
    why="Agents write code for the declared type, and it fails with the real value. Calls are "
    "checked in development only.",
    bad=_SEARCH + _OUTPUT,
    good=_SEARCH + _OUTPUT.replace("price: number", "price: string"),
    script='globalThis.searchProducts = async (query) => [{ name: "Mug", price: "9.50" }];',
)

UNKNOWN_AGENT_MODE = Rule(
    "unknown-agent-mode",
    Severity.WARNING,
    what="The page has an element whose `data-agent` is neither `ignore`, `mask` nor `readonly`.",
    why="Such a value closes nothing: agents see and use the part that the site's author wanted to "
    "keep from them.",
    bad=_SEARCH,
    good=_SEARCH,
    script='globalThis.searchProducts = async (query) => [];\ndocument.documentElement.dataset.agent = "hidden";',
    good_script='globalThis.searchProducts = async (query) => [];\ndocument.documentElement.dataset.agent = "ignore";',
)
