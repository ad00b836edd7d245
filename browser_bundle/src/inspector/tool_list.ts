/** The tools of a page by source, in a list with arrow keys. */
import { brief, line } from "../ui/display_text.ts";
import { h } from "../ui/elements.ts";
import { visible } from "../ui/text_parts.ts";
import { freshId, keep, kept } from "../ui/widgets.ts";
import type { Tool } from "./api_types.ts";

const SOURCES: Record<string, string> = {
  manifest: "Manifest",
  modelContext: "document.modelContext",
  form: "Forms",
  component: "Components",
};

/** Characters of a description that are searched. */
const SEARCHED = 2000;

export class ToolList {
  readonly element: HTMLElement;
  /** The search field. */
  readonly search: HTMLInputElement;
  #list: HTMLElement;
  #count = h("p", { class: "quiet", role: "status" });
  #tools: readonly Tool[] = [];
  #haystacks: string[] = [];
  #options = new Map<string, HTMLElement>();
  #chosen = "";
  #choose: (name: string) => void;

  /** @param choose Called with the tool that a person has chosen. */
  constructor(choose: (name: string) => void) {
    this.#choose = choose;
    this.search = h("input", { type: "search", "aria-label": "Search tools", placeholder: "Search tools", autocomplete: "off", spellcheck: "false" });
    this.search.value = kept("tools", "");
    this.search.addEventListener("input", () => this.#show());
    this.search.addEventListener("keydown", (event) => this.#onSearchKey(event));
    this.#list = h("div", { role: "listbox", "aria-label": "Tools", tabindex: "0", class: "list" });
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option) this.#pick(option);
    });
    this.element = h("div", { class: "tool-list" }, this.search, this.#count, this.#list);
  }

  /** Show these tools, with one of them chosen. */
  show(tools: readonly Tool[], chosen: string): void {
    this.#tools = tools;
    this.#haystacks = tools.map(({ name, title, description, component }) =>
      `${name} ${title} ${component ?? ""} ${description.slice(0, SEARCHED)}`.slice(0, 2 * SEARCHED).toLowerCase(),
    );
    this.#chosen = chosen;
    this.#show();
  }

  /** Mark a tool that was chosen elsewhere. */
  mark(name: string): void {
    this.#options.get(this.#chosen)?.setAttribute("aria-selected", "false");
    this.#chosen = name;
    const option = this.#options.get(name);
    option?.setAttribute("aria-selected", "true");
    if (option) this.#list.setAttribute("aria-activedescendant", option.id);
    else this.#list.removeAttribute("aria-activedescendant");
  }

  #show(): void {
    keep("tools", this.search.value);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#tools.filter((_, place) => words.every((word) => this.#haystacks[place]?.includes(word)));
    this.#options.clear();
    const groups = new Map<string, HTMLElement[]>();
    for (const tool of found) {
      const source = Object.hasOwn(SOURCES, tool.source) ? tool.source : "manifest";
      const option = this.#option(tool);
      this.#options.set(tool.name, option);
      const group = groups.get(source);
      if (group) group.push(option);
      else groups.set(source, [option]);
    }
    this.#list.replaceChildren(
      ...[...groups].map(([source, options]) => {
        const id = freshId();
        return h(
          "div",
          { role: "group", "aria-labelledby": id },
          h("div", { class: "group-name", id, role: "presentation" }, `${SOURCES[source]} · ${options.length}`),
          ...options,
        );
      }),
    );
    const all = this.#tools.length;
    this.#count.textContent = words.length > 0 ? `${found.length} of ${all} tools` : `${all} tool${all === 1 ? "" : "s"}`;
    this.#list.hidden = found.length === 0;
    this.mark(this.#chosen);
  }

  #option(tool: Tool): HTMLElement {
    const option = h(
      "div",
      { role: "option", id: freshId(), class: `option ${tool.available ? "" : "off"}`, "aria-selected": "false" },
      h("span", { class: "option-name", dir: "auto" }, brief(tool.name, 100)),
      tool.effect !== "read" && h("span", { class: `dot ${effectClass(tool.effect)}`, title: effectWords(tool.effect) }, h("span", { class: "unseen" }, `, ${effectWords(tool.effect)}`)),
      !tool.available && h("span", { class: "unseen" }, ", cannot be called now"),
      h("span", { class: "option-about", dir: "auto" }, line(tool.description || tool.title, 90)),
    );
    option.dataset["name"] = tool.name;
    if (tool.name.length > 100) option.title = visible(tool.name.slice(0, 1000));
    return option;
  }

  #pick(option: HTMLElement): void {
    const name = option.dataset["name"] ?? "";
    if (name === this.#chosen) return;
    this.mark(name);
    option.scrollIntoView({ block: "nearest" });
    this.#choose(name);
  }

  #onSearchKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.search.value) {
      event.preventDefault();
      this.search.value = "";
      this.#show();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      const first = this.#options.get(this.#chosen) ?? [...this.#options.values()][0];
      if (!first) return;
      this.#list.focus();
      this.#pick(first);
    }
  }

  #onKey(event: KeyboardEvent): void {
    const options = [...this.#options.values()];
    const at = options.findIndex((option) => option.dataset["name"] === this.#chosen);
    const steps: Record<string, number> = {
      ArrowDown: Math.min(at + 1, options.length - 1),
      ArrowUp: Math.max(at - 1, 0),
      PageDown: Math.min(at + 10, options.length - 1),
      PageUp: Math.max(at - 10, 0),
      Home: 0,
      End: options.length - 1,
    };
    const option = options[steps[event.key] ?? -1];
    if (!option) return;
    event.preventDefault();
    this.#pick(option);
  }
}

export function effectWords(effect: string): string {
  switch (effect) {
    case "read":
      return "only reads";
    case "write":
      return "changes something";
    case "irreversible":
      return "cannot be undone";
    default:
      return "may change something";
  }
}

export function effectClass(effect: string): string {
  return effect === "read" ? "good" : effect === "irreversible" ? "bad" : "warn";
}
