/** What the visitor has allowed for the session, and what takes it back. */
import type { PanelAgent } from "../run/person.ts";
import { button, h, words } from "../ui/elements.ts";
import type { Texts } from "./panel_texts.ts";

export class AllowedList {
  readonly element: HTMLElement;
  #agent: PanelAgent;
  #texts: Texts;
  #list = h("ul", { class: "allowed" });

  constructor(agent: PanelAgent, texts: Texts) {
    this.#agent = agent;
    this.#texts = texts;
    this.element = h("section", {}, h("h4", {}, texts.allowed_title), this.#list);
  }

  /** Show what is allowed now. */
  async refresh(): Promise<void> {
    const texts = this.#texts;
    const grants = await this.#agent.allowed();
    const rows = grants.map(({ key, text }) =>
      h("li", {}, h("span", { dir: "auto" }, ...words(text)), button("link", texts.take_back, () => void this.#takeBack(key))),
    );
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [h("li", { class: "quiet" }, texts.allowed_nothing)]));
  }

  async #takeBack(key: string): Promise<void> {
    await this.#agent.revoke(key);
    await this.refresh();
  }
}
