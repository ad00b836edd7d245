"""The declarations for a site's own code: an interface of its tools, and its functions as globals."""

from __future__ import annotations

import re

from webagent.codegen.identifiers import RESERVED
from webagent.codegen.typescript import generate_typescript
from webagent.parser.names import is_identifier
from webagent.types import Manifest

_INTERFACE = "WebAgentTools"

_OWN = (_INTERFACE, "Implements")

_GLOBAL = re.compile(r"^declare const global: \{(.*?)\};(?:\n\nexport \{\};)?\n\Z", re.M | re.S)
_SHARED = re.compile(r"^(?=(?:interface|type) )", re.MULTILINE)

_HEAD = """\
/* eslint-disable */
/*
 * The tools that webagents.md promises, for the code of the site. Written from the manifest: write it
 * again after a change. The build of the site then fails when a function takes other arguments than
 * the manifest says, or returns something else:
 *
 *   globalThis.NAME = async (…) => { … };
 *
 * It also fails when a function is missing, where all of them are in one object:
 *
 *   import type { Implements, WebAgentTools } from "./webagent-tools";
 *
 *   const tools: Implements<WebAgentTools> = { … };
 *   Object.assign(globalThis, tools);
 */

/** Functions with the declared results; those that do not wait for anything need no promise. */
export type Implements<Tools> = {
  [Name in keyof Tools]: Tools[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

"""

_TAKEN = re.compile(
    r"addEventListener|alert|atob|blur|btoa|caches|cancelAnimationFrame|"
    r"cancelIdleCallback|captureEvents|clearImmediate|clearInterval|clearTimeout|"
    r"clientInformation|close|closed|confirm|console|cookieStore|createImageBitmap|"
    r"crossOriginIsolated|crypto|customElements|decodeURI|decodeURIComponent|"
    r"devicePixelRatio|dispatchEvent|document|encodeURI|encodeURIComponent|escape|event|"
    r"exports|external|fetch|focus|frameElement|frames|gc|getComputedStyle|getSelection|"
    r"global|globalThis|history|indexedDB|innerHeight|innerWidth|isFinite|isNaN|"
    r"isSecureContext|length|localStorage|location|locationbar|matchMedia|menubar|module|"
    r"moveBy|moveTo|name|navigation|navigator|open|opener|orientation|origin|"
    r"originAgentCluster|outerHeight|outerWidth|pageXOffset|pageYOffset|parent|parseFloat|"
    r"parseInt|performance|personalbar|postMessage|print|process|prompt|queueMicrotask|"
    r"releaseEvents|removeEventListener|reportError|requestAnimationFrame|"
    r"requestIdleCallback|require|resizeBy|resizeTo|scheduler|screen|screenLeft|screenTop|"
    r"screenX|screenY|scroll|scrollBy|scrollTo|scrollX|scrollY|scrollbars|self|"
    r"sessionStorage|setImmediate|setInterval|setTimeout|speechSynthesis|status|statusbar|"
    r"stop|structuredClone|toString|toolbar|top|unescape|visualViewport|webagent|"
    r"webkitURL|window"
    r"|on[a-z]+|[A-Z].*"
)
"""Names of the browser, of Node and of the agent, which TypeScript has declared already.

Those at the end are the events and the classes of a browser.
"""


class TakenTypeName(ValueError):
    """A shared type has a name that the types of a site need."""


def generate_page_types(manifest: Manifest) -> str:
    """Return a module in TypeScript that checks the functions of a site against its manifest.

    It has the interface `WebAgentTools`, and each tool as a global of its type. A tool whose name
    TypeScript has declared already, such as `print`, is in the interface alone.

    Raises:
        TakenTypeName: A shared type has a name that the module needs.
    """
    declarations = generate_typescript(manifest, docs=True)
    found = _GLOBAL.search(declarations)
    assert found is not None
    shared = _SHARED.sub("export ", declarations[: found.start()])
    for name in _OWN:
        if re.search(rf"^export \w+ {name}\b", shared, re.MULTILINE):
            raise TakenTypeName(
                f"`{name}` under `## Types` has the name of a type that is declared here - "
                "two types cannot have one name - rename it in the manifest"
            )
    names = dict.fromkeys(tool.name for tool in manifest.tools if _is_free(tool.name))
    functions = "".join(f'  var {name}: Implements<{_INTERFACE}>["{name}"];\n' for name in names)
    return (
        f"{_HEAD}{shared}export interface {_INTERFACE} {{{found[1]}}}\n\n"
        f"declare global {{\n  interface WebAgentGlobal extends {_INTERFACE} {{}}\n{functions}}}\n"
    )


def _is_free(name: str) -> bool:
    return is_identifier(name) and name not in RESERVED and not _TAKEN.fullmatch(name)
