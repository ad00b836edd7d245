/** What a value of a result is, for people: its kind, a line about it, and what is in it. */
import { counted, inLine } from "../ui/display_text.ts";

export interface Shown {
  /** Chooses the colour: `string`, `number`, `word`, `tag`, `object`. */
  kind: "string" | "number" | "word" | "tag" | "object";
  text: string;
  /** What is in it, by label, and how much in words; undefined for what holds nothing. */
  inside?: { count: number; said: string; entries: () => Iterable<[label: string, value: unknown]> };
  /** The whole text, when the line has only its beginning. */
  whole?: string;
}

/** Characters of a line. */
const LINE = 120;

export function shown(value: unknown): Shown {
  if (typeof value === "string") {
    const text = inLine(value, LINE);
    return { kind: "string", text, ...(value.length + 2 > LINE && { whole: value }) };
  }
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value !== "object" || value === null) return { kind: "word", text: String(value) };
  if (Array.isArray(value)) return several(value, counted(value.length, "item"), () => value.entries());
  if (Object.hasOwn(value, "$type")) return tagged(value as { $type: unknown; value?: unknown });
  return several(value, "", () => Object.entries(value));
}

/** What JSON cannot hold travels as `{"$type": …, "value": …}`. */
function tagged({ $type, value }: { $type: unknown; value?: unknown }): Shown {
  const tag = (text: string): Shown => ({ kind: "tag", text });
  switch ($type) {
    case "undefined":
      return { kind: "word", text: "undefined" };
    case "bigint":
      return { kind: "number", text: `${inLine(String(value), LINE).slice(1, -1)}n` };
    case "number":
      return { kind: "number", text: inLine(String(value), LINE).slice(1, -1) };
    case "date":
      return tag(value === null ? "Date (invalid)" : `Date ${inLine(value, LINE)}`);
    case "object":
      if (typeof value === "object" && value !== null) return several(value, "", () => Object.entries(value));
      break;
    case "map":
      if (Array.isArray(value)) {
        const pairs = value.filter((pair): pair is unknown[] => Array.isArray(pair));
        const entries = () => pairs.map(([key, inner]): [string, unknown] => [inLine(key, LINE), inner]);
        return several(pairs, `Map, ${counted(pairs.length, "entry").replace("entrys", "entries")}`, entries);
      }
      break;
    case "set":
      if (Array.isArray(value)) return several(value, `Set, ${counted(value.length, "item")}`, () => value.entries());
      break;
    case "binary": {
      const text = String(value);
      const bytes = Math.floor((text.length * 3) / 4) - (/=*$/.exec(text)?.[0].length ?? 0);
      return { kind: "tag", text: `bytes, ${counted(bytes, "byte")}`, whole: text };
    }
    case "error": {
      const { name, message } = (value ?? {}) as { name?: unknown; message?: unknown };
      return tag(`${inLine(String(name), LINE).slice(1, -1)}: ${inLine(String(message), LINE).slice(1, -1)}`);
    }
    case "circular":
      return tag(`the object ${counted(Number(value), "level")} above`);
    case "function":
    case "symbol":
    case "regexp":
    case "element":
    case "opaque":
      return tag(`${$type} ${inLine(String(value), LINE).slice(1, -1)}`);
  }
  return several({ $type, value }, "", () => Object.entries({ $type, value }));
}

function several(value: object, text: string, entries: () => Iterable<[string | number, unknown]>): Shown {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const brief = inLine(value, LINE);
  return {
    kind: "object",
    text: text && count > 0 ? `${text} ${brief}` : text || brief,
    ...(count > 0 && {
      inside: {
        count,
        said: text || counted(count, "member"),
        *entries(): Iterable<[string, unknown]> {
          for (const [label, inner] of entries()) yield [String(label), inner];
        },
      },
    }),
  };
}
