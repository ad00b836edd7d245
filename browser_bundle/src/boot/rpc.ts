/**
 * Functions that two sides of a port call on each other.
 *
 * Texts and numbers cross, and of what is given to a call also functions: they can be called from
 * the other side until the call has its answer.
 */
import { describeThrown } from "../base/errors.ts";
import type { PageBridge, Runtime } from "./runtime.ts";

// What crosses is up to the two sides; they agree by their types.
export type Functions = Record<string, (...args: any[]) => unknown>;

/** A port, or a worker on either of its sides. */
export interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
}

type Message =
  | { call: number; of: string | number; args: unknown[] }
  | { answer: number; value: unknown }
  | { answer: number; fault: { name: string; message: string } };

/** A function as it crosses: the number by which it is called. */
type FunctionReference = { one: number } | { each: Record<string, number> };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class RpcChannel {
  #port: Port;
  #own: Functions;
  #lent = new Map<number, Functions[string]>();
  #waiting = new Map<number, Waiting>();
  #numbers = 0;
  #closed: Error | undefined;
  /** What is not sent yet. */
  #held: Message[] | undefined;

  /** @param own What the other side may call. */
  constructor(port: Port, own: Functions) {
    this.#port = port;
    this.#own = own;
    port.onmessage = ({ data }: MessageEvent<Message>) => {
      if ("call" in data) void this.#answer(data.call, data.of, data.args);
      else this.#settle(data);
    };
  }

  /** Call a function of the other side; who does not look at the answer is told of no error. */
  call(of: string | number, ...args: unknown[]): Promise<unknown> {
    const lent: number[] = [];
    const answer = new Promise<unknown>((resolve, reject) => {
      if (this.#closed) throw this.#closed;
      const call = ++this.#numbers;
      this.#waiting.set(call, { resolve, reject });
      this.#send({ call, of, args: args.map((arg) => this.#lend(arg, lent)) });
    }).finally(() => lent.forEach((number) => this.#lent.delete(number)));
    answer.catch(() => {});
    return answer;
  }

  /** Send nothing until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) this.#send(message);
  }

  /** Call nothing any more, and be called no more; what waits for an answer gets this error. */
  close(error: Error): void {
    this.#closed = error;
    this.#port.onmessage = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#lent.clear();
  }

  async #answer(answer: number, of: string | number, args: unknown[]): Promise<void> {
    try {
      const called = typeof of === "number" ? this.#lent.get(of) : this.#own[of];
      if (!called) throw new Error("what was called is not wanted any more");
      const value = await called(...args.map((arg) => this.#borrow(arg)));
      this.#send({ answer, value });
    } catch (thrown) {
      const { name, message } = thrown instanceof Error ? thrown : new Error(describeThrown(thrown));
      this.#send({ answer, fault: { name, message } });
    }
  }

  #settle(data: Exclude<Message, { call: number }>): void {
    const waiting = this.#waiting.get(data.answer);
    this.#waiting.delete(data.answer);
    if ("fault" in data) waiting?.reject(Object.assign(new Error(data.fault.message), { name: data.fault.name }));
    else waiting?.resolve(data.value);
  }

  #send(message: Message): void {
    if (this.#closed) return;
    if (this.#held) this.#held.push(message);
    else this.#port.postMessage(message);
  }

  #lend(arg: unknown, lent: number[]): unknown {
    const number = (called: Functions[string]) => {
      const given = ++this.#numbers;
      this.#lent.set(given, called);
      lent.push(given);
      return given;
    };
    if (typeof arg === "function") return { one: number(arg as Functions[string]) } satisfies FunctionReference;
    if (typeof arg !== "object" || arg === null) return arg;
    const each = Object.entries(arg as Functions).map(([name, called]) => [name, number(called)] as const);
    return { each: Object.fromEntries(each) } satisfies FunctionReference;
  }

  #borrow(arg: unknown): unknown {
    if (typeof arg !== "object" || arg === null) return arg;
    const given = arg as FunctionReference;
    const calling = (number: number) => (...args: unknown[]) => this.call(number, ...args);
    if ("one" in given) return calling(given.one);
    return Object.fromEntries(Object.entries(given.each).map(([name, number]) => [name, calling(number)]));
  }
}

// What a page and a Python elsewhere call of each other, by name.

/** What the page calls. */
export const RUNTIME_METHODS = methodNames<keyof Runtime>({
  load_manifest: true,
  refresh: true,
  drift: true,
  manifest: true,
  typescript: true,
  to_markdown: true,
  names: true,
  describe: true,
  exposed: true,
  tools: true,
  call: true,
  invoke: true,
  cancel: true,
  progress: true,
  mask: true,
  run: true,
  resume: true,
  prompt: true,
  snapshot: true,
  stop_run: true,
  abandon_run: true,
  transcript: true,
  python: true,
});

/** What Python calls. */
export const BRIDGE_METHODS = methodNames<keyof PageBridge>({
  emit: true,
  offers: true,
  path: true,
  invoke: true,
  cancel: true,
  snapshot: true,
  act: true,
  run_code: true,
  end_code: true,
});

/** The names of an interface, none of them forgotten. */
function methodNames<Name extends string>(all: Record<Name, true>): Name[] {
  return Object.keys(all) as Name[];
}
