"""The contracts of the packages on npm: what they export, and the types that are written for a site."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.reference.contracts import ROOT, column, rows
from tests.reference.tables import code, codes
from tests.reference.typescript import exports
from webagent import parse
from webagent.codegen import generate_page_types

NPM = ROOT / "npm"
SHOP = "# Shop\n\n## search\nFind.\n\n### Params\n\n## print\nPrint.\n\n### Params\n"


def test_exports() -> None:
    """The values that the sources of each module export."""
    found = []
    for name in _workspaces():
        given = _package(name)["exports"]
        modules = {".": given} if isinstance(given, str) else given
        for module, target in modules.items():
            if isinstance(target, str) and target.startswith("./dist/"):
                source = target.replace("./dist/", "src/").replace(".js", ".ts")
                text = (NPM / name / source).read_text("utf-8")
                kinds = exports(text)
                found.append((name, module, sorted(n for n in kinds if kinds[n] == "value")))

    assert [
        (code(row["package"]), code(row["module"]), sorted(codes(row["exports"])))
        for row in rows("Packages on npm")
    ] == found


def test_versions() -> None:
    """All packages have one version, and need exactly that of each other."""
    packages = [_package(name) for name in _workspaces()]
    (version,) = {package["version"] for package in packages}
    for package in packages:
        ours = {n: v for n, v in package.get("dependencies", {}).items() if n in _workspaces()}
        assert set(ours.values()) <= {version}


def test_types_for_a_site() -> None:
    """The names that a site's own code sees."""
    text = generate_page_types(parse(SHOP))
    exported = re.findall(r"^export (?:type|interface) (\w+)", text, re.MULTILINE)
    interface = re.findall(r"^  interface (\w+) extends WebAgentTools \{\}$", text, re.MULTILINE)
    functions = re.findall(r"^  var (\w+):", text, re.MULTILINE)

    assert column("Packages on npm", "name", 1) == [*reversed(exported), *interface]
    assert functions == ["search"]


def _workspaces() -> list[str]:
    names: list[str] = _json("package.json")["workspaces"]
    return names


def _package(name: str) -> dict[str, Any]:
    return _json(f"{name}/package.json")


def _json(name: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads((NPM / name).read_text("utf-8"))
    return described
