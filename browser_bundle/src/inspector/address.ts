/** The inspector's address, `?view=tools&tool=searchBooks`: the view and the tool, but never the token. */

/** Longest name that is put into the address. */
const LONGEST_NAME = 200;

export class Address {
  #view: string;
  #tool: string;
  #moved: () => void = () => {};

  constructor() {
    const query = new URLSearchParams(location.search);
    this.#view = query.get("view") ?? "";
    this.#tool = query.get("tool") ?? "";
    addEventListener("popstate", () => {
      const now = new URLSearchParams(location.search);
      this.#view = now.get("view") ?? "";
      this.#tool = now.get("tool") ?? "";
      this.#moved();
    });
  }

  /** Call `moved` when a person goes back or forward. */
  onMove(moved: () => void): void {
    this.#moved = moved;
  }

  get view(): string {
    return this.#view;
  }

  set view(view: string) {
    if (view === this.#view) return;
    this.#view = view;
    history.pushState(null, "", this.href());
  }

  get tool(): string {
    return this.#tool;
  }

  set tool(tool: string) {
    this.#tool = tool;
    history.replaceState(null, "", this.href());
  }

  /** The address of the current view, or of another one. */
  href(view = this.#view): string {
    const query = new URLSearchParams({ view: view || "tools" });
    if (this.#tool && this.#tool.length <= LONGEST_NAME) query.set("tool", this.#tool);
    return `${location.pathname}?${query.toString()}`;
  }
}

/** Take the token out of the address; empty when there was none. */
export function tokenOfAddress(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return token.trim();
}

/** The token in a pasted text: the text itself, or an address that ends with it. */
export function tokenIn(text: string): string {
  const [, token = text] = /[#&?]token=([^&\s]+)/.exec(text) ?? [];
  return token.trim();
}
