/** A frame's side: greets the top page, reports the frame's tools to it and answers its calls. */
import { allowingTag, isAllowed, ownOrigin } from "./allowed_origins.ts";
import { removalOf, type Entry, type Removal } from "./catalogue.ts";
import { Channel } from "./channel.ts";
import { greeting, readGreeting, targetName, type Read, type Target } from "./component_messages.ts";
import type { ToolContext } from "./public.d.ts";
import { untilAbort, type FrameState, type Uplink } from "./frame_state.ts";
import { unknownTool, WebMcpError } from "./tool_errors.ts";

/** How long a list waits for the top page, from the load of this frame. */
const PATIENCE_MS = 5000;

export class ChildFrame implements Uplink {
  number = -1;
  #frame: FrameState;
  #channel: Channel | undefined;
  /** Resolves when the top page has sent its tools or refused, which may be much later or never. */
  #answered = deferred();
  #patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
  #nonce = newNonce();
  /** Why the frame and the top page do not share tools. */
  #refusal = "";

  constructor(frame: FrameState) {
    this.#frame = frame;
    addEventListener("message", (event) => {
      const said = readGreeting(event.data);
      if (said && event.source === top) this.#take(event, said.type, said.nonce);
    });
    addEventListener("pagehide", () => {
      this.#leave();
    });
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.#greet();
    });
    this.#greet();
  }

  async known(): Promise<void> {
    await Promise.race([this.#answered.promise, this.#patience]);
  }

  windowOf(): undefined {
    return undefined;
  }

  report(added: Entry[], removed: Removal[]): void {
    this.#channel?.send({ type: "tools", added, removed });
  }

  async call(target: Target, parameters: object, context: ToolContext): Promise<unknown> {
    const { catalogue, localTools, own } = this.#frame;
    const mine =
      "find" in target
        ? catalogue.find(target.find, own)
        : catalogue.get(target.frame === this.number ? own : target.frame, target);
    if (mine?.frame === own) return localTools.run(mine.tool, parameters, context);
    const tool = targetName(target);
    try {
      await untilAbort(context.signal, tool, () => this.#answered.promise);
      if (!this.#channel) throw new WebMcpError("denied", this.#refusal, tool);
      return await this.#channel.call(target, parameters, context);
    } catch (thrown) {
      if (this.#channel || !(thrown instanceof WebMcpError) || thrown.kind !== "timeout") throw thrown;
      const message =
        `\`${tool}\` is not a tool of this frame, and the top page has not answered - ` +
        "it knows the tools of the others - load components.js there, too";
      throw new WebMcpError("timeout", message, tool, { name: thrown.name });
    }
  }

  /** Greet the top page; if its script comes later, it announces itself. */
  #greet(): void {
    const origin = topOrigin();
    if (origin !== undefined && !isAllowed(origin)) {
      this.#refuseTop(origin);
      return;
    }
    // Where the browser does not report the origin of the top page, its answer does.
    window.top?.postMessage(greeting("hello", this.#nonce), origin ?? "*");
  }

  #take({ origin, ports }: MessageEvent, type: string, nonce: string): void {
    if (this.#channel) return;
    if (type === "shell") this.#greet();
    if (nonce !== this.#nonce) return;
    if (type === "refused") {
      this.#refusal =
        "the top page refuses this frame - it does not list its origin - " +
        `write ${allowingTag(ownOrigin())} into the head of the top page`;
      this.#answered.resolve();
    }
    const [port] = ports;
    if (type !== "welcome" || !port) return;
    if (isAllowed(origin)) this.#join(port);
    else this.#refuseTop(origin);
  }

  #join(port: MessagePort): void {
    const { catalogue, own } = this.#frame;
    const channel = new Channel(port, {
      onMessage: (message) => {
        this.#handle(message);
      },
      answer: (target, parameters, context) => this.#work(target, parameters, context),
    });
    this.#channel = channel;
    channel.send({ type: "tools", added: catalogue.entries(own), removed: [] });
  }

  #handle(message: Extract<Read, { type: "joined" | "tools" | "bye" }>): void {
    if (message.type === "joined") this.number = message.frame;
    if (message.type === "bye") return;
    this.#frame.change(message.added, message.type === "tools" ? message.removed : []);
    if (message.type === "joined") this.#answered.resolve();
  }

  /** The top page has looked the tool up, so it must be here. */
  async #work(target: Target, parameters: object, context: ToolContext): Promise<unknown> {
    if ("find" in target) throw unknownTool(target.find);
    return this.#frame.localTools.run(target, parameters, context);
  }

  /** The document is unloaded, or moves into the back/forward cache and may come back. */
  #leave(): void {
    if (!this.#channel) return;
    this.#channel.send({ type: "bye" });
    this.#channel.close();
    this.#channel = undefined;
    this.#answered = deferred();
    this.#nonce = newNonce();
    this.number = -1;
    const { catalogue, own } = this.#frame;
    const others = catalogue.entries().filter(({ frame }) => frame !== own);
    this.#frame.change([], others.map(removalOf));
  }

  #refuseTop(origin: string): void {
    const message =
      `this frame does not work with the top page of \`${origin}\` - its head does not list ` +
      `that origin - write ${allowingTag(origin)} there`;
    if (this.#refusal !== message) console.warn(`webmcp: ${message}`);
    this.#refusal = message;
    this.#answered.resolve();
  }
}

/** The origin of the top page, where the browser reports it. */
function topOrigin(): string | undefined {
  try {
    return window.top?.origin;
  } catch {
    // The top page has another origin. Some browsers lack the list, or hide origins in it.
    const origins = location.ancestorOrigins as DOMStringList | undefined;
    const origin = origins?.[origins.length - 1];
    return origin === "null" ? undefined : origin;
  }
}

function newNonce(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("");
}

interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
}

function deferred(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
