/** The frame of the inspector: the views, the page, and the state of the connection. */
import { line } from "../ui/display_text.ts";
import { button, h, words } from "../ui/elements.ts";
import { chip, empty } from "../ui/widgets.ts";
import type { Address } from "./address.ts";
import type { Page } from "./api_types.ts";
import { FOCUSED, type Session } from "./session.ts";

export interface View {
  name: string;
  title: string;
  element: HTMLElement;
  /** Called when the view is shown. */
  arrive(): void;
  /** Called when the view is hidden. */
  leave?(): void;
}

export class InspectorShell {
  readonly element: HTMLElement;
  #session: Session;
  #address: Address;
  #views: readonly View[];
  #links: HTMLAnchorElement[];
  #main = h("main", { tabindex: "-1" });
  #pages = h("select", { "aria-label": "Page" });
  #facts = h("span", { class: "facts" });
  #bar = h("div", { class: "offline", role: "alert", hidden: true });
  #status = h("span", { class: "status", role: "status" });
  #shown: View | undefined;
  /** The view with a request that waits for a person. */
  #asks = "";

  constructor(session: Session, address: Address, views: readonly View[]) {
    this.#session = session;
    this.#address = address;
    this.#views = views;
    this.#links = views.map((view) => {
      const link = h("a", { href: address.href(view.name) }, view.title);
      link.addEventListener("click", (event) => {
        // With a modifier key the browser opens another tab, which will ask for the token.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        address.view = view.name;
        this.show();
      });
      return link;
    });
    this.#pages.addEventListener("change", () => session.choose(this.#pages.value));
    address.onMove(() => this.show());
    session.on("connection", () => this.#showConnection());
    session.on("pages", () => this.#showPages());
    session.on("page", () => this.#showPages());
    this.element = h(
      "div",
      { class: "shell" },
      h("a", { class: "skip", href: "#main" }, "Skip to the content"),
      h(
        "header",
        {},
        h("h1", {}, "webagent"),
        h("nav", { "aria-label": "Views" }, ...this.#links),
        h("div", { class: "where" }, this.#pages, this.#facts),
        this.#status,
      ),
      this.#bar,
      this.#main,
    );
    this.#main.id = "main";
    this.element.querySelector(".skip")?.addEventListener("click", (event) => {
      // The fragment stays out of the address.
      event.preventDefault();
      this.#main.focus();
    });
    this.#showConnection();
    this.#showPages();
    this.show();
  }

  /** Mark a view with a request that waits for a person. */
  mark(name: string, asks: boolean): void {
    this.#asks = asks ? name : "";
    this.#links.forEach((link, place) => {
      const marked = asks && this.#views[place]?.name === name;
      link.classList.toggle("asks", marked);
      link.replaceChildren(this.#views[place]?.title ?? "", ...(marked ? [h("span", { class: "unseen" }, " asks you something")] : []));
    });
    this.#showTitle();
  }

  /** Show the view that the address names. */
  show(): void {
    const view = this.#views.find(({ name }) => name === this.#address.view) ?? this.#views[0]!;
    this.#links.forEach((link, place) => {
      link.href = this.#address.href(this.#views[place]?.name);
      if (this.#views[place] === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    if (view !== this.#shown) {
      this.#shown?.leave?.();
      this.#shown = view;
      this.#main.replaceChildren(view.element);
    }
    this.#showTitle();
    view.arrive();
  }

  #showTitle(): void {
    document.title = `${this.#asks ? "● " : ""}${this.#shown?.title ?? ""} – webagent inspector`;
  }

  #showPages(): void {
    const { pages, page, chosen } = this.#session;
    const known = pages.some(({ page_id }) => page_id === chosen);
    const options: [string, string][] = [[FOCUSED, page && chosen === FOCUSED ? `Focused: ${nameOf(page)}` : "The focused page"]];
    for (const one of pages) options.push([one.page_id, nameOf(one)]);
    if (chosen !== FOCUSED && !known) options.push([chosen, "A page that was closed"]);
    // Replacing the options would close an open list.
    const text = JSON.stringify(options);
    if (this.#pages.dataset["options"] !== text) {
      this.#pages.dataset["options"] = text;
      this.#pages.replaceChildren(...options.map(([value, label]) => h("option", { value }, label)));
    }
    this.#pages.value = chosen;
    this.#facts.replaceChildren(
      ...(page
        ? [
            h("span", { class: "path", dir: "auto" }, line(pathOf(page.url), 80)),
            chip(page.state, page.state === "ready" ? "good" : page.state === "failed" ? "bad" : "warn", "state of the agent in the page"),
            ...(page.focused ? [chip("focus", "focus", "this page has the focus")] : []),
          ]
        : [h("span", { class: "quiet" }, "no page is open")]),
    );
  }

  #showConnection(): void {
    const { connection, trouble } = this.#session;
    const said = { connecting: "connecting", connected: "connected", lost: "not connected", refused: "refused" }[connection];
    this.#status.className = `status ${connection}`;
    this.#status.textContent = said;
    this.#bar.hidden = connection !== "lost";
    if (connection !== "lost") return;
    const again = button("small", "Try now", () => this.#session.retry());
    this.#bar.replaceChildren(h("p", {}, ...words(`${trouble?.message ?? ""}. The view shows the last known state.`)), again);
  }
}

function nameOf(page: Page): string {
  return line(page.title, 60) || line(pathOf(page.url), 60);
}

function pathOf(url: string): string {
  try {
    const { pathname, search, hash } = new URL(url);
    return pathname + search + hash;
  } catch {
    return url;
  }
}

/** A note in place of a view while no page of the site is open. */
export function noPage(session: Session): HTMLElement {
  const url = session.server?.url ?? location.origin;
  return empty(
    "No page of the site is open.",
    h(
      "p",
      {},
      "Open ",
      h("a", { href: url, target: "_blank", rel: "noopener" }, url),
      " in another tab; it appears here by itself.",
    ),
  );
}
