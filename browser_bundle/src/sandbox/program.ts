/** Runs the code of a program, in a worker or in a page, with its own `global` and `console`. */
import { describeThrown, isWebagentError, WebagentError } from "../base/errors.ts";
import { decode, encodeLight, type Encoded } from "../base/values.ts";
import { MAX_LOG_CHARS, MAX_MESSAGE_CHARS } from "./limits.ts";
import { createToolGlobals } from "./tool_globals.ts";
import type { Transformed } from "./transform/index.ts";
import type { Outcome } from "./worker_messages.ts";

/** The functions and values that the worker or the page provides to a program. */
interface ProgramHost {
  names: readonly string[];
  console: object;
  /** Call a tool. */
  call(name: string, args: Encoded[], settle: (outcome: Outcome) => void): void;
  /** Describe a tool, or with null list all. */
  describe(name: string | null, settle: (outcome: Outcome) => void): void;
}

type Main = (
  global: object,
  console: object,
  listTools: () => Promise<unknown>,
  describeTool: (name: unknown) => Promise<unknown>,
) => Promise<unknown>;

const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => Main;
/** File name of the program in stack traces. */
const FILE = "webagent-program.js";
/** Lines before the first line of the program, added by the engine and by us. */
const LINES_BEFORE = 3;

/**
 * Run a program; `end` gets its outcome, once.
 *
 * With callbacks rather than promises, because a program may add a `then` to all objects.
 *
 * @param transform Turns a model's program into JavaScript.
 */
export function runProgram(
  source: string,
  transform: (source: string) => Transformed,
  reach: ProgramHost,
  end: (outcome: Outcome) => void,
): void {
  let placeOf: Transformed["placeOf"] | undefined;
  const fail = (thrown: unknown): void => end({ ok: false, error: errorOf(thrown, placeOf) });
  const asking =
    <Question>(ask: (question: Question, settle: (outcome: Outcome) => void) => void) =>
    (question: Question): Promise<unknown> =>
      new Promise((resolve, reject) => {
        ask(question, (outcome) => {
          if (outcome.ok) resolve(decode(outcome.value));
          else reject(new WebagentError(outcome.error));
        });
      });
  const describe = asking<string | null>((name, settle) => reach.describe(name, settle));
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const encoded = encodeLight(args, MAX_MESSAGE_CHARS) as Encoded[];
    return asking<Encoded[]>((given, settle) => reach.call(name, given, settle))(encoded);
  };
  try {
    const transformed = transform(source);
    placeOf = transformed.placeOf;
    const main = compile(transformed.code);
    const box = createToolGlobals(reach.names, call);
    const done = main(
      box,
      reach.console,
      () => describe(null),
      (name) => describe(String(name).slice(0, MAX_LOG_CHARS)),
    );
    done.then((value) => {
      try {
        end({ ok: true, value: encodeLight(value, MAX_MESSAGE_CHARS, true) });
      } catch (thrown) {
        fail(thrown);
      }
    }, fail);
  } catch (thrown) {
    fail(thrown);
  }
}

function compile(code: string): Main {
  try {
    // Inside a block the program may declare variables named `global` or `console`.
    const body = `{\n${code}\n}\n//# sourceURL=${FILE}`;
    return new AsyncFunction("global", "console", "listTools", "describeTool", body);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) {
      const message = `the program does not parse: ${thrown.message}`;
      throw new WebagentError({ kind: "syntax_error", message });
    }
    throw new WebagentError({
      kind: "sandbox",
      message: "the page's content security policy forbids running code from a string",
      help: "run the program with `isolation: \"sandbox\"`, or allow `'unsafe-eval'` in script-src",
    });
  }
}

function errorOf(thrown: unknown, placeOf: Transformed["placeOf"] | undefined) {
  if (isWebagentError(thrown)) return thrown.toJSON();
  const place = placeOf && placeIn(thrown, placeOf);
  const message = describeThrown(thrown).slice(0, 10_000);
  const absent = /^ReferenceError: (\w+) is not defined/.exec(message)?.[1];
  return {
    kind: "threw" as const,
    message: place ? `${message} (line ${place.line}, column ${place.column})` : message,
    ...(absent && PAGE_GLOBALS.has(absent) ? { help: PAGE_GLOBALS_HELP } : {}),
  };
}

const PAGE_GLOBALS = new Set(
  "document window fetch location navigator localStorage sessionStorage XMLHttpRequest alert".split(" "),
);
const PAGE_GLOBALS_HELP = "a program reaches the page through the tools of `global` alone";

/** Where in the program an error was thrown, if its stack has that place. */
function placeIn(thrown: unknown, placeOf: Transformed["placeOf"]) {
  try {
    const stack = String((thrown as { stack?: unknown }).stack);
    const at = stack.indexOf(`${FILE}:`);
    const match = at < 0 ? null : /^:(\d+):(\d+)/.exec(stack.slice(at + FILE.length, at + 99));
    if (!match) return undefined;
    return placeOf(Number(match[1]) - LINES_BEFORE, Number(match[2]));
  } catch {
    return undefined;
  }
}
