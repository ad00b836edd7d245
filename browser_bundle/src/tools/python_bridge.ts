/** Python's access to a page, from inside or outside of it; JSON strings in, JSON strings out. */
import { asWebagentError } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { Result } from "../base/results.ts";
import { turn, watchDeparture } from "../base/page_events.ts";
import { encodeText, jsonText, type Encoded } from "../base/values.ts";
import type * as DomPart from "../dom/index.ts";
import { MAX_MESSAGE_CHARS } from "../sandbox/limits.ts";
import type { AskCaller, Target, ToolQuestion } from "./offers.ts";
import type { PageTools } from "./page_tools.ts";

/** Reads a page and acts on it as a person would; see `dom/index.ts`. */
export interface Dom {
  snapshot(): Promise<object>;
  act(action: { type: string }): Promise<unknown>;
}

/** Options of a program. */
interface CodeOptions {
  /** Number by which the program can be ended. */
  number: number;
  /** The source of each tool by its name. */
  tools: Record<string, string>;
  isolation: "sandbox" | "page";
  timeout_ms: number;
}

/** Calls a tool for a program; the arguments are a list in JSON. */
export type CallTool = (name: string, args: string) => Promise<Result>;

/** Runs a program that was written against `declare const global`; `signal` ends it. */
export type RunCode = (
  code: string,
  options: CodeOptions,
  call: CallTool,
  signal: AbortSignal,
) => Promise<Result>;

/** `webagent.page.bridge.Bridge`. */
export interface Bridge {
  /** The tools of the page, and those functions of a JSON list that exist. */
  offers(functions: string): Promise<string>;
  path(): Promise<string>;
  /**
   * Call a target; `{"ok": true, "value"}` or `{"ok": false, "error"}` as JSON.
   *
   * @param forProgram Whether the value is for a program, which gets none that is too large for it.
   */
  invoke(
    target: string,
    args: string,
    callId: number,
    timeout_ms: number,
    forProgram: boolean,
  ): Promise<string>;
  /** Cancel a running call. */
  cancel(callId: number): Promise<void>;
  snapshot(): Promise<string>;
  /** Act or read as a person would; answers as `invoke` does. */
  act(action: string): Promise<string>;
  /** Run a program; `call` takes a name and the arguments as JSON, and returns the result as JSON. */
  run_code(
    code: string,
    options: string,
    call: (name: string, args: string) => Promise<string>,
  ): Promise<string>;
  /** End a running program. */
  end_code(number: number): Promise<void>;
}

/**
 * @param dom Loads what reads the page and acts on it, when it is first needed.
 * @param progress Takes the progress messages of running calls.
 * @param ask Takes their questions.
 */
export function createBridge(
  tools: PageTools,
  dom: () => Promise<Dom>,
  runCode: RunCode,
  progress: (callId: number, message: string) => void,
  ask: (callId: number, question: ToolQuestion) => ReturnType<AskCaller>,
): Bridge {
  const programs = new Map<number, AbortController>();
  const departs = watchDeparture();

  /**
   * The result of `something` or its error, as JSON.
   *
   * Programs call many tools at once with long texts, so each step of theirs is a task of its own.
   * Any answer waits for a task in which a page that was sent away can begin to leave.
   */
  async function answer(something: () => Promise<unknown>, forProgram = false): Promise<string> {
    try {
      if (forProgram) await turn();
      const value = await something();
      // A tool may answer and lead to another page: there is no further task in this one.
      if (!departs()) await turn();
      const maxChars = forProgram ? MAX_MESSAGE_CHARS : undefined;
      return `{"ok":true,"value":${encodeText(value, maxChars)}}`;
    } catch (thrown) {
      return jsonText({ ok: false, error: asWebagentError(thrown) });
    }
  }

  return {
    async offers(functions) {
      return jsonText(await tools.offers(JSON.parse(functions) as string[]));
    },
    path: async () => location.pathname,
    invoke: (target, args, callId, timeout_ms, forProgram) =>
      answer(async () => {
        const input = JSON.parse(args) as Encoded[] | Record<string, Encoded>;
        const reached = JSON.parse(target) as Target;
        const say = (message: string) => progress(callId, message);
        return tools.call(reached, input, callId, timeout_ms, say, (question) => ask(callId, question));
      }, forProgram),
    cancel: async (callId) => tools.cancel(callId),
    snapshot: async () => jsonText(await (await dom()).snapshot()),
    act: (action) =>
      answer(async () => (await dom()).act(JSON.parse(action) as { type: string })),
    async run_code(code, options, call) {
      const parsed = JSON.parse(options) as CodeOptions;
      const callTool: CallTool = async (name, args) =>
        JSON.parse(await call(name, args)) as Result;
      const end = new AbortController();
      programs.set(parsed.number, end);
      try {
        return jsonText(await runCode(code, parsed, callTool, end.signal));
      } finally {
        programs.delete(parsed.number);
      }
    },
    end_code: async (number) => programs.get(number)?.abort(),
  };
}

/** The state that the page provides, for its snapshots. */
type ReadState = () => Promise<object[]>;

/**
 * Load `dom.js`, which reads this page and acts on it, when it is first needed.
 *
 * @param base URL of the bundle.
 */
export function lazyDom(base: string, state: ReadState): () => Promise<Dom> {
  let seen: Dom | undefined;
  return async () => {
    const { createDom } = await loadChunk<typeof DomPart>(base, "dom");
    return (seen ??= withState(createDom(document, { screenshot: () => loadChunk(base, "screenshot") }), state));
  };
}

/** Adds the provided state to the snapshots of a page. */
export function withState(dom: DomPart.Dom, state: ReadState): Dom {
  return {
    async snapshot() {
      const provided = await state();
      return { ...dom.snapshot(), ...(provided.length > 0 ? { state: provided } : {}) };
    },
    act: (action) => dom.act(action as Parameters<DomPart.Dom["act"]>[0]),
  };
}
