/** Answers another document's request to run a tool of this one. */
import { type DocumentTools } from "../document.ts";
import { unknownError } from "./exchange.ts";
import type { Reply } from "./wire.ts";

export interface Order {
  name: string;
  /** JSON text. */
  input: string;
  /** The caller's origin when it is not the document's own. */
  foreign: string | null;
}

/** The calls that run in one document. */
export class Answers {
  readonly #owner: DocumentTools;
  readonly #running = new Set<MessagePort>();

  constructor(owner: DocumentTools) {
    this.#owner = owner;
  }

  /** Tells every caller that the document is going away. */
  leave(): void {
    for (const port of this.#running) reply(port, { type: "error", message: unknownError(this.#owner.realm).message });
  }

  /** Runs the tool; the port takes the replies, and any message from it cancels. */
  answer({ name, input, foreign }: Order, port: MessagePort): void {
    const { realm, tools } = this.#owner;
    const tool = this.#owner.usable ? tools.find(name, foreign) : undefined;
    const value = parse(realm, input);
    if (!tool || !value) {
      const message = tool ? "Failed to parse input arguments" : unknownError(realm).message;
      return reply(port, { type: "error", message });
    }
    const controller = new realm.AbortController();
    const end = (last: Reply): void => {
      if (this.#running.delete(port)) reply(port, last);
    };
    const cancel = (): void => {
      if (!this.#running.delete(port)) return;
      controller.abort();
      this.#owner.fireCancelled(name);
    };
    this.#running.add(port);
    port.addEventListener("close", cancel);
    port.onmessage = cancel;
    reply(port, { type: "started" });
    tool
      .run(value, controller.signal, () => this.#owner.fireActivated(name))
      .then(
        (result) => end({ type: "result", value: result }),
        (error: unknown) => end({ type: "error", message: error instanceof Error ? error.message : String(error) }),
      );
  }
}

function reply(port: MessagePort, message: Reply): void {
  port.postMessage(message);
}

function parse(realm: typeof globalThis, text: string): object | null {
  const value: unknown = realm.JSON.parse(text);
  return typeof value === "object" ? value : null;
}
