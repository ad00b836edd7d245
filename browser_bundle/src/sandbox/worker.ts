/** The worker of one program: receives a port, then the program, and communicates through the port. */
import { describeThrown } from "../base/errors.ts";
import { weigh, type Encoded } from "../base/values.ts";
import { ConcurrencyLimiter, type Settle } from "./concurrency_limiter.ts";
import { MAX_MESSAGE_CHARS } from "./limits.ts";
import { runProgram } from "./program.ts";
import { createConsole, limited } from "./program_console.ts";
import { transform } from "./transform/index.ts";
import type { FromWorker, Outcome, ToWorker } from "./worker_messages.ts";

addEventListener(
  "message",
  (event) => {
    const [port] = event.ports;
    if (port) serve(port);
  },
  { once: true },
);

function serve(port: MessagePort): void {
  // Bound before any program runs: a program can change prototypes, but not get hold of the port.
  const post = port.postMessage.bind(port) as (message: FromWorker) => void;
  const answers = new Map<number, Settle>();
  const limiter = new ConcurrencyLimiter();
  let asked = 0;

  const ask = (send: (id: number) => void, settle: Settle, chars = 0): void =>
    limiter.add(
      (done) => {
        const id = ++asked;
        answers.set(id, done);
        send(id);
      },
      settle,
      chars,
    );
  const print = limited((log) => post({ type: "log", log }));
  const end = (outcome: Outcome): void => post({ type: "end", outcome });
  const run = (code: string, names: string[]): void => {
    const reach = {
      names,
      console: createConsole(print),
      call: (name: string, args: Encoded[], settle: Settle) =>
        ask((id) => post({ type: "call", id, name, args }), settle, weigh(args, MAX_MESSAGE_CHARS)),
      describe: (name: string | null, settle: Settle) =>
        ask((id) => post({ type: "describe", id, name }), settle),
    };
    runProgram(code, transform, reach, end);
  };
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "run") {
      run(data.code, data.names);
      return;
    }
    const settle = answers.get(data.id);
    answers.delete(data.id);
    settle?.(data.outcome);
  };

  const lost = (what: string) => (event: Event & { reason?: unknown; error?: unknown }) => {
    event.preventDefault();
    print({ level: "error", text: `${what}: ${describeThrown(event.reason ?? event.error)}` });
  };
  addEventListener("unhandledrejection", lost("nobody caught"));
  addEventListener("error", lost("nobody caught"));
  restrictGlobals();
  // The parser's first run is the slowest, so it is done before the program arrives.
  transform("const ready: number = 1; await ready");
  post({ type: "ready" });
}

/**
 * The globals that a worker keeps: the language, and what has no effect outside.
 *
 * The frame's content security policy keeps a program from the network. Removing the other globals
 * covers what the policy does not, and what would only fail.
 */
const KEPT = new Set(
  [
    // The language.
    "Object Function Array Number Boolean String Symbol Date Promise RegExp BigInt Math JSON Intl",
    "Reflect Proxy Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator Temporal",
    "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array",
    "Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array",
    "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError",
    "SuppressedError DisposableStack AsyncDisposableStack",
    "globalThis self undefined NaN Infinity eval isFinite isNaN parseFloat parseInt",
    "decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape",
    // Parts of the platform that only compute.
    "setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone",
    "atob btoa Blob File TextEncoder TextDecoder URL URLSearchParams crypto performance",
    "AbortController AbortSignal Event EventTarget CustomEvent DOMException",
    "constructor addEventListener removeEventListener dispatchEvent",
  ]
    .join(" ")
    .split(" "),
);

/** Remove everything else from the global object and from its prototypes. */
export function restrictGlobals(): void {
  for (
    let object: object | null = globalThis;
    object && object !== Object.prototype;
    object = Object.getPrototypeOf(object) as object | null
  ) {
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === "string" && !KEPT.has(key)) Reflect.deleteProperty(object, key);
    }
  }
  for (const key of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(URL, key);
}
