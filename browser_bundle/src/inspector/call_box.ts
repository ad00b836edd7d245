/** Calls a tool: its arguments, the button, the result, and code for the same call. */
import type { Result } from "../base/results.ts";
import { button, h, onSubmit, submitByKey } from "../ui/elements.ts";
import { Tabs } from "../ui/tabs.ts";
import { copyButton, keep, kept, longText } from "../ui/widgets.ts";
import type { Tool } from "./api_types.ts";
import { snippets } from "./call_snippets.ts";
import { ArgumentForm } from "./form/argument_form.ts";
import { failureNotice, resultView } from "./result_view.ts";
import type { Session } from "./session.ts";
import { effectWords } from "./tool_list.ts";

const LONGEST_MS = 30_000;
/** Time limit for a form that a person has to submit. */
const FORM_MS = 600_000;
/** The chosen language of the code, for all tools. */
let language = kept("language", 0);

export class CallBox {
  readonly element: HTMLElement;
  #session: Session;
  #tool: Tool;
  #arguments: ArgumentForm;
  #row = h("div", { class: "row callrow" });
  #outcome = h("div", { class: "outcome", "aria-live": "polite" });
  #code: Tabs;
  #running: AbortController | undefined;

  constructor(session: Session, tool: Tool, given?: Record<string, unknown>) {
    this.#session = session;
    this.#tool = tool;
    this.#code = this.#codeTabs();
    const key = `call ${tool.name}`;
    const before = kept<Record<string, unknown>>(key, {});
    const changed = () => {
      this.#code.refresh();
      keep(key, withoutSecrets(this.#arguments.value ?? {}));
    };
    this.#arguments = new ArgumentForm(tool.input_schema, changed, given ?? (Object.keys(before).length > 0 ? before : undefined));
    const form = h(
      "form",
      { novalidate: true, class: "call" },
      this.#arguments.isEmpty ? h("p", { class: "quiet" }, "It takes no arguments.") : this.#arguments.element,
      this.#row,
    );
    onSubmit(form, () => this.#ask());
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submitByKey(event, form);
    });
    this.#code.refresh();
    this.#showButton();
    this.element = h(
      "div",
      { class: "callbox" },
      h("section", { class: "side" }, h("h3", {}, "Call it"), form),
      h(
        "section",
        { class: "side" },
        h("h3", {}, "Result"),
        this.#outcome,
        h("h3", {}, "The same in code"),
        this.#code.element,
      ),
    );
    this.#outcome.append(h("p", { class: "quiet" }, "No call yet."));
  }

  /** The arguments that are filled in. */
  get given(): Record<string, unknown> | undefined {
    return this.#arguments.value;
  }

  #codeTabs(): Tabs {
    const all = () => snippets(this.#tool, this.#arguments?.value ?? {}, this.#session.page?.url ?? location.origin);
    const labels = ["JavaScript", "By name", "Python", "Shell", "curl"];
    return new Tabs(
      "Language of the code",
      labels.map((label, place) => ({ label, content: () => longText(all()[place]?.text ?? "", 4000, "code") })),
      language,
      (place) => keep("language", (language = place)),
      copyButton(() => all()[language]?.text ?? ""),
    );
  }

  #showButton(): void {
    const { effect } = this.#tool;
    const call = h("button", { type: "submit", class: `primary ${effect === "irreversible" ? "danger" : ""}` }, "Call");
    const said = effect === "read" ? undefined : h("span", { class: `effect ${effect}` }, effectWords(effect));
    this.#row.replaceChildren(call, ...(said ? [said] : []));
  }

  #ask(): void {
    if (this.#running || !this.#arguments.check()) return;
    if (this.#tool.effect === "irreversible") this.#confirm();
    else void this.#call();
  }

  /** A call that cannot be undone requires a second press, on another button. */
  #confirm(): void {
    const back = () => {
      this.#showButton();
      this.#row.querySelector("button")?.focus();
    };
    const yes = button("danger primary", "Call it anyway", () => void this.#call());
    const no = button("", "Back", back);
    this.#row.replaceChildren(h("span", { class: "effect irreversible" }, "This cannot be undone."), yes, no);
    this.#row.onkeydown = (event) => {
      if (event.key === "Escape" && no.isConnected) back();
    };
    no.focus();
  }

  async #call(): Promise<void> {
    const page = this.#session.page;
    if (!page) {
      this.#show(h("p", {}, "No page is open any longer - open one in another tab."));
      this.#showButton();
      return;
    }
    const running = (this.#running = new AbortController());
    const stop = button("", "Stop", () => running.abort());
    this.#row.replaceChildren(stop, h("span", { class: "quiet busy" }, "Calling …"));
    stop.focus({ preventScroll: true });
    const body = callOf(this.#tool, this.#arguments.value ?? {});
    try {
      const path = `pages/${encodeURIComponent(page.page_id)}/call`;
      const result = await this.#session.api.post<Result>(path, body, { signal: running.signal });
      this.#show(resultView(result));
      this.#end();
      if (!result.ok && result.error.path) this.#arguments.showAt(result.error.path, result.error.message);
    } catch (thrown) {
      this.#show(failureNotice(thrown));
      this.#end();
    }
  }

  #end(): void {
    this.#running = undefined;
    const had = this.#row.contains(document.activeElement);
    this.#showButton();
    if (had) this.#row.querySelector("button")?.focus({ preventScroll: true });
  }

  #show(content: HTMLElement): void {
    this.#outcome.replaceChildren(content);
  }
}

/** Names of arguments that no storage gets. */
const SECRET = /pass|pwd|secret|token|pin$|cvv|cvc|card|iban/i;

function withoutSecrets(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !SECRET.test(name)));
}

/** The request to the server; the page limits the time of a tool. */
export function callOf(tool: Tool, given: Record<string, unknown>): object {
  const { name, source, timeout_s } = tool;
  const timeout_ms = source === "form" ? FORM_MS : timeout_s ? timeout_s * 1000 : LONGEST_MS;
  return { name, arguments: given, timeout_ms, caller: "inspector" };
}
