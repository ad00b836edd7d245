/** The inspector's address, `?view=tools&tool=searchBooks`: the view and the tool, but never what opens it. */

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

/** Opens the inspector: the owner's token, or a code that is exchanged for it once. */
export interface Credential {
  kind: "token" | "code";
  value: string;
}

/** Take the credential out of the address. */
export function credentialOfAddress(): Credential | undefined {
  const found = /#(?:code|token)=/.test(location.hash) ? credentialIn(location.hash) : undefined;
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return found;
}

/** The credential in a pasted text: an address that ends with one, or else the token itself. */
export function credentialIn(text: string): Credential | undefined {
  const [, kind, value] = /[#&?](token|code)=([^&\s]+)/.exec(text) ?? [undefined, "token", text.trim()];
  return value ? { kind: kind as Credential["kind"], value } : undefined;
}
