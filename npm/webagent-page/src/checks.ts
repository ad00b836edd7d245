/** The checks of manifests, for Node: the Python of the bundle, in a thread of its own. */
import { Worker } from "node:worker_threads";
import type { Finding } from "./agent.js";

export type { Finding } from "./agent.js";

/** The result of a check. */
export interface Report {
  path: string;
  findings: Finding[];
  /** The number of tools. */
  tools: number;
}

/** Where a value is not what its type says. */
export interface Mismatch {
  path: string;
  expected: string;
  got: string;
}

/** The checks, which stay started. */
export interface Checks {
  /** Check the text of a manifest; findings name it by `path`. */
  check(text: string, path: string): Promise<Report>;
  /** Types for the code of the site, as `webagent-dev types --implement` writes them. */
  types(text: string): Promise<string>;
  /** The manifest as it is published below a path: the `paths` of its tools begin with that. */
  rebased(text: string, base: string): Promise<string>;
  /** Compare the result of a tool with its declaration. */
  mismatches(text: string, tool: string, value: unknown): Promise<Mismatch[]>;
  /** Compare a value with a type of TypeScript, such as `{ total: number }`. */
  matches(value: unknown, type: string): Promise<Mismatch[]>;
  /** End the thread; calls that wait fail. */
  end(): Promise<void>;
}

/** Start the checks, which takes about a second. They do not keep a process from ending. */
export function startChecks(): Checks {
  const worker = new Worker(new URL("./checks_worker.js", import.meta.url));
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  const fail = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  let calls = 0;
  let ended: Error | undefined;
  worker.on("message", ({ id, value, error }: { id: number; value?: string; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (error === undefined) call?.resolve(JSON.parse(value ?? "null") as never);
    else call?.reject(new Error(error));
  });
  worker.on("error", (error) => fail((ended = error)));
  worker.on("exit", () => fail((ended ??= new Error("the checks have ended"))));
  worker.unref();
  const ask = <Value>(name: string, ...given: string[]): Promise<Value> =>
    new Promise<Value>((resolve, reject) => {
      if (ended) return reject(ended);
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, name, given });
    });
  return {
    check: (text, path) => ask("checked", text, path),
    types: (text) => ask("types", text),
    rebased: (text, base) => ask("moved", text, base),
    mismatches: (text, tool, value) => ask("mismatches", text, tool, JSON.stringify(value) ?? "null"),
    matches: (value, type) => ask("matches", JSON.stringify(value) ?? "null", type),
    end: async () => void (await worker.terminate()),
  };
}
