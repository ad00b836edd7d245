/** Runs a program for a driver outside of the browser, which fetches the program's requests and answers them. */
import type { Result } from "../base/results.ts";
import { run, type RunOptions, type Start } from "./execution.ts";

/** A message to the driver, as JSON. */
type DriverMessage =
  | { type: "call"; id: number; name: string; args: string }
  | { type: "describe"; id: number; name: string | null }
  | { type: "end"; result: Result };

/** Options of a driver's program. */
export interface DriverOptions {
  /** The source of each tool by its name. */
  tools: Record<string, string>;
  timeout_ms: number;
}

/** A running program, from the driver's side. */
export class DriverProgram {
  #messages: DriverMessage[] = [];
  #wake = () => {};
  #answers = new Map<number, (result: Result) => void>();
  #ids = 0;
  #end = new AbortController();

  constructor(code: string, { tools, timeout_ms }: DriverOptions, start: Start) {
    const ask = (message: (id: number) => DriverMessage): Promise<Result> =>
      new Promise((resolve) => {
        const id = ++this.#ids;
        this.#answers.set(id, resolve);
        this.#send(message(id));
      });
    const options: RunOptions = {
      tools: new Map(Object.entries(tools)),
      call: (name, args) => ask((id) => ({ type: "call", id, name, args })),
      describe: (name) => ask((id) => ({ type: "describe", id, name })),
      timeout_ms,
      signal: this.#end.signal,
    };
    void run(code, options, start).then((result) => this.#send({ type: "end", result }));
  }

  /** Resolves to the pending messages, as soon as there are any: a list in JSON. */
  async next(): Promise<string> {
    if (!this.#messages.length) await new Promise<void>((resolve) => (this.#wake = resolve));
    return JSON.stringify(this.#messages.splice(0));
  }

  /** Answer the request of a number with a result in JSON. */
  answer(id: number, result: string): void {
    this.#answers.get(id)?.(JSON.parse(result) as Result);
    this.#answers.delete(id);
  }

  /** End the program. */
  stop(): void {
    this.#end.abort();
  }

  #send(message: DriverMessage): void {
    this.#messages.push(message);
    this.#wake();
  }
}
