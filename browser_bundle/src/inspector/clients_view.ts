/** Shows how agent programs connect: the address, and the setup of each program. */
import { counted, line } from "../ui/display_text.ts";
import { h, words } from "../ui/elements.ts";
import { Tabs } from "../ui/tabs.ts";
import { chip, code, coloured, copyButton, empty } from "../ui/widgets.ts";
import { ApiError } from "./api_client.ts";
import type { ClientProgram, Endpoints, PageTools } from "./api_types.ts";
import { failureNotice } from "./result_view.ts";
import type { Session } from "./session.ts";

export class ClientsView {
  readonly element = h("div", { class: "doors" });
  #session: Session;
  #offered = h("p", { role: "status" });
  #shown = "";
  #client = 0;
  #load = 0;
  #visible = false;

  constructor(session: Session) {
    this.#session = session;
    // A restarted server may have other doors, at another address.
    session.on("connection", (connection) => connection === "connected" && this.#visible && void this.#look());
    session.on("pages", () => this.#visible && void this.#count());
  }

  arrive(): void {
    this.#visible = true;
    void this.#look();
    void this.#count();
  }

  leave(): void {
    this.#visible = false;
  }

  async #look(): Promise<void> {
    try {
      const doors = await this.#session.api.get<Endpoints>("doors");
      const text = JSON.stringify(doors);
      if (text === this.#shown) return;
      this.#shown = text;
      this.element.replaceChildren(...this.#show(doors));
    } catch (thrown) {
      if (this.#session.connection !== "connected") return;
      this.#shown = "";
      this.element.replaceChildren(failureNotice(thrown));
    }
  }

  #show({ doors, mcp, a2a }: Endpoints): Node[] {
    if (!mcp) return [closed()];
    const { url, problem, clients } = mcp;
    const tabs = new Tabs(
      "Program",
      clients.map((client) => ({ label: client.title, content: () => steps(client) })),
      this.#client,
      (place) => (this.#client = place),
      copyButton(() => clients[this.#client]?.snippet ?? ""),
    );
    const open = doors === "open";
    return [
      h("p", {}, "Claude Code, VS Code and other agent programs use the page that you have open, with its session, through this door. They speak MCP."),
      h(
        "div",
        { class: "row" },
        h("span", { class: "quiet" }, "Address"),
        code(url),
        copyButton(() => url, "Copy address"),
        chip(open ? "open" : "token needed", open ? "warn" : "good"),
      ),
      this.#offered,
      ...(problem ? [h("p", { class: "notice warn" }, ...words(problem))] : []),
      ...(open ? [h("p", { class: "notice warn" }, ...words("Every program on this machine may come in without the token: `serve` was started with `--doors open`. `headers` may be left out below."))] : []),
      tabs.element,
      ...(a2a ? agents(a2a.card) : []),
    ];
  }

  /** Show how many tools a program would find now. */
  async #count(): Promise<void> {
    const load = ++this.#load;
    const said = await this.#offer().catch((thrown: unknown) => [thrown instanceof ApiError ? thrown.message : String(thrown)]);
    if (load !== this.#load || this.#session.connection !== "connected") return;
    const offered = h("span", {}, ...said);
    // An unchanged text is not announced again.
    if (this.#offered.textContent !== offered.textContent) this.#offered.replaceChildren(offered);
  }

  async #offer(): Promise<(Node | string)[]> {
    const { api, pages, server } = this.#session;
    if (pages.length === 0) {
      const url = server?.url ?? location.origin;
      return ["No page of the site is open, so only the server’s own tools are offered. Open ", h("a", { href: url, target: "_blank", rel: "noopener" }, url), "."];
    }
    try {
      const { state, tools } = await api.get<PageTools>("pages/focused/tools");
      if (tools.length === 0 && state === "failed") return ["The agent of the page in focus could not start, so only the server’s own tools are offered."];
      if (tools.length === 0 && state !== "ready") return ["The agent of the page in focus has not started yet; its tools are offered as soon as it has, the server’s own at once."];
      const count = tools.filter(({ available }) => available !== false).length;
      return [h("strong", {}, counted(count, "tool")), " of the page in focus ", count === 1 ? "is" : "are", " offered now, and the server’s own."];
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.kind !== "no_page") throw thrown;
      return [`Only the server’s own tools are offered: ${line(thrown.message, 400)} - ${thrown.help}.`];
    }
  }
}

function closed(): HTMLElement {
  return empty(
    "The doors are off, so no agent program comes in.",
    h("p", {}, ...words("Start `webagent-dev serve` with `--doors token`, or write `doors = \"token\"` under `[server]` in `webagent.toml`: then Claude Code, VS Code and others can use the open page, if they show the token.")),
  );
}

/** The card for other agents. */
function agents(card: string): HTMLElement[] {
  return [
    h("h2", { class: "small" }, "Other agents"),
    h("p", {}, "They give tasks to the agent of the page by A2A, and show the same token. Their card says where:"),
    h("div", { class: "row" }, h("span", { class: "quiet" }, "Card"), code(card), copyButton(() => card, "Copy card")),
  ];
}

/** The steps to set a program up, in order. */
function steps({ title, file, snippet, command, token_note, token, note }: ClientProgram): HTMLElement {
  return h(
    "div",
    { class: "steps" },
    h("h2", { class: "small" }, ...(file ? ["Into ", code(file), ` of the project in which you use ${title}`] : ["Into the program’s own file"])),
    ...(note ? [h("p", { class: "quiet" }, ...words(sentence(note)))] : []),
    h("pre", { tabindex: "0" }, ...coloured(snippet)),
    ...(command ? [h("p", {}, "Or let this write it, in that project; it shows what would change first:"), typed(command)] : []),
    h("h2", { class: "small" }, "The token"),
    h("p", {}, ...words(sentence(token_note))),
    ...(token ? [typed(token)] : []),
  );
}

/** A line for a terminal. */
function typed(command: string): HTMLElement {
  return h("div", { class: "row typed" }, h("pre", {}, ...coloured(command)), copyButton(() => command, "Copy command"));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.:]$/.test(text) ? "" : ".");
}
