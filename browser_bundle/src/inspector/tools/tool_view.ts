/** One tool: what it is, what it does to the world, its parameters, and how to call it. */
import { h, words } from "../../ui/elements.ts";
import { chip, code, fold, longText } from "../../ui/widgets.ts";
import type { Session } from "../session.ts";
import { brief, inLine } from "../../ui/display_text.ts";
import type { Tool } from "../api_types.ts";
import { CallBox } from "../call_box.ts";
import { effectClass, effectWords } from "../tool_list.ts";

const SOURCES: Record<string, string> = {
  manifest: "from the manifest",
  modelContext: "from document.modelContext",
  form: "a form of the page",
  component: "of a component",
};

export class ToolView {
  readonly element: HTMLElement;
  readonly box: CallBox;

  constructor(session: Session, tool: Tool, given?: Record<string, unknown>) {
    this.box = new CallBox(session, tool, given);
    this.element = h(
      "article",
      { class: "tool", "aria-label": brief(tool.name, 200) },
      h("h2", { dir: "auto", tabindex: "-1" }, brief(tool.name, 300)),
      tool.title && tool.title !== tool.name && h("p", { class: "title", dir: "auto" }, brief(tool.title, 300)),
      h("p", { class: "chips" }, ...chips(tool)),
      !tool.available && problem(tool),
      longText(tool.description || "Its author says nothing about it.", 1200),
      about(tool),
      this.box.element,
    );
  }
}

function chips(tool: Tool): HTMLElement[] {
  const source = Object.hasOwn(SOURCES, tool.source) ? (SOURCES[tool.source] as string) : brief(tool.source, 40);
  const made = [
    chip(effectWords(tool.effect), effectClass(tool.effect), tool.effect === "unknown" ? "its author does not say what it changes" : ""),
    chip(tool.component ? `${source} ${brief(tool.component, 60)}` : source),
  ];
  if (tool.untrusted) made.push(chip("untrusted output", "warn", "what it returns may hold words of strangers"));
  if (tool.login) made.push(chip("needs a login"));
  if (tool.idempotent) made.push(chip("idempotent", "", "calling it twice changes no more than calling it once"));
  if (tool.rate) made.push(chip(`at most ${brief(tool.rate, 40)}`));
  if (tool.timeout_s) made.push(chip(`gives up after ${tool.timeout_s} s`));
  for (const path of (tool.paths ?? []).slice(0, 10)) made.push(chip(`on ${brief(path, 80)}`));
  if (tool.frame) made.push(chip(`in the frame ${brief(tool.frame, 120)}`));
  if (tool.origin && tool.origin !== location.origin) made.push(chip(brief(tool.origin, 120), "warn"));
  return made;
}

function problem(tool: Tool): HTMLElement {
  return h(
    "div",
    { class: "notice warn" },
    h("p", {}, h("strong", {}, "It cannot be called now. "), ...words(brief(tool.problem ?? "", 1000))),
  );
}

/** Parameters, result and schemas, folded: the form says most of it. */
function about(tool: Tool): HTMLElement {
  const rows = tool.params.slice(0, 200).map((param) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, code(param.name)),
      h("td", {}, code(param.type, 300)),
      h("td", {}, param.required ? "required" : `optional${param.default === undefined || param.default === null ? "" : `, default ${inLine(param.default, 80)}`}`),
      h("td", {}, param.description && longText(param.description, 300, "span")),
    ),
  );
  const table = h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Parameters" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...["Name", "Type", "", "What it is"].map((name) => h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "Required"))))),
      h("tbody", {}, ...rows),
    ),
  );
  return h(
    "div",
    { class: "folds" },
    rows.length > 0 && fold(`Parameters (${tool.params.length})`, () => table),
    tool.returns && fold("Returns", () => longText(tool.returns, 4000, "pre")),
    fold("Schemas", () =>
      h(
        "div",
        {},
        h("h3", {}, "Input"),
        longText(JSON.stringify(tool.input_schema, null, 2), 8000, "pre"),
        tool.output_schema && h("h3", {}, "Output"),
        tool.output_schema && longText(JSON.stringify(tool.output_schema, null, 2), 8000, "pre"),
      ),
    ),
  );
}
