/** Global functions of the page, such as those that `globalThis.name = …` defines. */
import { describeThrown, WebagentError } from "../base/errors.ts";
import { callWith, type CallContext } from "../base/results.ts";
import { decode, type Encoded } from "../base/values.ts";

type PageFunction = (...args: unknown[]) => unknown;

/** The arity of each of these names that is a function of the page. */
export function presentFunctions(names: string[]): Record<string, Arity> {
  const found: Record<string, Arity> = Object.create(null) as Record<string, Arity>;
  for (const name of names) {
    const fn = pageFunction(name);
    if (fn) found[name] = safeArityOf(fn);
  }
  return found;
}

const MOST_REASON = 300;

/** Why functions cannot be called now, as their property `unavailable` says: a text, or a function that returns one. */
export function unavailableFunctions(names: string[]): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const name of names) {
    const fn = pageFunction(name) as { unavailable?: unknown } | undefined;
    try {
      const given = fn?.unavailable;
      const reason = typeof given === "function" ? (given as () => unknown).call(fn) : given;
      if (typeof reason === "string" && reason.trim()) found[name] = reason.trim().slice(0, MOST_REASON);
    } catch (thrown) {
      // Without a reason it can be called, and says itself what is wrong.
      console.warn(`webagent: \`${name}.unavailable\` threw - ${describeThrown(thrown)}`);
    }
  }
  return found;
}

/** The arity of a function; a page may define one that throws when it is read. */
function safeArityOf(fn: PageFunction): Arity {
  try {
    return arityOf(fn);
  } catch {
    return [0, null];
  }
}

/** @throws WebagentError `missing_function` or `threw`. */
export async function callFunction(name: string, args: Encoded[], context?: CallContext): Promise<unknown> {
  const fn = pageFunction(name);
  if (!fn) {
    throw new WebagentError({
      kind: "missing_function",
      message: `the page has no function \`${name}\``,
    });
  }
  try {
    // As a button would call it: `global.name(…)`.
    return await callWith(globalThis, context, () => fn.apply(globalThis, args.map(decode)));
  } catch (thrown) {
    throw new WebagentError({ kind: "threw", message: describeThrown(thrown) });
  }
}

/** Source text of the browser's own functions; bound functions and proxies have no name in it. */
const PLATFORM = /^function \w+\(\) \{\s*\[native code\]\s*\}$/;

function sourceOf(fn: PageFunction): string {
  return Function.prototype.toString.call(fn);
}

function pageFunction(name: string): PageFunction | undefined {
  try {
    const value = (globalThis as Record<string, unknown>)[name];
    // The browser's own functions (`find`, `open`, `print` …) are not tools of the site.
    const own = typeof value === "function" && !PLATFORM.test(sourceOf(value as PageFunction));
    return own ? (value as PageFunction) : undefined;
  } catch {
    // Reading some properties of a window throws, such as `localStorage` in a sandbox.
    return undefined;
  }
}

/** Names of functions that libraries define. */
const LIBRARIES =
  /^(?:on[a-z]+|gtag|ga|fbq|ym|hj|clarity|require|define|dataLayer|jQuery|Vue|React|htmx|webpack\w*|parcel\w*|global|webagent|webmcp)$/;
/** Minified code has long lines. */
const MINIFIED_LINE = 500;
const MOST_LISTED = 20;

/**
 * Functions that look as if the site's author meant them for agents: assigned to the global object,
 * with an ordinary name, and returning something.
 *
 * @param declared Names that the manifest has already.
 */
export function undeclaredFunctions(declared: string[]): string[] {
  const known = new Set(declared);
  const found: string[] = [];
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    // Unlike an assignment, a function declaration makes a property that cannot be deleted.
    if (!property.configurable || !property.enumerable || !property.writable) continue;
    if (typeof property.value !== "function" || known.has(name)) continue;
    if (looksPublic(name, property.value as PageFunction)) found.push(name);
    if (found.length === MOST_LISTED) break;
  }
  return found;
}

function looksPublic(name: string, fn: PageFunction): boolean {
  if (!/^[a-z][A-Za-z0-9]{2,}$/.test(name) || LIBRARIES.test(name)) return false;
  const source = sourceOf(fn);
  if (/\[native code\]\s*\}$/.test(source) || source.startsWith("class")) return false;
  if (source.split("\n").some((line) => line.length > MINIFIED_LINE)) return false;
  return /\breturn\b|=>\s*[^{\s]|^async\b/.test(source);
}

/** Fewest and most arguments; the most is null when it is unlimited or cannot be read. */
type Arity = [least: number, most: number | null];

const SOURCE = Function.prototype.toString;
/** Longer parameter lists are not read. */
const MAX_CHARS = 5000;

/** How many arguments a function takes, read from its source. */
export function arityOf(fn: (...args: never[]) => unknown): Arity {
  const source = SOURCE.call(fn);
  const unknown = /\[native code\]\s*\}$|^class\b|\barguments\b/.test(source);
  // A page may set the `length` of a function to anything.
  const least = Number.isInteger(fn.length) && fn.length >= 0 ? fn.length : 0;
  return [least, unknown ? null : parameterCount(source)];
}

/** The number of parameters; null for a rest parameter or for source that cannot be read. */
function parameterCount(source: string): number | null {
  const start = startOfParameters(source);
  if (start === undefined) return null;
  if (start < 0) return 1;
  let depth = 0;
  let count = 0;
  let empty = true;
  for (let i = start + 1; i < Math.min(source.length, MAX_CHARS); i++) {
    const char = source[i] as string;
    if (char === "/" && (source[i + 1] === "/" || source[i + 1] === "*")) {
      const end = source[i + 1] === "/" ? source.indexOf("\n", i) : source.indexOf("*/", i) + 1;
      if (end <= 0) return null;
      i = end;
      continue;
    }
    if (depth === 0) {
      if (char === ")") return empty ? count : count + 1;
      if (char === ",") {
        count++;
        empty = true;
        continue;
      }
      if (empty && source.startsWith("...", i)) return null;
    }
    if (/\s/.test(char)) continue;
    empty = false;
    // Strings may hold any bracket and are skipped; a default with a regular expression ends the count.
    if (`"'\`/`.includes(char)) {
      const end = char === "/" ? -1 : endOfText(source, i, char);
      if (end < 0) return null;
      i = end;
    } else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
  }
  return null;
}

/** Where the parenthesis of the parameters opens; -1 for an arrow function with one bare name. */
function startOfParameters(source: string): number | undefined {
  if (/^(async\s+)?[\p{ID_Start}_$][\p{ID_Continue}$]*\s*=>/u.test(source)) return -1;
  const head = /^(?:async\b\s*)?(?:function\b\s*\*?\s*)?(?:[\p{ID_Start}_$][\p{ID_Continue}$]*\s*)?\(/u;
  const found = head.exec(source);
  return found ? found[0].length - 1 : undefined;
}

function endOfText(source: string, start: number, quote: string): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === quote) return i;
    else if (quote === "`" && source.startsWith("${", i)) return -1;
  }
  return -1;
}
