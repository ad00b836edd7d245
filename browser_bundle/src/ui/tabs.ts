/** Tabs as ARIA describes them: arrow keys move between them, Tab moves to the content. */
import { h } from "./elements.ts";
import { freshId } from "./widgets.ts";

interface TabItem {
  label: string;
  /** The content; made when the tab is chosen, and again when it is refreshed. */
  content: () => Node;
}

export class Tabs {
  readonly element: HTMLElement;
  #items: readonly TabItem[];
  #buttons: HTMLButtonElement[];
  #panel: HTMLElement;
  #chosen: number;

  /**
   * @param changed Called with the tab that a person has chosen.
   * @param beside Shown at the end of the row.
   */
  constructor(
    name: string,
    items: readonly TabItem[],
    chosen = 0,
    changed: (place: number) => void = () => {},
    beside?: HTMLElement,
  ) {
    this.#items = items;
    this.#chosen = Math.min(chosen, items.length - 1);
    const id = freshId();
    this.#panel = h("div", { role: "tabpanel", id: `${id}-panel`, class: "tabpanel", tabindex: "0" });
    this.#buttons = items.map(({ label }, place) => {
      const tab = h("button", { type: "button", role: "tab", id: `${id}-${place}`, "aria-controls": `${id}-panel` }, label);
      tab.addEventListener("click", () => this.#choose(place, changed));
      return tab;
    });
    const list = h("div", { role: "tablist", class: "tablist", "aria-label": name }, ...this.#buttons);
    list.addEventListener("keydown", (event) => this.#onKey(event, changed));
    this.element = h("div", { class: "tabs" }, h("div", { class: "tabrow" }, list, beside), this.#panel);
    this.refresh();
  }

  /** Make the shown content again. */
  refresh(): void {
    this.#buttons.forEach((tab, place) => {
      const chosen = place === this.#chosen;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.#panel.setAttribute("aria-labelledby", tab.id);
    });
    this.#panel.replaceChildren((this.#items[this.#chosen] as TabItem).content());
  }

  /** Show a tab, as if it had been pressed. */
  choose(place: number): void {
    this.#buttons[place]?.click();
  }

  #choose(place: number, changed: (place: number) => void): void {
    if (place === this.#chosen) return;
    this.#chosen = place;
    changed(place);
    this.refresh();
  }

  #onKey(event: KeyboardEvent, changed: (place: number) => void): void {
    const last = this.#items.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: this.#chosen === last ? 0 : this.#chosen + 1,
      ArrowLeft: this.#chosen === 0 ? last : this.#chosen - 1,
      Home: 0,
      End: last,
    };
    const place = steps[event.key];
    if (place === undefined) return;
    event.preventDefault();
    this.#choose(place, changed);
    this.#buttons[place]?.focus();
  }
}
