/** A document among the others of its tab: its requests to them, and its answers to theirs. */
import type { ListedTool, ToolMap } from "../realm/tool_map.ts";
import type { Annotations, ToolReference } from "../realm/web_idl.ts";
import { namedOrigin, originOf, reachable, windowsOf, type Realm } from "../realm/window_realm.ts";
import { isOurs, readRequest, send, type Reply, type Request } from "./document_messages.ts";
import { permits, type Permission } from "./permissions_policy.ts";
import { RequestExchange, unknownError } from "./request_exchange.ts";

/** A tool as `getTools` returns it, with its keys in this order. */
export interface RegisteredTool {
  annotations?: Annotations;
  description: string;
  inputSchema?: object;
  name: string;
  origin: string;
  title: string;
  window: Window;
}

/** A document as its tree needs it; `DocumentTools` is one. */
export interface DocumentPort {
  readonly realm: Realm;
  /** Whether a window shows the document. */
  readonly active: boolean;
  /** Whether the document may have tools, and its permission is known. */
  readonly usable: boolean;
  /** The tools as other documents of the same origin see them. */
  readonly listed: readonly ListedTool[];
  readonly tools: Pick<ToolMap, "find" | "list">;
  /** The permission of the document; undefined when no window shows it. */
  readonly permission: Permission | undefined;
  /** Whether the document may have tools, once its parent has answered. */
  settled(): Promise<boolean>;
  /** Runs the task after the current code and all earlier tasks. */
  queue(task: () => void): void;
  fireToolChange(): void;
  fireActivated(toolName: string): void;
  fireCancelled(toolName: string): void;
  fireReset(toolName: string): void;
}

/** The tools of another window's document, if this one may access it and it has any. */
export type FindPeer = (target: Window) => DocumentPort | undefined;

export class DocumentTree {
  readonly exchange: RequestExchange;
  readonly #owner: DocumentPort;
  readonly #peer: FindPeer;
  /** The ports of the calls that run in this document or for it. */
  readonly #ports = new Set<MessagePort>();

  constructor(owner: DocumentPort, peer: FindPeer) {
    const { realm } = owner;
    this.#owner = owner;
    this.#peer = peer;
    this.exchange = new RequestExchange(realm, this.#ports, (target, origin, request, port) => {
      if (target === realm) void this.#take(request, null, port);
      else send(target, origin, request, port);
    });
  }

  /** Starts to listen to the other documents. */
  enter(): void {
    const { realm } = this.#owner;
    realm.addEventListener("message", (event) => this.#receive(event), true);
    realm.addEventListener("pagehide", () => {
      // Calls that run here fail, and those that run elsewhere are cancelled.
      for (const port of this.#ports) reply(port, unknownError(realm));
    });
  }

  /** All tools that the document can see: those of its own origin, and those that others expose to it. */
  async list(foreign: readonly string[]): Promise<RegisteredTool[]> {
    const lists = [...windowsOf(this.#owner.realm)].map((target) => this.#listOf(target, foreign));
    return (await Promise.all(lists))
      .flat()
      .sort((a, b) => (a.name < b.name ? -1 : +(a.name > b.name)));
  }

  /** Runs a tool of any document of the tab. */
  execute(
    { name, window, origin }: ToolReference,
    input: string,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const { realm } = this.#owner;
    const named = namedOrigin(origin) ?? "";
    const local = reachable(window);
    const stranger = local
      ? !this.#peer(local) || originOf(local) !== named
      : !permits(window, named);
    if (stranger || window.top !== realm.top) return realm.Promise.reject(unknownError(realm));
    if (local) this.exchange.meet(window, named);
    return this.exchange.execute({ target: window, origin: named, name, input, signal });
  }

  /** Announces an added, removed or changed tool to all documents that can see it. */
  announce(exposedTo: ReadonlySet<string>): void {
    for (const target of windowsOf(this.#owner.realm)) {
      if (reachable(target)) this.#peer(target)?.fireToolChange();
      else this.exchange.announce(target, exposedTo);
    }
  }

  async #listOf(target: Window, foreign: readonly string[]): Promise<RegisteredTool[]> {
    const local = reachable(target);
    if (local) return this.#describe(this.#peer(local)?.listed ?? [], target, originOf(local));
    const answers = foreign
      .filter((origin) => permits(target, origin))
      .map(async (origin) =>
        this.#describe(await this.exchange.list(target, origin), target, origin),
      );
    return (await Promise.all(answers)).flat();
  }

  #describe(tools: readonly ListedTool[], window: Window, origin: string): RegisteredTool[] {
    const { JSON } = this.#owner.realm;
    return tools.map(({ name, title, description, inputSchema, annotations }) => ({
      ...(annotations && { annotations: { ...annotations } }),
      description,
      ...(inputSchema !== undefined && { inputSchema: JSON.parse(inputSchema) as object }),
      name,
      origin,
      title,
      window,
    }));
  }

  #receive(event: MessageEvent): void {
    // A reused window still has the listeners of its earlier document, too.
    if (!event.isTrusted || !isOurs(event.data) || !this.#owner.active) return;
    event.stopImmediatePropagation();
    const { realm } = this.#owner;
    const request = readRequest(event.data);
    const source = event.source as Window | null;
    const [port] = event.ports;
    if (!request || source?.top !== realm.top) return;
    const permitted = permits(source, event.origin);
    this.exchange.meet(source, event.origin);
    if (request.type === "hello") {
      if (source.parent === realm) {
        void this.#owner.settled().then((granted) => port?.postMessage(permitted && granted));
      }
    } else if (permitted) {
      // Two opaque origins are never equal, though both are written `null`.
      const own = event.origin !== "null" && event.origin === originOf(realm);
      void this.#take(request, own ? null : event.origin, port);
    }
  }

  /** Handles a document's request; all but announcements have a port. */
  async #take(
    request: Request,
    foreign: string | null,
    port: MessagePort | undefined,
  ): Promise<void> {
    if (!this.#owner.usable) await this.#owner.settled();
    if (request.type === "changed") return this.#owner.fireToolChange();
    if (!port) return;
    if (request.type === "list")
      return port.postMessage(this.#owner.usable ? this.#owner.tools.list(foreign) : []);
    if (request.type === "execute") {
      this.#owner.queue(() => answer(this.#owner, { ...request, foreign }, port, this.#ports));
    }
  }
}

interface ToolCall {
  name: string;
  /** JSON text. */
  input: string;
  /** The caller's origin when it is not the document's own. */
  foreign: string | null;
}

/**
 * Runs a tool for another document; replies go to the port, and any message from it cancels.
 *
 * @param running Where the ports of running calls are kept.
 */
function answer(
  owner: DocumentPort,
  order: ToolCall,
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
    .run(value, controller.signal, {
      activated: () => owner.fireActivated(name),
      cancelled: () => owner.fireCancelled(name),
      reset: () => owner.fireReset(name),
    })
    .then((result) => end({ value: result }), end);
}

function reply(port: MessagePort, last: Reply): void {
  if (!("message" in last)) return port.postMessage(last);
  const { message, name } = last;
  port.postMessage(name === "DataError" ? { message, name } : { message });
}

/** The object in the text, or null; a caller of another origin may send anything. */
function parse(realm: typeof globalThis, text: string): object | null {
  try {
    const value: unknown = realm.JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
