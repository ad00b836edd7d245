/** What came of a call: value or error, what it printed, how long it took. */
import { h } from "../ui/elements.ts";
import { chip, copyButton, fault, longText } from "../ui/widgets.ts";
import { Tabs } from "../ui/tabs.ts";
import { brief, duration } from "../ui/display_text.ts";
import { valueTree } from "./value_tree.ts";
import type { Result } from "./api_types.ts";

/** Characters of JSON that are shown at first. */
const SHOWN = 20_000;

/** How people like to see values; kept while they go from tool to tool. */
let form = 0;

export function resultView(result: Result): HTMLElement {
  const { duration_ms, logs, calls } = result;
  return h(
    "div",
    { class: "result" },
    h(
      "p",
      { class: "verdict" },
      chip(result.ok ? "ok" : "failed", result.ok ? "good" : "bad"),
      h("span", { class: "quiet" }, duration(duration_ms)),
    ),
    result.ok ? valueView(result.value) : fault(result.error),
    logs?.length > 0 &&
      h(
        "section",
        {},
        h("h4", {}, "Printed"),
        h("ol", { class: "logs" }, ...logs.slice(0, 500).map(({ level, text }) =>
          h("li", { class: brief(level, 10) }, chip(brief(level, 10)), longText(String(text), 2000, "span")),
        )),
      ),
    // The call itself is no news; those that a program made are.
    calls?.length > 1 &&
      h(
        "section",
        {},
        h("h4", {}, "Calls that it made"),
        h("ol", {}, ...calls.slice(0, 200).map(({ name }) => h("li", {}, h("code", {}, brief(name, 200))))),
      ),
  );
}

/** A value as a tree or as JSON. */
export function valueView(value: unknown): HTMLElement {
  const json = () => JSON.stringify(value, null, 2) ?? "undefined";
  const tabs = new Tabs(
    "Form of the value",
    [
      { label: "Tree", content: () => valueTree(value) },
      { label: "JSON", content: () => longText(json(), SHOWN, "pre") },
    ],
    form,
    (place) => (form = place),
    copyButton(json, "Copy JSON"),
  );
  return tabs.element;
}
