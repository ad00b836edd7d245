"""Input and clicks reach React and Vue as those of a person do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.dom.conftest import Dom, build

REACT = """
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
function Form() {
  const [state, setState] = useState({ name: "", size: "s", gift: false, way: "post", note: "", sent: 0 });
  const set = (name, read = "value") => (event) => setState((old) => ({ ...old, [name]: event.target[read] }));
  return h("form", { onSubmit: (event) => { event.preventDefault(); setState((old) => ({ ...old, sent: old.sent + 1 })) } },
    h("input", { "aria-label": "Name", value: state.name, onChange: set("name") }),
    h("input", { "aria-label": "Caps", value: state.caps ?? "", onChange: (event) => setState((old) => ({ ...old, caps: event.target.value.toUpperCase() })) }),
    h("textarea", { "aria-label": "Note", value: state.note, onChange: set("note") }),
    h("select", { "aria-label": "Size", value: state.size, onChange: set("size") }, ["s", "m"].map((v) => h("option", { key: v, value: v }, v.toUpperCase()))),
    h("input", { type: "checkbox", "aria-label": "Gift", checked: state.gift, onChange: set("gift", "checked") }),
    ["post", "shop"].map((way) => h("input", { key: way, type: "radio", name: "way", "aria-label": way, value: way, checked: state.way === way, onChange: set("way") })),
    h("button", { disabled: !state.name }, "Send"),
    h("div", { onClick: () => setState((old) => ({ ...old, sent: 10 })) }, "Card"),
    h("p", { role: "status" }, JSON.stringify(state)));
}
createRoot(document.getElementById("app")).render(h(Form));
"""

VUE = """
import { createApp, h, reactive, vModelCheckbox, vModelRadio, vModelSelect, vModelText, withDirectives } from "@vue/runtime-dom";
createApp({ setup() {
  const state = reactive({ name: "", caps: "", note: "", size: "s", gift: false, way: "post", sent: 0 });
  const model = (node, how, name, change = (v) => v) => { node.props["onUpdate:modelValue"] = (v) => { state[name] = change(v) };
    return withDirectives(node, [[how, state[name]]]) };
  return () => h("form", { onSubmit: (event) => { event.preventDefault(); state.sent += 1 } }, [
    model(h("input", { "aria-label": "Name" }), vModelText, "name"),
    model(h("input", { "aria-label": "Caps" }), vModelText, "caps", (v) => v.toUpperCase()),
    model(h("textarea", { "aria-label": "Note" }), vModelText, "note"),
    model(h("select", { "aria-label": "Size" }, ["s", "m"].map((v) => h("option", { value: v }, v.toUpperCase()))), vModelSelect, "size"),
    model(h("input", { type: "checkbox", "aria-label": "Gift" }), vModelCheckbox, "gift"),
    ...["post", "shop"].map((way) => model(h("input", { type: "radio", name: "way", "aria-label": way, value: way }), vModelRadio, "way")),
    h("button", { disabled: !state.name }, "Send"),
    h("div", { onClick: () => { state.sent = 10 } }, "Card"),
    h("p", { role: "status" }, JSON.stringify(state)) ]);
} }).mount("#app");
"""


@pytest.fixture(name="apps", scope="session")
def _apps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same form, controlled by each framework."""
    folder = tmp_path_factory.mktemp("apps")
    apps = {}
    for name, source in (("react", REACT), ("vue", VUE)):
        place = Path(folder / f"{name}.mjs")
        place.write_text(source, encoding="utf-8")
        defines = [
            '--define:process.env.NODE_ENV="production"',
            "--define:__VUE_OPTIONS_API__=true",
        ]
        more = [
            "--define:__VUE_PROD_DEVTOOLS__=false",
            "--define:__VUE_PROD_HYDRATION_MISMATCH_DETAILS__=false",
        ]
        apps[name] = build(str(place), folder / f"{name}.js", "--format=iife", *defines, *more)
    return apps


async def open_app(dom: Dom, app: str) -> None:
    dom.site.scripts["/app.js"] = app
    await dom.open("<body><div id=app></div><script src=/app.js></script>")
    await dom.page.wait_for_selector("form")


@pytest.mark.parametrize("framework", ["react", "vue"])
async def test_controlled_fields_take_values(
    dom: Dom, apps: dict[str, str], framework: str
) -> None:
    """The framework's own state has what was entered, and does not put the old value back."""
    await open_app(dom, apps[framework])
    reply = await dom.act(
        "enter_data",
        form_data=[
            {"label": "Name", "text": "Ada"},
            {"label": "Note", "text": "two\nlines"},
            {"label": "Size", "select": ["M"]},
            {"label": "Gift", "check": True},
            {"label": "shop", "check": True},
        ],
        submit=True,
    )
    state = await dom.evaluate("JSON.parse(document.querySelector('[role=status]').textContent)")

    assert {name: state[name] for name in ("name", "note", "size", "gift", "way", "sent")} == {
        "name": "Ada",
        "note": "two\nlines",
        "size": "m",
        "gift": True,
        "way": "shop",
        "sent": 1,
    }
    assert await dom.evaluate("document.querySelector('[aria-label=Name]').value") == "Ada"
    assert reply["changed"]["alerts"]


@pytest.mark.parametrize("framework", ["react", "vue"])
async def test_fields_that_change_what_is_entered(
    dom: Dom, apps: dict[str, str], framework: str
) -> None:
    """A field that turns its text into capitals is not an error."""
    await open_app(dom, apps[framework])
    await dom.act("enter_data", form_data=[{"label": "Caps", "text": "abc"}])

    assert await dom.evaluate("document.querySelector('[aria-label=Caps]').value") == "ABC"


@pytest.mark.parametrize("framework", ["react", "vue"])
async def test_listeners_of_frameworks_are_seen(
    dom: Dom, apps: dict[str, str], framework: str
) -> None:
    """An element that only the framework knows to be clickable is listed, and hears the click."""
    await open_app(dom, apps[framework])
    await dom.act("click", pp_id=await dom.id("Card", "clickable"))

    assert '"sent":10' in await dom.evaluate("document.querySelector('[role=status]').textContent")
