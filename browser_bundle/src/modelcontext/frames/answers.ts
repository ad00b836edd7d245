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
  readonly #ports: Set<MessagePort>;

  /**
   * @param ports Where the ports of running calls are kept.
   */
  constructor(owner: DocumentTools, ports: Set<MessagePort>) {
    this.#owner = owner;
    this.#ports = ports;
  }

  /** Runs the tool; the port takes the replies, and any message from it cancels. */
  answer({ name, input, foreign }: Order, port: MessagePort): void {
    const { realm, tools } = this.#owner;
    const tool = this.#owner.usable ? tools.find(name, foreign) : undefined;
    if (!tool) return reply(port, unknownError(realm));
    const value = parse(realm, input);
    if (!value) return reply(port, { message: "Failed to parse input arguments" });
    const controller = new realm.AbortController();
    const end = (last: Reply): void => {
      if (this.#ports.delete(port)) reply(port, last);
    };
    const cancel = (): void => {
      if (!this.#ports.delete(port)) return;
      controller.abort();
      this.#owner.fireCancelled(name);
    };
    this.#ports.add(port);
    port.addEventListener("close", cancel);
    port.onmessage = cancel;
    reply(port, { started: true });
    tool
      .run(value, controller.signal, () => this.#owner.fireActivated(name))
      .then(
        (value) => end({ value }),
        end,
      );
  }
}

export function reply(port: MessagePort, last: Reply): void {
  port.postMessage("message" in last ? { message: last.message } : last);
}

/** The object that the text is, or null: a caller of another origin may send anything. */
function parse(realm: typeof globalThis, text: string): object | null {
  try {
    const value: unknown = realm.JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
