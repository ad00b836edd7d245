/** Whether a page has changed, and since when it is quiet: watched in all the roots that were seen. */
export class Changes {
  /** Counts up with the first look after a change. */
  revision = 1;
  /** When the last change was, as `performance.now()` counts. */
  last = 0;
  readonly #seen = new WeakSet<Node>();
  readonly #observer = new MutationObserver(() => this.#note());
  #changed = false;

  /** Watch another document or shadow root. */
  watch(root: Document | ShadowRoot): void {
    if (this.#seen.has(root)) return;
    this.#seen.add(root);
    this.#observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const type of ["input", "change", "load", "toggle"]) {
      root.addEventListener(type, () => this.#note(), { capture: true, passive: true });
    }
  }

  /** The number of the state that is seen now. */
  look(): number {
    if (this.#observer.takeRecords().length > 0) this.#note();
    if (this.#changed) this.revision += 1;
    this.#changed = false;
    return this.revision;
  }

  #note(): void {
    this.#changed = true;
    this.last = performance.now();
  }
}
