/** The tools of a page, to be called like functions. */
import type { Page } from "@playwright/test";
import type { Checks, Mismatch } from "webagent-page/checks";
import { manifestOf, needAgent } from "./agent_in_page.js";

/** How long a tool may take to be there, after the page was loaded. */
const LATE_MS = 5000;
/** Longest part of a value in a message. */
const MOST_SHOWN = 300;

/** How a call failed. */
export interface ToolError {
  kind: string;
  message: string;
  path?: string;
  help?: string;
}

/** The functions that every page has. */
interface OwnTools {
  /** Call a tool whose name is not an identifier, or one of these. */
  call(name: string, ...given: unknown[]): Promise<any>;
  /** Call a tool with its arguments by name. */
  invoke(name: string, given?: Record<string, unknown>): Promise<any>;
  /** Call a tool that must fail, perhaps in a way of this kind; resolves to how it did. */
  fails(name: string, given: unknown[], kind?: string): Promise<ToolError>;
  /** Run a program in which `global` has the tools, in the sandbox; resolves to its value as JSON. */
  run(code: string): Promise<any>;
  /** The names of the tools that can be called on the page now. */
  names(): Promise<string[]>;
}

/** The tools of the manifest, where its types were written; else any. */
type Declared = [keyof WebAgentGlobal] extends [never]
  ? Record<string, (...given: any[]) => Promise<any>>
  : { [Name in keyof WebAgentGlobal]: WebAgentGlobal[Name] };

/** The tools of a page, each as a function of its name. */
export type Tools = OwnTools & Declared;

/** A call of a tool failed. */
export class ToolCallFailed extends Error {
  override name = "ToolCallFailed";
  kind: string;

  constructor(call: string, error: ToolError) {
    const place = error.path ? ` at \`${error.path}\`` : "";
    super(`\`${call}\` failed with \`${error.kind}\`${place}: ${error.message}${error.help ? ` - ${error.help}` : ""}`);
    this.kind = error.kind;
  }
}

/** A tool gave something else than its manifest declares. */
export class ResultMismatch extends Error {
  override name = "ResultMismatch";

  constructor(call: string, value: unknown, found: Mismatch[]) {
    const lines = found.map(({ path, expected, got }) => `  at ${path || "the whole"}: expected ${expected}, got ${got}`);
    super(`\`${call}\` gave something else than is declared\n${lines.join("\n")}\n  gave ${shown(value)}`);
  }
}

/** Arguments in order, or by name. */
type Given = unknown[] | Record<string, unknown>;

type Answer = { ok: true; value: unknown; plain: unknown } | { ok: false; error: ToolError };

/** The tools of a page as functions; the result of each call is compared with its declared type. */
export function pageTools(page: Page, checks: () => Checks): Tools {
  const there = new Set<string>();

  async function answer(name: string, given: Given): Promise<Answer> {
    await needAgent(page);
    const mark = `${page.url()} ${name}`;
    // The script of a tool may come late; one that is missing even then fails in its call.
    for (const end = Date.now() + LATE_MS; !there.has(mark) && Date.now() < end; ) {
      if ((await own.names()).includes(name)) there.add(mark);
      else await page.waitForTimeout(50);
    }
    return page.evaluate(callInPage, { name, given });
  }

  /** The value of a call, as it is declared. */
  async function value(name: string, given: Given): Promise<unknown> {
    const result = await answer(name, given);
    if (!result.ok) throw new ToolCallFailed(written(name, given), result.error);
    const found = await checks().mismatches(await manifestOf(page), name, result.plain);
    if (found.length) throw new ResultMismatch(written(name, given), result.value, found);
    return result.value;
  }

  const own: OwnTools = {
    call: (name, ...given) => value(name, given),
    invoke: (name, given = {}) => value(name, given),
    async fails(name, given, kind) {
      const result = await answer(name, given);
      const call = written(name, given);
      if (result.ok) throw new Error(`\`${call}\` should have failed, and gave ${shown(result.value)}`);
      if (kind !== undefined && result.error.kind !== kind) throw new ToolCallFailed(call, result.error);
      return result.error;
    },
    async run(code) {
      await needAgent(page);
      const result = await page.evaluate((program) => webagent.execute(program), code);
      if (result.ok) return result.value;
      throw new Error(`the program failed with \`${result.error.kind}\`: ${result.error.message}`);
    },
    async names() {
      await needAgent(page);
      const tools = await page.evaluate(() => webagent.tools());
      return tools.filter(({ available }) => available).map(({ name }) => String(name));
    },
  };
  return new Proxy(own as Tools, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name) as unknown;
      // A promise that resolves to it looks for this.
      if (name === "then") return undefined;
      return (...given: unknown[]) => own.call(name, ...given);
    },
  });
}

/** Call a tool; `plain` is its value as JSON, with tags where JSON cannot hold it. */
async function callInPage({ name, given }: { name: string; given: Given }): Promise<Answer> {
  let plain: unknown;
  const hear = ({ detail }: CustomEvent<{ name: string; state: string; value?: unknown }>) => {
    if (detail.name === name && detail.state === "finished") plain = detail.value;
  };
  webagent.addEventListener("call", hear);
  try {
    const value = await (Array.isArray(given) ? webagent.call(name, ...given) : webagent.invoke(name, given));
    return { ok: true, value, plain };
  } catch (thrown) {
    const { kind, message, path, help } = thrown as ToolError;
    return { ok: false, error: { kind, message, ...(path && { path }), ...(help && { help }) } };
  } finally {
    webagent.removeEventListener("call", hear as EventListener);
  }
}

function written(name: string, given: Given): string {
  return `${name}(${Array.isArray(given) ? given.map(shown).join(", ") : shown(given)})`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
