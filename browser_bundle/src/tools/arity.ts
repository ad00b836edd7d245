/** How many arguments a function takes, read from its source. */

/** The fewest and the most; null when it takes any number, or when that cannot be read. */
export type Arity = [least: number, most: number | null];

const SOURCE = Function.prototype.toString;
/** Longer parameter lists are not read. */
const MAX_CHARS = 5000;

export function arityOf(fn: (...args: never[]) => unknown): Arity {
  const source = SOURCE.call(fn);
  const unknown = /\[native code\]\s*\}$|^class\b|\barguments\b/.test(source);
  // A page may give a function any `length`.
  const least = Number.isInteger(fn.length) && fn.length >= 0 ? fn.length : 0;
  return [least, unknown ? null : most(source)];
}

/** The number of parameters; null for a rest parameter or source that is not understood. */
function most(source: string): number | null {
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
    // A text or a regular expression may hold any bracket; such defaults are left unread.
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
