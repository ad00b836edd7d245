/** Whether a page is being left, heard of as soon as it begins. */

interface NavigateEvent extends Event {
  destination: { url: string; sameDocument: boolean };
  downloadRequest?: string | null;
}

interface Navigation extends EventTarget {
  transition: object | null;
}

export class Departure {
  /** Whether another document is on its way. */
  leaves = false;
  /** Where to, if that is known. */
  to: string | null = null;
  readonly #end = new AbortController();
  readonly #navigation: Navigation | undefined;
  #begun: Event | null = null;
  #wake: (() => void) | null = null;

  constructor(view: Window) {
    this.#navigation = (view as { navigation?: Navigation }).navigation;
    const { signal } = this.#end;
    this.#navigation?.addEventListener("navigate", (event) => this.#begins(event as NavigateEvent), { signal });
    for (const type of ["navigateerror", "navigatesuccess"]) {
      this.#navigation?.addEventListener(type, () => this.#stays(), { signal });
    }
    // Where there is no Navigation API, and for what it does not tell of.
    view.addEventListener("beforeunload", () => this.#leave(), { signal });
    view.addEventListener("pagehide", () => this.#leave(), { signal });
  }

  /** Resolves after a while, or as soon as the page is being left. */
  within(delay_ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.leaves) return resolve();
      const timer = setTimeout(resolve, delay_ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end.abort();
  }

  #begins(event: NavigateEvent): void {
    if (event.destination.sameDocument || typeof event.downloadRequest === "string") return;
    this.to = event.destination.url;
    this.#begun = event;
    // The page may still keep it from happening, or do it by itself without another document.
    setTimeout(() => {
      if (this.#begun !== event) return;
      if (event.defaultPrevented || this.#navigation?.transition) this.#stays();
      else this.#leave();
    });
  }

  #leave(): void {
    this.leaves = true;
    this.#wake?.();
  }

  #stays(): void {
    this.leaves = false;
    this.to = null;
    this.#begun = null;
  }
}
