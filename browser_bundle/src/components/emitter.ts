/** Handlers of events; what happens while they run is told after them, in order. */

type Handler = (detail: never) => unknown;

export class Emitter<Events extends Record<string, unknown>> {
  #handlers = new Map<keyof Events, Set<Handler>>();
  #waiting: (() => unknown)[] = [];
  #telling = false;

  on(name: keyof Events, handler: Handler): void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
  }

  off(name: keyof Events, handler: Handler): void {
    this.#handlers.get(name)?.delete(handler);
  }

  /** Tell all handlers; `detail` is asked once for each of them, and at once. */
  emit<Name extends keyof Events>(name: Name, detail: () => Events[Name]): void {
    const handlers = this.#handlers.get(name) ?? new Set();
    for (const handler of handlers) {
      const told = detail();
      this.#waiting.push(() => handlers.has(handler) && handler(told as never));
    }
    if (this.#telling) return;
    this.#telling = true;
    for (let tell = this.#waiting.shift(); tell; tell = this.#waiting.shift()) {
      try {
        tell();
      } catch (thrown) {
        // As for a listener of the page: the others are told all the same.
        reportError(thrown);
      }
    }
    this.#telling = false;
  }
}
