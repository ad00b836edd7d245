/** The tools of the shown page, and the chosen tool. */
import { brief, inLine } from "../ui/display_text.ts";
import { button, h, words } from "../ui/elements.ts";
import { chip, code, empty, fold, longText } from "../ui/widgets.ts";
import type { Address } from "./address.ts";
import { ApiError } from "./api_client.ts";
import type { PageTools, Tool } from "./api_types.ts";
import { CallBox } from "./call_box.ts";
import { failureNotice } from "./result_view.ts";
import type { Session } from "./session.ts";
import { noPage } from "./shell.ts";
import { effectClass, effectWords, ToolList } from "./tool_list.ts";

/** Most tools whose forms keep what was filled in. */
const MOST_KEPT = 50;
const PAUSE_MS = 100;

interface ToolState {
  /** The tool as text, to find out whether it has changed. */
  text: string;
  view: ToolView;
}

export class ToolsView {
  readonly element = h("div", { class: "tools" });
  #session: Session;
  #address: Address;
  #list = new ToolList((name) => this.#choose(name));
  #detail = h("div", { class: "detail" });
  #tools: readonly Tool[] = [];
  #kept = new Map<string, ToolState>();
  #shown: ToolState | undefined;
  #visible = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loads = 0;
  #loaded = "";

  constructor(session: Session, address: Address) {
    this.#session = session;
    this.#address = address;
    session.on("pages", () => this.#loadSoon());
    session.on("page", () => this.#loadSoon());
    this.element.append(noPage(session));
  }

  /** Show the tool that the address names. */
  arrive(): void {
    this.#visible = true;
    this.#loadSoon();
    this.#show();
  }

  leave(): void {
    this.#visible = false;
  }

  /** Show a tool with these arguments filled in. */
  open(name: string, given: Record<string, unknown>): void {
    this.#address.tool = name;
    const tool = this.#tools.find((one) => one.name === name);
    if (tool) this.#kept.set(name, { text: JSON.stringify(tool), view: new ToolView(this.#session, tool, given) });
    this.#show();
  }

  /** A page that starts or is left sends several messages at once, so wait for the last one. */
  #loadSoon(): void {
    if (!this.#visible) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#load();
    }, PAUSE_MS);
  }

  async #load(): Promise<void> {
    const { page } = this.#session;
    const load = ++this.#loads;
    if (!page) {
      this.#loaded = "";
      this.element.replaceChildren(noPage(this.#session));
      return;
    }
    try {
      const { state, tools } = await this.#session.api.get<PageTools>(`pages/${encodeURIComponent(page.page_id)}/tools`);
      if (load !== this.#loads) return;
      const text = `${page.page_id} ${page.url} ${state} ${JSON.stringify(tools)}`;
      if (text === this.#loaded) return;
      this.#loaded = text;
      this.#take(state, tools);
    } catch (thrown) {
      // The list of pages reports a closed page, and the connection a lost server.
      if (load !== this.#loads || (thrown instanceof ApiError && [0, 404, 409].includes(thrown.status))) return;
      this.element.replaceChildren(failureNotice(thrown));
    }
  }

  /** Any request starts the agent; the page then reports its new state. */
  #startAgent(): void {
    const { page } = this.#session;
    if (!page) return;
    this.element.replaceChildren(withoutTools("starting", () => {}));
    const path = `pages/${encodeURIComponent(page.page_id)}/prompt`;
    this.#session.api.post(path, {}).catch((thrown: unknown) => this.element.replaceChildren(failureNotice(thrown)));
  }

  #take(state: string, tools: readonly Tool[]): void {
    this.#tools = tools;
    if (tools.length === 0) {
      this.element.replaceChildren(withoutTools(state, () => this.#startAgent()));
      return;
    }
    if (!this.#list.element.isConnected) this.element.replaceChildren(this.#list.element, this.#detail);
    this.#show();
    this.#list.show(tools, this.#address.tool);
  }

  #choose(name: string): void {
    this.#address.tool = name;
    this.#show();
  }

  #show(): void {
    const tool = this.#tools.find(({ name }) => name === this.#address.tool);
    this.#list.mark(this.#address.tool);
    if (!tool) {
      this.#shown = undefined;
      const gone = this.#address.tool !== "";
      this.#detail.replaceChildren(
        empty(gone ? "This page has no such tool." : "Choose a tool to see what it does and to call it."),
      );
      return;
    }
    const kept = this.#keep(tool);
    if (kept === this.#shown) return;
    this.#shown = kept;
    this.#detail.replaceChildren(kept.view.element);
  }

  /** The view of a tool with what was filled in; it is made again if the tool has changed. */
  #keep(tool: Tool): ToolState {
    const text = JSON.stringify(tool);
    const old = this.#kept.get(tool.name);
    if (old?.text === text) return old;
    const made = { text, view: new ToolView(this.#session, tool, old?.view.box.given) };
    this.#kept.delete(tool.name);
    this.#kept.set(tool.name, made);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return made;
  }
}

function withoutTools(state: string, start: () => void): HTMLElement {
  switch (state) {
    case "idle":
      return empty(
        "The agent of this page has not started.",
        h("p", { class: "quiet" }, "It starts when it is first used, or when the page is idle."),
        button("primary", "Start it now", start),
      );
    case "starting":
      return empty("The agent of this page is starting.", h("p", { class: "quiet" }, "Its tools appear here then; a page in the background may take longer."));
    case "failed":
      return empty("The agent of this page could not start.", h("p", { class: "quiet" }, "The timeline and the terminal say why."));
    default:
      return empty(
        "This page offers no tools.",
        h("p", { class: "quiet" }, "A tool is a section of the manifest with a function of the same name, a tool on document.modelContext, a form with a toolname, or a component."),
      );
  }
}

const SOURCES: Record<string, string> = {
  manifest: "from the manifest",
  modelContext: "from document.modelContext",
  form: "a form of the page",
  component: "of a component",
};

/** A tool: its description, its effect, its parameters, and a form to call it. */
class ToolView {
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
  if (tool.untrusted) made.push(chip("untrusted output", "warn", "its result may contain text from strangers"));
  if (tool.login) made.push(chip("needs a login"));
  if (tool.idempotent) made.push(chip("idempotent", "", "calling it twice changes no more than calling it once"));
  if (tool.rate) made.push(chip(`at most ${brief(tool.rate, 40)}`));
  if (tool.timeout_s) made.push(chip(`times out after ${tool.timeout_s} s`));
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

/** Parameters, result and schemas, folded, because the form shows most of this. */
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
      h("thead", {}, h("tr", {}, ...["Name", "Type", "", "Description"].map((name) => h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "Required"))))),
      h("tbody", {}, ...rows),
    ),
  );
  return h(
    "div",
    { class: "folds" },
    rows.length > 0 && fold(`Parameters (${tool.params.length})`, () => table),
    tool.returns && fold("Returns", () => longText(tool.returns, 4000, "code")),
    fold("Schemas", () =>
      h(
        "div",
        {},
        h("h3", {}, "Input"),
        longText(JSON.stringify(tool.input_schema, null, 2), 8000, "code"),
        tool.output_schema && h("h3", {}, "Output"),
        tool.output_schema && longText(JSON.stringify(tool.output_schema, null, 2), 8000, "code"),
      ),
    ),
  );
}
