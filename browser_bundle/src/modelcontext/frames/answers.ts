/** Answers another document's request to run a tool of this one. */
import type { DocumentTools } from "../document_tools.ts";
import { unknownError } from "./request_exchange.ts";
import type { Reply } from "./document_messages.ts";

export interface Order {
  name: string;
  /** JSON text. */
  input: string;
  /** The caller's origin when it is not the document's own. */
  foreign: string | null;
}

/**
 * Runs the tool; the port takes the replies, and any message from it cancels.
 *
 * @param running Where the ports of running calls are kept.
 */
export function answer(
  owner: DocumentTools,
  order: Order,
  port: MessagePort,
  running: Set<MessagePort>,
): void {
  const { realm } = owner;
  const { name, input, foreign } = order;
  const tool = owner.usable ? owner.tools.find(name, foreign) : undefined;
  if (!tool) return reply(port, unknownError(realm));
  const value = parse(realm, input);
  if (!value) return reply(port, { message: "Failed to parse input arguments" });
  const controller = new realm.AbortController();
  const end = (last: Reply): void => {
    if (running.delete(port)) reply(port, last);
  };
  const cancel = (): void => {
    if (!running.delete(port)) return;
    controller.abort();
    owner.fireCancelled(name);
  };
  running.add(port);
  port.addEventListener("close", cancel);
  port.onmessage = cancel;
  reply(port, { started: true });
  tool
    .run(value, controller.signal, () => owner.fireActivated(name))
    .then((result) => end({ value: result }), end);
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
