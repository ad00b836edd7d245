/** What is looked at, kept in the address: `?view=tools&tool=searchBooks`. The token never is. */

/** Characters of a name that fits into an address. */
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

  /** Hear that somebody went back or forth. */
  onMove(moved: () => void): void {
    this.#moved = moved;
  }

  get view(): string {
    return this.#view;
  }

  set view(view: string) {
    if (view === this.#view) return;
    this.#view = view;
    history.pushState(null, "", this.address());
  }

  get tool(): string {
    return this.#tool;
  }

  set tool(tool: string) {
    this.#tool = tool;
    history.replaceState(null, "", this.address());
  }

  /** The address of this place, or of another view. */
  address(view = this.#view): string {
    const query = new URLSearchParams({ view: view || "tools" });
    if (this.#tool && this.#tool.length <= LONGEST_NAME) query.set("tool", this.#tool);
    return `${location.pathname}?${query.toString()}`;
  }
}

/** The token of the address, which has none afterwards; empty when there was none. */
export function tokenOfAddress(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return token.trim();
}

/** A token in what somebody pasted: itself, or an address that ends in it. */
export function tokenIn(text: string): string {
  const [, token = text] = /[#&?]token=([^&\s]+)/.exec(text) ?? [];
  return token.trim();
}
