/** A group of the timeline, unfolded: a call with its states, a run with its steps, a log line. */
import type { ErrorData } from "../base/errors.ts";
import type { Result } from "../base/results.ts";
import type { AgentEvent } from "../run/run_events.ts";
import { brief, duration } from "../ui/display_text.ts";
import { button, h } from "../ui/elements.ts";
import { chip, code, copyButton, fault, fold, longText } from "../ui/widgets.ts";
import type { PageTools, Tool } from "./api_types.ts";
import { callOf } from "./call_box.ts";
import { failureNotice, resultView, valueView } from "./result_view.ts";
import { RunConversation } from "./run_conversation.ts";
import type { Session } from "./session.ts";
import { isCut, isMasked, namedArguments, type Group } from "./timeline_groups.ts";

export interface EntryActions {
  /** Open a tool with these arguments filled in. */
  open(tool: string, given: Record<string, unknown>): void;
}

export class EntryView {
  readonly element: HTMLElement;
  #session: Session;
  #group: Group;
  #acts: EntryActions;
  #body = h("div", { class: "entry-body" });
  #again = h("div", { class: "again", "aria-live": "polite" });
  #conversation: RunConversation | undefined;
  #shownEntries = new WeakSet<object>();

  constructor(session: Session, group: Group, acts: EntryActions) {
    this.#session = session;
    this.#group = group;
    this.#acts = acts;
    this.element = h("article", { class: "entry", "aria-label": brief(group.title, 200) }, this.#body, this.#again);
    this.show();
  }

  /** Show entries that were added since. */
  show(): void {
    const group = this.#group;
    if (group.kind === "agent") this.#showRun();
    else if (group.kind === "call") this.#body.replaceChildren(this.#head(), ...this.#call());
    else this.#body.replaceChildren(this.#head(), ...this.#plain());
  }

  /** The group is no longer shown. */
  close(): void {
    this.#conversation?.close();
  }

  #head(): HTMLElement {
    const { title, state, duration_ms, caller, page_id, entries } = this.#group;
    const page = this.#session.pages.find((one) => one.page_id === page_id);
    return h(
      "div",
      {},
      h("h2", { dir: "auto", tabindex: "-1" }, brief(title, 300)),
      h(
        "p",
        { class: "chips" },
        state !== "none" && chip(state, stateClass(state)),
        duration_ms !== undefined && chip(duration(duration_ms)),
        caller && chip(`by ${brief(caller, 60)}`),
        page_id && chip(page ? brief(page.title || page.url, 80) : "a page that was closed"),
        chip(new Date(entries[0]?.at ?? 0).toLocaleTimeString()),
      ),
    );
  }

  #call(): HTMLElement[] {
    const merged: Record<string, unknown> = Object.assign({}, ...this.#group.entries.map(({ detail }) => detail));
    const error = merged["error"] as ErrorData | undefined;
    const progress = this.#group.entries.filter(({ detail }) => detail["state"] === "progress");
    const first = Date.parse(this.#group.entries[0]?.at ?? "");
    const parts: HTMLElement[] = [];
    if (merged["cut"]) parts.push(h("p", { class: "notice" }, `It is too long to be kept (${String(merged["cut"])} characters).`));
    if (merged["arguments"] !== undefined) parts.push(h("h3", {}, "Arguments"), valueView(merged["arguments"]));
    if (progress.length > 0) {
      const said = progress.map(({ detail }) => h("li", {}, longText(String(detail["message"]), 1000, "span")));
      parts.push(h("h3", {}, "Said meanwhile"), h("ol", {}, ...said));
    }
    if (error) parts.push(h("h3", {}, "Error"), fault(error));
    else if (Object.hasOwn(merged, "value")) parts.push(h("h3", {}, "Result"), valueView(merged["value"]));
    const states = this.#group.entries.map(({ at, detail }) =>
      h("li", {}, code(String(detail["state"])), ` after ${duration(Date.parse(at) - first)}`),
    );
    parts.push(fold("States", () => h("ol", {}, ...states)));
    // An entry that was too long to keep cannot be repeated, nor can one that is not a call of a tool.
    const isTool = merged["source"] !== "action";
    if (isTool && !merged["cut"] && merged["arguments"] !== undefined && !isCut(merged["arguments"])) parts.push(this.#replayRow(String(merged["name"]), merged["arguments"]));
    return parts;
  }

  #showRun(): void {
    if (!this.#conversation) {
      this.#conversation = new RunConversation();
      this.#body.replaceChildren(h("div"), this.#conversation.element);
    }
    this.#body.firstElementChild?.replaceWith(this.#head());
    for (const entry of this.#group.entries) {
      if (this.#shownEntries.has(entry)) continue;
      this.#shownEntries.add(entry);
      if (!entry.detail["cut"]) this.#conversation.add(entry.detail as unknown as AgentEvent);
    }
  }

  #plain(): HTMLElement[] {
    const detail = this.#group.entries.at(-1)?.detail ?? {};
    const text = detail["text"] ?? detail["message"];
    return [
      ...(typeof text === "string" ? [longText(text, 20_000, "pre"), copyButton(() => text)] : []),
      ...(typeof detail["place"] === "string" && detail["place"] ? [h("p", { class: "quiet" }, code(detail["place"]))] : []),
      ...(typeof text === "string" ? [] : [valueView(detail)]),
    ];
  }

  #replayRow(name: string, given: unknown): HTMLElement {
    const row = h("div", { class: "row" });
    const again = button("primary", "Call it again", () => void this.#replay(name, given, row));
    row.append(again, button("", "Open in Tools", () => void this.#openInTools(name, given)));
    if (isMasked(given)) {
      again.disabled = true;
      row.append(h("p", { class: "quiet" }, "Secret values were not kept: open the call in Tools and fill them in."));
    }
    return row;
  }

  async #openInTools(name: string, given: unknown): Promise<void> {
    const tool = await this.#tool(name);
    const named = tool && namedArguments(given, tool.params);
    if (named) this.#acts.open(name, named);
    else this.#again.replaceChildren(this.#gone(name));
  }

  async #replay(name: string, given: unknown, row: HTMLElement): Promise<void> {
    const tool = await this.#tool(name);
    const named = tool && namedArguments(given, tool.params);
    if (!tool || !named) {
      this.#again.replaceChildren(this.#gone(name));
    } else if (tool.effect === "irreversible") {
      const yes = button("danger primary", "Call it anyway", () => void this.#send(tool, named));
      const no = button("", "Back", () => {
        this.#again.replaceChildren();
        row.querySelector("button")?.focus();
      });
      this.#again.replaceChildren(h("div", { class: "row" }, h("span", { class: "effect irreversible" }, "This cannot be undone."), yes, no));
      no.focus();
    } else {
      await this.#send(tool, named);
    }
  }

  async #send(tool: Tool, given: Record<string, unknown>): Promise<void> {
    const running = new AbortController();
    const stop = button("", "Stop", () => running.abort());
    this.#again.replaceChildren(h("div", { class: "row" }, stop, h("span", { class: "quiet busy" }, "Calling …")));
    try {
      const path = `pages/${encodeURIComponent(this.#pageId())}/call`;
      const result = await this.#session.api.post<Result>(path, callOf(tool, given), { signal: running.signal });
      this.#again.replaceChildren(h("h3", {}, "And now"), resultView(result));
    } catch (thrown) {
      this.#again.replaceChildren(failureNotice(thrown));
    }
  }

  async #tool(name: string): Promise<Tool | undefined> {
    try {
      const { tools } = await this.#session.api.get<PageTools>(`pages/${encodeURIComponent(this.#pageId())}/tools`);
      return tools.find((tool) => tool.name === name);
    } catch {
      return undefined;
    }
  }

  /** The page of the entry if it is still open, else the shown page. */
  #pageId(): string {
    const there = this.#session.pages.some(({ page_id }) => page_id === this.#group.page_id);
    return (there ? this.#group.page_id : this.#session.page?.page_id) ?? "";
  }

  #gone(name: string): HTMLElement {
    return h("p", { class: "notice warn" }, "No open page has the tool ", code(name), " with these arguments now.");
  }
}

export function stateClass(state: string): string {
  return state === "ok" ? "good" : state === "failed" ? "bad" : state === "running" ? "warn" : "";
}
