/** The page's functions: what `global.name = …` made. */
import { WebagentError, describeThrown } from "../base/errors.ts";
import { type Encoded, decode } from "../base/values.ts";
import { arityOf, type Arity } from "./arity.ts";

type PageFunction = (...args: unknown[]) => unknown;

/** Of each of these names that is a function of the page, how many arguments it takes. */
export function presentFunctions(names: string[]): Record<string, Arity> {
  const found: Record<string, Arity> = Object.create(null) as Record<string, Arity>;
  for (const name of names) {
    const fn = pageFunction(name);
    if (fn) found[name] = arityIfRead(fn);
  }
  return found;
}

/** A page may make anything of a function, also one that throws when it is looked at. */
function arityIfRead(fn: PageFunction): Arity {
  try {
    return arityOf(fn);
  } catch {
    return [0, null];
  }
}

/** @throws WebagentError `missing_function` or `threw`. */
export async function callFunction(name: string, args: Encoded[]): Promise<unknown> {
  const fn = pageFunction(name);
  if (!fn) {
    throw new WebagentError({
      kind: "missing_function",
      message: `the page has no function \`${name}\``,
    });
  }
  try {
    // As a button would call it: `global.name(…)`.
    return await fn.apply(globalThis, args.map(decode));
  } catch (thrown) {
    throw new WebagentError({ kind: "threw", message: describeThrown(thrown) });
  }
}

/** What functions of the browser show as their source; bound ones and proxies show no name. */
const PLATFORM = /^function \w+\(\) \{\s*\[native code\]\s*\}$/;

function sourceOf(fn: PageFunction): string {
  return Function.prototype.toString.call(fn);
}

function pageFunction(name: string): PageFunction | undefined {
  try {
    const value = (globalThis as Record<string, unknown>)[name];
    // The browser's own (`find`, `open`, `print` …) are no tools of the site.
    const own = typeof value === "function" && !PLATFORM.test(sourceOf(value as PageFunction));
    return own ? (value as PageFunction) : undefined;
  } catch {
    // Some properties of a window may not be asked for, `localStorage` in a sandbox for one.
    return undefined;
  }
}

/** Names that libraries give their functions. */
const LIBRARIES =
  /^(?:on[a-z]+|gtag|ga|fbq|ym|hj|clarity|require|define|dataLayer|jQuery|Vue|React|htmx|webpack\w*|parcel\w*|global|webagent|webmcp)$/;
/** Minified code has long lines. */
const MINIFIED_LINE = 500;
const MOST_LISTED = 20;

/**
 * Functions that look as if the site's author had made them for agents: assigned to the global
 * object, with an ordinary name, giving something back.
 *
 * @param declared Names that are known already.
 */
export function undeclaredFunctions(declared: string[]): string[] {
  const known = new Set(declared);
  const found: string[] = [];
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
    // A function declaration cannot be deleted from the global object, an assignment can.
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
