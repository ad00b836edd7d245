/** Writes any value of a page as text, even if it is circular, huge or hostile. */

const MAX_TEXT = 2000;
const MAX_STRING = 500;
const MAX_DEPTH = 3;
const MAX_MEMBERS = 20;
/** Most parts of all values of a call together. */
const MAX_PARTS = 200;

/** How many parts may still be written, and the objects around the current one. */
interface Writing {
  parts: number;
  open: object[];
}

/** All arguments of a console call, with `%s` and the like filled in. */
export function describeAll(args: readonly unknown[]): string {
  const writing: Writing = { parts: MAX_PARTS, open: [] };
  const rest = [...args];
  const texts: string[] = [];
  if (typeof rest[0] === "string") {
    const format = rest.shift() as string;
    texts.push(
      cut(format).replace(/%([sdifoOc%])/g, (written, kind: string) => {
        if (kind === "%") return "%";
        if (rest.length === 0) return written;
        const value = rest.shift();
        if (kind === "c") return "";
        if (kind === "d" || kind === "i") return typeof value === "number" ? String(Math.trunc(value)) : text(value, writing);
        return text(value, writing);
      }),
    );
  }
  for (const value of rest) texts.push(text(value, writing));
  return cut(texts.join(" "));
}

/** A single value; an error is shown by its name and message. */
export function describe(value: unknown): string {
  return cut(text(value, { parts: MAX_PARTS, open: [] }));
}

function cut(whole: string, most = MAX_TEXT): string {
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}

/** Strings unquoted, everything else as `inner` writes it. */
function text(value: unknown, writing: Writing): string {
  return typeof value === "string" ? cut(value) : inner(value, writing);
}

function inner(value: unknown, writing: Writing): string {
  if (writing.parts-- <= 0) return "…";
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(value, MAX_STRING));
    case "bigint":
      return `${value}n`;
    case "function":
      return "ƒ";
    case "object":
      return value === null ? "null" : objectText(value, writing);
    default:
      return String(value);
  }
}

/** An object that throws when it is read is marked; the rest is still written. */
function objectText(value: object, writing: Writing): string {
  if (writing.open.includes(value)) return "[circular]";
  if (writing.open.length >= MAX_DEPTH) return Array.isArray(value) ? "[…]" : "{…}";
  writing.open.push(value);
  try {
    return object(value, writing);
  } catch {
    return "[unreadable]";
  } finally {
    writing.open.pop();
  }
}

function object(value: object, writing: Writing): string {
  if (value instanceof Error || Object.prototype.toString.call(value) === "[object Error]") {
    return error(value as Error, writing);
  }
  if (Array.isArray(value)) return list("[", value.length, (index) => inner(value[index], writing), "]");
  if (ArrayBuffer.isView(value)) return `${nameOf(value)}(${value.byteLength} bytes)`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return RegExp.prototype.toString.call(value);
  if (value instanceof Element) return tag(value);
  if (value instanceof Map || value instanceof Set) {
    const members = [...take(value.entries())];
    const one = (index: number) => {
      const [key, member] = members[index] as [unknown, unknown];
      return value instanceof Map ? `${inner(key, writing)} => ${inner(member, writing)}` : inner(member, writing);
    };
    return `${value instanceof Map ? "Map" : "Set"} ${list("{", value.size, one, "}")}`;
  }
  const keys = Object.keys(value);
  const name = nameOf(value);
  const one = (index: number) => {
    const key = keys[index] as string;
    const property = Object.getOwnPropertyDescriptor(value, key);
    // A getter may have side effects, so it is not called.
    return `${cut(key, 100)}: ${property && "value" in property ? inner(property.value, writing) : "(…)"}`;
  };
  return (name ? `${name} ` : "") + list("{", keys.length, one, "}");
}

function error(value: Error, writing: Writing): string {
  const text = `${String(value.name)}: ${cut(String(value.message))}`;
  return value.cause === undefined ? text : `${text} (because of ${inner(value.cause, writing)})`;
}

function tag(value: Element): string {
  const classes = [...value.classList].map((name) => `.${name}`).join("");
  return `<${value.localName}${value.id && `#${value.id}`}${cut(classes, 100)}>`;
}

function list(open: string, length: number, one: (index: number) => string, close: string): string {
  const shown = Array.from({ length: Math.min(length, MAX_MEMBERS) }, (_, index) => one(index));
  if (length > shown.length) shown.push(`… ${length - shown.length} more`);
  return `${open}${shown.join(", ")}${close}`;
}

function* take<Member>(members: Iterable<Member>): Generator<Member> {
  let left = MAX_MEMBERS;
  for (const member of members) {
    if (left-- <= 0) return;
    yield member;
  }
}

/** The class name of an object; empty for plain objects. */
function nameOf(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
  const made = prototype && Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  return typeof made === "function" && made !== Object ? cut(String(made.name), 100) : "";
}
