/** `granted.js`: what the visitor has allowed the agent and their own assistants; loaded with the panel's details. */
import { createAuthorizer } from "../llm/fetch_bridge.ts";
import type { PanelAgent } from "../run/person.ts";
import { button, h } from "../ui/elements.ts";
import { visible } from "../ui/text_parts.ts";
import { markedWords } from "./data_view.ts";
import { fill, useTranslation, type Texts, type Translation } from "./panel_texts.ts";

/** An assistant of the visitor, as the site's server describes it. */
interface Assistant {
  id: string;
  /** Its own name for itself; may be empty. */
  name: string;
  /** The host of its document, and the one that it returns to; empty for a program on a device. */
  client: string;
  returns_to: string;
  /** The names of the tools that it may call. */
  tools: string[];
  /** Its latest calls, the last one at the end. */
  calls: { tool: string; at_s: number; outcome: string }[];
}

interface Connected {
  /** The address to give to an assistant. */
  address: string;
  assistants: Assistant[];
}

/** A tool of the page. */
interface PageTool {
  title: string;
  effect: string;
}

/** Calls of tools within this time are looked up once. */
const PAUSE_MS = 2000;
const MOST_CALLS = 5;

const CSS = `
.address { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin: 6px 0; }
.assistant { margin: 10px 0 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: var(--r); }
.assistant > :first-child { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }
.assistants { margin-top: 10px; }
.assistant h4 { margin: 0; color: var(--text); font-size: inherit; font-weight: 620; }
.assistant > p.quiet { margin-top: 4px; }
.assistant > div > button { flex: none; }
.assistant ul { list-style: none; margin: 0; padding: 0; }
.assistant label { display: flex; align-items: center; gap: 10px; min-height: 32px; cursor: pointer; }
.assistant label > span { flex: 1; min-inline-size: 0; }
.assistant input { appearance: none; flex: none; inline-size: 36px; block-size: 20px; min-block-size: 0; margin: 0; padding: 0; border-radius: 10px; cursor: pointer;
  border: 1px solid var(--field); background: radial-gradient(circle at 9px 50%, var(--field) 6px, transparent 7px); }
.assistant input:checked { border-color: var(--accent); background: radial-gradient(circle at 25px 50%, var(--on-accent) 6px, transparent 7px) var(--accent); }
.assistant input:dir(rtl) { scale: -1 1; }
.assistant input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { .assistant input { appearance: auto; } }
`;

export class Granted {
  readonly element = h("section", { class: "granted" });
  #agent: PanelAgent;
  #texts: Texts;
  #locale: string;
  #list = h("ul", { class: "allowed" });
  #assistants: Assistants | undefined;

  constructor(agent: PanelAgent, translation: Translation) {
    useTranslation(translation);
    this.#agent = agent;
    this.#texts = translation.texts;
    this.#locale = translation.locale;
    this.element.append(h("h3", {}, this.#texts.allowed_title), this.#list);
    const url = document.querySelector<HTMLElement>("script[data-assistants]")?.dataset["assistants"];
    if (url === undefined) return;
    this.#assistants = new Assistants(agent, this.#texts, this.#locale, new URL(url, document.URL));
    this.element.append(this.#assistants.element);
  }

  /** Show what is allowed now. */
  async refresh(): Promise<void> {
    const texts = this.#texts;
    const grants = await this.#agent.allowed();
    const rows = grants.map(({ key, text }) =>
      h("li", {}, h("span", { dir: "auto" }, ...markedWords(text, texts)), button("link", texts.take_back, () => void this.#takeBack(key))),
    );
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [h("li", { class: "quiet" }, texts.allowed_nothing)]));
    await this.#assistants?.refresh();
  }

  async #takeBack(key: string): Promise<void> {
    await this.#agent.revoke(key);
    await this.refresh();
  }
}

/** The assistants of the visitor, where the site lets them connect some. */
class Assistants {
  readonly element = h("section", { class: "assistants" });
  #agent: PanelAgent;
  #texts: Texts;
  #locale: string;
  #url: URL;
  #send = createAuthorizer(fetch.bind(globalThis));
  #status = h("p", { class: "quiet", role: "status" });
  #body = h("div");
  /** The tools of the page, by name. */
  #tools = new Map<string, PageTool>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #styled = false;

  constructor(agent: PanelAgent, texts: Texts, locale: string, url: URL) {
    this.#agent = agent;
    this.#texts = texts;
    this.#locale = locale;
    this.#url = url;
    this.element.append(h("h3", {}, texts.assistants), h("p", { class: "quiet" }, texts.assistants_how), this.#body, this.#status);
    agent.addEventListener("call", () => this.#later());
  }

  /** Show who is connected now. */
  async refresh(): Promise<void> {
    await this.#do({ do: "list" });
  }

  /** Look again after a call of a tool, while somebody can see it. */
  #later(): void {
    clearTimeout(this.#timer);
    if (this.element.checkVisibility()) this.#timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  /** Ask the server to do something, and show what is then. */
  async #do(asked: Record<string, string>): Promise<void> {
    this.#dress();
    try {
      const answer = await this.#send(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(asked),
        credentials: "same-origin",
        redirect: "error",
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const connected = (await answer.json()) as Connected;
      // The agent has to start for its tools, which only assistants need.
      if (connected.assistants.length > 0) this.#tools = new Map((await this.#agent.tools()).map((tool) => [String(tool["name"]), { title: String(tool["title"]), effect: String(tool["effect"]) }]));
      this.#show(connected);
      this.#status.textContent = "";
    } catch {
      this.#status.textContent = this.#texts.fault_site;
    }
  }

  #show({ address, assistants }: Connected): void {
    const texts = this.#texts;
    const root = this.element.getRootNode() as ShadowRoot;
    const focused = root.activeElement?.id;
    const copy = button("link", texts.copy, () => void this.#copy(address));
    copy.id = "copy-address";
    this.#body.replaceChildren(
      h("p", { class: "address" }, h("code", { dir: "ltr" }, address), copy),
      ...assistants.map((one) => this.#assistant(one)),
    );
    if (assistants.length > 1) this.#body.append(button("link", texts.disconnect_all, () => void this.#do({ do: "disconnect" })));
    if (focused) (root.getElementById(focused) ?? copy).focus();
  }

  #assistant(one: Assistant): HTMLElement {
    const texts = this.#texts;
    const name = visible(one.name) || one.client || texts.title;
    const end = button("link", texts.disconnect, () => void this.#do({ do: "disconnect", id: one.id }));
    end.id = `end-${one.id}`;
    end.setAttribute("aria-label", `${texts.disconnect}: ${name}`);
    const names = [...this.#tools.keys(), ...one.tools.filter((tool) => !this.#tools.has(tool))];
    const calls = one.calls.slice(-MOST_CALLS).reverse().map(({ tool, at_s: at, outcome }) => {
      const when = new Date(at * 1000).toLocaleTimeString(this.#locale, { timeStyle: "short" });
      const what = this.#titleOf(tool);
      const how = outcome === "denied" ? fill(texts.refused, { what }) : `${what} · ${outcome === "ok" ? texts.done : texts.failed}`;
      return h("li", {}, h("bdi", {}, when), " · ", h("bdi", {}, how));
    });
    return h(
      "article",
      { class: "assistant", "aria-label": name },
      h("div", {}, h("h4", { dir: "auto" }, name), end),
      one.client !== "" && one.client !== name && h("p", { class: "quiet" }, h("bdi", {}, one.client)),
      h("ul", {}, ...names.map((tool) => this.#switch(one, tool))),
      h("p", { class: "quiet" }, texts.did_last),
      h("ul", { class: "quiet" }, ...(calls.length > 0 ? calls : [h("li", {}, texts.allowed_nothing)])),
    );
  }

  #switch(one: Assistant, tool: string): HTMLElement {
    const box = h("input", { type: "checkbox", role: "switch", id: `${one.id}-${tool}`, checked: one.tools.includes(tool) });
    // Only a person changes it: a script can call `click()`.
    box.addEventListener("click", (event) => {
      if (event.isTrusted) void this.#do({ do: box.checked ? "allow" : "forbid", id: one.id, tool });
      else event.preventDefault();
    });
    const effect = this.#tools.get(tool)?.effect ?? "unknown";
    return h("li", {}, h("label", {}, h("span", {}, h("bdi", {}, this.#titleOf(tool)), h("small", { class: "quiet" }, ` – ${this.#effect(effect)}`)), box));
  }

  #titleOf(tool: string): string {
    return visible(this.#tools.get(tool)?.title || tool);
  }

  #effect(effect: string): string {
    const { effect_read, effect_write, effect_irreversible, effect_unknown } = this.#texts;
    return { read: effect_read, write: effect_write, irreversible: effect_irreversible }[effect] ?? effect_unknown;
  }

  async #copy(address: string): Promise<void> {
    await navigator.clipboard.writeText(address).then(
      () => (this.#status.textContent = this.#texts.done),
      () => (this.#status.textContent = this.#texts.fault_site),
    );
  }

  #dress(): void {
    const root = this.element.getRootNode();
    if (this.#styled || !(root instanceof ShadowRoot)) return;
    this.#styled = true;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets.push(sheet);
  }
}
