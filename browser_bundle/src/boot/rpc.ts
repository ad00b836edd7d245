/**
 * Remote calls between the two sides of a port.
 *
 * Arguments are texts, numbers and functions. A function can be called from the other side until the
 * call that it was an argument of is answered.
 */
import { describeThrown } from "../base/errors.ts";
import type { PageBridge, Runtime } from "./runtime.ts";

// The two sides agree on arguments and results by their types.
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

/** A function as it is sent: the number by which it is called. */
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
  /** Messages that wait for `release`. */
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

  /** Call a function of the other side. A caller that ignores the answer also misses its error. */
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

  /** End all calls in both directions; those that wait for an answer fail with this error. */
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
      if (!called) throw new Error("the function is no longer available");
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

/** Methods of Python that the page calls. */
export const RUNTIME_METHODS = methodNames<keyof Runtime>({
  load_manifest: true,
  refresh: true,
  findings: true,
  manifest_view: true,
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
  answer: true,
  mask: true,
  prepare: true,
  run: true,
  resume: true,
  prompt: true,
  snapshot: true,
  stop_run: true,
  abandon_run: true,
  pause_run: true,
  continue_run: true,
  revoke: true,
  set_definitions: true,
  add_definitions: true,
  transcript: true,
  file: true,
  python: true,
});

/** Methods of the page that Python calls. */
export const BRIDGE_METHODS = /* @__PURE__ */ methodNames<keyof PageBridge>({
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

/** The names of an interface's methods; the compiler checks that none is missing. */
function methodNames<Name extends string>(all: Record<Name, true>): Name[] {
  return Object.keys(all) as Name[];
}
