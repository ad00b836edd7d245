/** One end of a port between a frame and the top page: calls in both directions, each with an answer. */
import { noAnswer } from "../base/results.ts";
import { readMessage, targetName, type Message, type Read, type Target } from "./component_messages.ts";
import type { ToolContext } from "./public.d.ts";
import { untilAbort } from "./frame_state.ts";
import { abortName, abortReason, errorOfTool, pageGone, toWire, WebMcpError } from "./tool_errors.ts";

/** Handles what arrives over a channel. */
export interface ChannelOwner {
  /** Answer a call of the other end. */
  answer(target: Target, parameters: object, context: ToolContext): Promise<unknown>;
  /** Take a message that does not belong to a call. */
  onMessage(message: Extract<Read, { type: "joined" | "tools" | "bye" }>): void;
}

interface Waiting {
  tool: string;
  context: ToolContext;
  resolve: (value: unknown) => void;
  reject: (error: WebMcpError) => void;
}

/** An incoming call. */
interface Running {
  end: AbortController;
  /** The questions of its tool that wait for an answer, by their numbers. */
  questions: Map<number, (answer: string | boolean | null) => void>;
}

export class Channel {
  #port: MessagePort;
  #owner: ChannelOwner;
  #lastId = 0;
  /** Outgoing calls, by our ids. */
  #calls = new Map<number, Waiting>();
  /** Incoming calls, by the other end's ids. */
  #running = new Map<number, Running>();
  #lastQuestion = 0;
  #closed = false;

  constructor(port: MessagePort, owner: ChannelOwner) {
    this.#port = port;
    this.#owner = owner;
    port.onmessage = ({ data }: MessageEvent) => {
      const message = readMessage(data);
      if (message && !this.#closed) this.#take(message);
    };
  }

  send(message: Message): void {
    if (!this.#closed) this.#port.postMessage(message);
  }

  /**
   * Call a tool of the other end.
   *
   * @throws WebMcpError
   */
  async call(target: Target, parameters: object, context: ToolContext): Promise<unknown> {
    const { signal } = context;
    const tool = targetName(target);
    if (this.#closed) throw pageGone(tool);
    const id = ++this.#lastId;
    const cancel = () => {
      this.send({ type: "cancel", id, reason: abortName(signal.reason) });
    };
    const asking = () =>
      new Promise((resolve, reject) => {
        try {
          this.#port.postMessage({ type: "call", id, target, parameters } satisfies Message);
        } catch (thrown) {
          reject(notCloneable("a parameter", tool, thrown));
          return;
        }
        this.#calls.set(id, { tool, context, resolve, reject });
        signal.addEventListener("abort", cancel);
      });
    try {
      return await untilAbort(signal, tool, asking);
    } finally {
      this.#calls.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** End the channel: outgoing calls fail because the other side is gone, and incoming ones are aborted. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close();
    for (const { tool, reject } of this.#calls.values()) reject(pageGone(tool));
    for (const { end } of this.#running.values()) end.abort(abortReason("AbortError"));
    this.#calls.clear();
    this.#running.clear();
  }

  #take(message: Read): void {
    switch (message.type) {
      case "call":
        // With an id that is in use, two calls would share an answer.
        if (!this.#running.has(message.id)) void this.#answer(message);
        break;
      case "cancel":
        this.#running.get(message.id)?.end.abort(abortReason(message.reason));
        break;
      case "progress":
        this.#calls.get(message.id)?.context.progress(message.message);
        break;
      case "question":
        void this.#askCaller(message);
        break;
      case "answer":
        this.#running.get(message.id)?.questions.get(message.question)?.(message.answer);
        break;
      case "value":
        this.#calls.get(message.id)?.resolve(message.value);
        break;
      case "error":
        this.#calls.get(message.id)?.reject(message.error);
        break;
      default:
        this.#owner.onMessage(message);
    }
  }

  /** The context of an incoming call; its messages and questions go to the other end. */
  #contextOf(id: number, { end: { signal }, questions }: Running): ToolContext {
    return {
      signal,
      progress: (message) => {
        this.send({ type: "progress", id, message: String(message) });
      },
      ask: (text, { kind = "question" } = {}) =>
        new Promise((resolve) => {
          const question = ++this.#lastQuestion;
          const giveUp = () => {
            resolve(noAnswer(kind));
          };
          if (signal.aborted) giveUp();
          questions.set(question, resolve);
          signal.addEventListener("abort", giveUp);
          this.send({ type: "question", id, question, text: String(text), kind });
        }),
    };
  }

  /** Let the caller of an outgoing call answer a question of its tool. */
  async #askCaller({ id, question, text, kind }: Extract<Read, { type: "question" }>): Promise<void> {
    const answer = await this.#calls.get(id)?.context.ask(text, { kind }).catch(() => noAnswer(kind));
    if (answer !== undefined) this.send({ type: "answer", id, question, answer });
  }

  async #answer({ id, target, parameters }: Extract<Read, { type: "call" }>): Promise<void> {
    const running: Running = { end: new AbortController(), questions: new Map() };
    this.#running.set(id, running);
    const tool = targetName(target);
    try {
      const value = await this.#owner.answer(target, parameters, this.#contextOf(id, running));
      try {
        this.send({ type: "value", id, value });
      } catch (thrown) {
        throw notCloneable("the result", tool, thrown);
      }
    } catch (thrown) {
      const error = thrown instanceof WebMcpError ? thrown : errorOfTool(thrown, tool);
      this.send({ type: "error", id, error: toWire(error) });
    } finally {
      this.#running.delete(id);
    }
  }
}

function notCloneable(what: string, tool: string, thrown: unknown): WebMcpError {
  const message =
    `${what} of \`${tool}\` cannot cross frames - functions, elements and windows cannot be ` +
    "copied - write plain data instead";
  return new WebMcpError("not_cloneable", message, tool, { cause: thrown });
}
