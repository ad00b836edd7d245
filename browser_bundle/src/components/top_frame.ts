/** The top page's side: admits frames, knows the tools of all, routes calls between them. */
import { allowingTag, isAllowed } from "./allowed_origins.ts";
import { removalOf, type Entry, type Removal } from "./catalogue.ts";
import { Channel } from "./channel.ts";
import { greeting, readGreeting, targetName, type Message, type Read, type Target } from "./component_messages.ts";
import type { FrameState, Uplink } from "./frame_state.ts";
import type { ToolContext } from "./public.d.ts";
import { unknownTool } from "./tool_errors.ts";

/** One document in a child frame, from its hello until it is unloaded. */
interface Session {
  window: Window;
  origin: string;
  nonce: string;
  number: number;
  channel: Channel;
  /** Whether the document has answered over its port. */
  joined: boolean;
}

export class TopFrame implements Uplink {
  readonly number = 0;
  #frame: FrameState;
  #sessions = new Map<Window, Session>();
  #frames = 0;
  #refused = new Set<string>();

  constructor(frame: FrameState) {
    this.#frame = frame;
    addEventListener("message", (event) => {
      const said = readGreeting(event.data);
      if (said?.type === "hello") this.#meet(event, said.nonce);
    });
    // Frames may have loaded before. The message holds nothing secret, so it may go to any origin.
    for (const window of descendants(self)) window.postMessage(greeting("shell", ""), "*");
  }

  report(added: Entry[], removed: Removal[]): void {
    this.#broadcast(added, removed, undefined);
  }

  known(): Promise<void> {
    return Promise.resolve();
  }

  windowOf(frame: number): Window | undefined {
    return [...this.#sessions.values()].find(({ number }) => number === frame)?.window;
  }

  async call(target: Target, parameters: object, context: ToolContext): Promise<unknown> {
    return this.#route(target, parameters, context, this.number);
  }

  /** Answer a document's hello with a port of its own, or refuse it. */
  #meet({ source, origin }: MessageEvent, nonce: string): void {
    const window = source as Window | null;
    if (!window || window === self || window.top !== self) return;
    const before = this.#sessions.get(window);
    if (before?.nonce === nonce) return;
    // The window shows another document now.
    if (before) this.#drop(before);
    if (!isAllowed(origin)) {
      this.#refuse(window, origin, nonce);
      return;
    }
    if (this.#frames === 0) this.#watchRemovals();
    const { port1, port2 } = new MessageChannel();
    const session: Session = {
      window,
      origin,
      nonce,
      number: ++this.#frames,
      joined: false,
      channel: new Channel(port1, {
        onMessage: (message) => {
          this.#handle(session, message);
        },
        answer: (target, parameters, context) =>
          this.#route(target, parameters, context, session.number),
      }),
    };
    this.#sessions.set(window, session);
    window.postMessage(greeting("welcome", nonce), origin, [port2]);
  }

  #refuse(window: Window, origin: string, nonce: string): void {
    // An opaque origin cannot be addressed.
    window.postMessage(greeting("refused", nonce), origin === "null" ? "*" : origin);
    if (this.#refused.has(origin)) return;
    this.#refused.add(origin);
    const remedy =
      origin === "null"
        ? "give the frame's `sandbox` the word `allow-same-origin`"
        : `write ${allowingTag(origin)} into the head of this page`;
    console.warn(
      `webmcp: a frame of origin \`${origin}\` is refused - this page does not list it - ${remedy}`,
    );
    this.#frame.events.emit("refused:origin", () => ({ origin }));
  }

  #handle(session: Session, message: Extract<Read, { type: "joined" | "tools" | "bye" }>): void {
    if (message.type === "bye") this.#drop(session);
    if (message.type !== "tools") return;
    const { number: frame, origin, channel } = session;
    if (!session.joined) {
      session.joined = true;
      channel.send({ type: "joined", frame, added: this.#frame.catalogue.entries() });
    }
    // The port identifies the frame that owns a tool; the message may claim anything.
    const added = message.added.map(({ tool }) => ({ frame, origin, tool }));
    this.#change(session, added, message.removed.map((removal) => ({ ...removal, frame })));
  }

  #drop(session: Session): void {
    this.#sessions.delete(session.window);
    session.channel.close();
    const { number: frame } = session;
    this.#change(session, [], this.#frame.catalogue.entries(frame).map(removalOf));
  }

  #change(session: Session, added: Entry[], removed: Removal[]): void {
    // Other frames first: a handler on this page may call a tool that depends on the change.
    this.#broadcast(added, removed, session);
    this.#frame.change(added, removed);
  }

  #broadcast(added: Entry[], removed: Removal[], except: Session | undefined): void {
    if (added.length + removed.length === 0) return;
    const message: Message = { type: "tools", added, removed };
    for (const session of this.#sessions.values()) {
      if (session !== except && session.joined) session.channel.send(message);
    }
  }

  async #route(
    target: Target,
    parameters: object,
    context: ToolContext,
    caller: number,
  ): Promise<unknown> {
    this.#dropClosed();
    const { catalogue, localTools } = this.#frame;
    const entry =
      "find" in target ? catalogue.find(target.find, caller) : catalogue.get(target.frame, target);
    if (!entry) throw unknownTool(targetName(target));
    if (entry.frame === this.number) return localTools.run(entry.tool, parameters, context);
    const owner = [...this.#sessions.values()].find(({ number }) => number === entry.frame);
    if (!owner) throw unknownTool(targetName(target));
    return owner.channel.call(removalOf(entry), parameters, context);
  }

  /** A frame announces its unload, but one that is removed from the page may have no time to. */
  #watchRemovals(): void {
    const observer = new MutationObserver((changes) => {
      if (changes.some(({ removedNodes }) => removedNodes.length > 0)) this.#dropClosed();
    });
    observer.observe(document, { childList: true, subtree: true });
  }

  #dropClosed(): void {
    for (const session of this.#sessions.values()) {
      if (session.window.closed) this.#drop(session);
    }
  }
}

function* descendants(window: Window): Generator<Window> {
  for (let index = 0; index < window.length; index++) {
    const child = window[index];
    if (!child) continue;
    yield child;
    yield* descendants(child);
  }
}
