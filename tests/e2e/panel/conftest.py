"""Pages with the panel and with runs, driven by scripted events."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.panel.site import SOURCES, Site, build

RUNS = """<title>runs</title><body><script type="module">
import { RunKeeper } from "/run.js";
// An agent that does nothing but say what it is told.
const seen = window.seen = [];
const owner = {
  resume: () => seen.push(`resumed ${keeper.load()}`),
  abandon: () => seen.push("abandoned"),
};
const keeper = window.keeper = new RunKeeper(owner);
window.taken = await keeper.takeUp();
if (window.taken) owner.resume();
window.looked = true;
</script>"""


@pytest.fixture(name="site", scope="session")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("scripts")
    scripts = {"/run.js": build("run/index.ts", folder / "run.js")}
    scripts["/panel.js"] = build("panel/index.ts", folder / "panel.js")
    scripts["/kept.js"] = build("run/kept.ts", folder / "kept.js")
    scripts["/axe.js"] = (SOURCES / "node_modules" / "axe-core" / "axe.min.js").read_bytes()
    site = Site(scripts)
    yield site
    site.stop()


@pytest.fixture(name="runs")
def _runs(site: Site) -> Iterator[str]:
    """URL of a page that takes up runs; `two`, `three` beside it do the same."""
    site.headers.clear()
    for path in ("/one", "/two", "/three"):
        site.page(path, RUNS)
    yield f"{site.origin}/one"
    site.headers.clear()
