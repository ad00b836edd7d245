/** A document's requests to other documents, each with a private port for its answer. */
import type { ListedTool } from "../realm/tool_map.ts";
import type { Realm } from "../realm/window_realm.ts";
import { readTools, send, type Request } from "./document_messages.ts";

const KNOWN_MS = 5000;
/** How long to wait for a window that has not sent anything: it may lack tools, or have another origin. */
const UNKNOWN_MS = 500;
/** Interval of the check whether a frame still exists, in browsers where its port does not report that. */
const WATCH_MS = 100;

interface Call {
  target: Window;
  origin: string;
  name: string;
  /** JSON text. */
  input: string;
  signal: AbortSignal | undefined;
}

/** Delivers a request with its port; a document handles requests to itself without a message. */
type Deliver = (target: Window, origin: string, request: Request, port: MessagePort) => void;

export class RequestExchange {
  readonly #realm: Realm;
  readonly #ports: Set<MessagePort>;
  readonly #deliver: Deliver;
  /** The last origin that has sent a message from each window. */
  readonly #known = new WeakMap<Window, string>();
  /** Origins for which a window did not answer since its last message from them. */
  readonly #silent = new WeakMap<Window, Set<string>>();
  /** Windows that have sent messages, but let a request time out. */
  readonly #slow = new WeakSet<Window>();

  /**
   * @param ports Where the ports of running calls are kept.
   */
  constructor(realm: Realm, ports: Set<MessagePort>, deliver: Deliver) {
    this.#realm = realm;
    this.#ports = ports;
    this.#deliver = deliver;
  }

  /** Remember that a document of this origin in the window answers requests. */
  meet(target: Window, origin: string): void {
    this.#known.set(target, origin);
    this.#silent.get(target)?.delete(origin);
  }

  /** Announces changed tools to the window, if it shows one of the origins that can see them. */
  announce(target: Window, origins: ReadonlySet<string>): void {
    for (const origin of origins) {
      if (this.#lacks(target, origin, "")) continue;
      send(target, origin, { type: "changed" });
    }
  }

  /** Whether the window is known to show another origin; a silent window counts as `unknown`. */
  #lacks(target: Window, origin: string, unknown: string): boolean {
    const realm = this.#realm;
    // Frames greet all ancestors whenever they load; other windows may navigate unnoticed.
    const stable = isBelow(target, realm) || isBelow(realm, target);
    return stable && (this.#known.get(target) ?? unknown) !== origin;
  }

  /** The tools that the window exposes to this origin, if it shows a document of the given one. */
  async list(target: Window, origin: string): Promise<ListedTool[]> {
    const silent = this.#silent.get(target) ?? new Set();
    if (silent.has(origin) || this.#lacks(target, origin, origin)) return [];
    const trusted = this.#known.get(target) === origin && !this.#slow.has(target);
    const limit_ms = trusted ? KNOWN_MS : UNKNOWN_MS;
    const answer = await this.ask(target, origin, { type: "list" }, limit_ms);
    if (answer !== null) this.meet(target, origin);
    else if (trusted) this.#slow.add(target);
    else this.#silent.set(target, silent.add(origin));
    return readTools(answer);
  }

  /** Runs a tool of another window; rejects with the signal's reason, or with UnknownError. */
  execute({ target, origin, name, input, signal }: Call): Promise<string | null> {
    const realm = this.#realm;
    const { port1, port2 } = new realm.MessageChannel();
    return new realm.Promise((resolve, reject) => {
      const known = target === realm || this.#known.get(target) === origin;
      const fail = (message?: string, name?: string): void =>
        end(() => reject(unknownError(realm, message, name)));
      const abort = (): void =>
        end(() => {
          reject(signal?.reason);
          port1.postMessage(null);
        });
      const end = (settle: () => void): void => {
        realm.clearTimeout(timer);
        realm.clearInterval(watch);
        signal?.removeEventListener("abort", abort);
        this.#ports.delete(port1);
        settle();
        port1.onmessage = null;
        port1.close();
      };
      const timer = realm.setTimeout(() => fail(), known ? KNOWN_MS : UNKNOWN_MS);
      const watch = realm.setInterval(() => target.closed && fail(), WATCH_MS);
      signal?.addEventListener("abort", abort);
      port1.addEventListener("close", () => fail());
      port1.onmessage = ({ data }) => {
        const { value, message, name } = Object(data) as Record<string, unknown>;
        if (value === null || typeof value === "string") end(() => resolve(value));
        else if (message) fail(`${message}`, name === "DataError" ? name : undefined);
        else realm.clearTimeout(timer);
      };
      this.#ports.add(port1);
      this.#deliver(target, origin, { type: "execute", name, input }, port2);
    });
  }

  /** The answer of the window; null without one in time, or for another origin. */
  ask(target: Window, origin: string, request: Request, limit_ms = KNOWN_MS): Promise<unknown> {
    const realm = this.#realm;
    const { port1, port2 } = new realm.MessageChannel();
    return new realm.Promise((resolve) => {
      const end = (answer: unknown): void => {
        realm.clearTimeout(timer);
        resolve(answer);
        port1.close();
      };
      const timer = realm.setTimeout(end, limit_ms, null);
      port1.onmessage = ({ data }) => end(data);
      port1.addEventListener("close", () => end(null));
      send(target, origin, request, port2);
    });
  }
}

function isBelow(low: Window, high: Window): boolean {
  const { parent } = low;
  return parent !== low && (parent === high || isBelow(parent, high));
}

export function unknownError(realm: Realm, message?: string, name = "UnknownError"): DOMException {
  return new realm.DOMException(
    message ?? "The operation failed for an unknown transient reason (e.g. out of memory).",
    name,
  );
}
