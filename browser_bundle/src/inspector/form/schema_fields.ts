/** Fields of a form, from a JSON Schema: texts, numbers, choices, lists, objects. */

export type Schema = { readonly [keyword: string]: unknown };

interface Described {
  /** The author's title, or empty. */
  title: string;
  description: string;
  /** The schema's requirements, for people: `at least 1`. */
  hint: string;
  /** The default; undefined when the schema has none. */
  preset: unknown;
}

export type TextField = Described & {
  kind: "text";
  format: string;
  least: number;
  most: number;
  /** Whether the text may have several lines. */
  long: boolean;
};
export type NumberField = Described & {
  kind: "number";
  whole: boolean;
  /** The problem with a number; empty when there is none. */
  judge: (number: number) => string;
};
export type ChoiceField = Described & { kind: "choice"; options: { label: string; value: unknown }[] };
export type ObjectField = Described & {
  kind: "object";
  members: () => Member[];
  /** Field of members with other names; undefined when there may be none. */
  others: (() => Field) | undefined;
};
export type ListField = Described & { kind: "list"; item: () => Field; least: number; most: number };
export type UnionField = Described & { kind: "union"; options: { label: string; field: () => Field }[] };
/** Anything, written as JSON. */
export type JsonField = Described & {
  kind: "json";
  /** Why there is no better field; empty when any value is allowed. */
  why: string;
};

export type Field = TextField | NumberField | ChoiceField | ObjectField | ListField | UnionField | JsonField;

interface Member {
  name: string;
  required: boolean;
  field: Field;
}

/** Most levels of nested fields; deeper values are written as JSON. */
const MOST_LEVELS = 8;
/** Most fields of a form; a schema can have more than a person would fill in. */
const MOST_FIELDS = 1500;
const MOST_REFERENCES = 50;
/** From this length on a text gets several lines. */
const LONG_TEXT = 200;
/** Names of texts with several lines, for schemas without a length. */
const LONG_NAME = /message|text$|body|content|comment|description|notes?$|markdown|html|code|prompt/i;

/** The field of a tool's input schema. */
export function fieldOf(schema: unknown): Field {
  return new FieldBuilder(schema).make(schema, 0);
}

/** Any value, as JSON. */
export function jsonField(why: string, from: Partial<Described> = {}): JsonField {
  return { title: "", description: "", hint: "", preset: undefined, ...from, kind: "json", why };
}

class FieldBuilder {
  #root: unknown;
  #made = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @param name Name of the member, if it is one. */
  make(given: unknown, level: number, name = ""): Field {
    const schema = this.#resolved(given);
    if (schema === undefined) return jsonField(isSchema(given) ? "its `$ref` leads nowhere" : "");
    const described: Described = {
      title: text(schema["title"]),
      description: text(schema["description"]),
      hint: "",
      preset: schema["default"],
    };
    this.#made += 1;
    if (this.#made > MOST_FIELDS) return jsonField("the form has too many fields", described);
    if (level > MOST_LEVELS) return jsonField(`it is nested deeper than ${MOST_LEVELS} levels`, described);
    return this.#typed(schema, described, level, name);
  }

  #typed(schema: Schema, described: Described, level: number, name: string): Field {
    const branches = list(schema["anyOf"]) ?? list(schema["oneOf"]);
    const options = choices(schema, branches);
    if (options) return { ...described, kind: "choice", options };
    if (branches) return this.#union(schema, described, branches, level);
    const types = list(schema["type"]);
    if (types && types.length > 1) {
      const one = types.map((type) => ({ ...schema, type, default: undefined, title: undefined }));
      return this.#union({}, described, one, level);
    }
    switch (types?.[0] ?? schema["type"] ?? guessedType(schema)) {
      case "string":
        return textField(schema, described, name);
      case "number":
      case "integer":
        return numberField(schema, described);
      case "boolean":
        return { ...described, kind: "choice", options: [true, false].map(option) };
      case "null":
        return { ...described, kind: "choice", options: [option(null)] };
      case "object":
        return this.#object(schema, described, level);
      case "array":
        return this.#list(schema, described, level);
      default:
        return jsonField("", described);
    }
  }

  #union(schema: Schema, described: Described, branches: unknown[], level: number): Field {
    const { anyOf: _, oneOf: __, title: ___, description: ____, default: _____, ...base } = schema;
    const options = branches.slice(0, MOST_FIELDS).map((branch, place) => {
      const resolved = this.#resolved(branch);
      const field = once(() => this.make(resolved ? merged(base, resolved) : branch, level + 1));
      return { label: nameOf(resolved, place), field };
    });
    if (options.length !== 1) return { ...described, kind: "union", options };
    const only = (options[0] as (typeof options)[0]).field();
    return { ...only, ...filled(described), hint: only.hint };
  }

  #object(schema: Schema, described: Described, level: number): Field {
    const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    // Counted before they are made, so that many large objects cannot exceed the limit together.
    this.#made += properties.length;
    if (this.#made > MOST_FIELDS) return jsonField("the form has too many fields", described);
    const required = new Set(list(schema["required"]) ?? []);
    const more = schema["additionalProperties"] ?? schema["patternProperties"];
    const members = once(() =>
      properties.map(([name, member]) => ({
        name,
        required: required.has(name),
        field: this.make(member, level + 1, name),
      })),
    );
    // Most authors who do not mention other members mean that there are none.
    const open = more === true || isSchema(more) || (more === undefined && properties.length === 0);
    const inner = isSchema(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
    const others = open ? () => this.make(inner, level + 1) : undefined;
    return { ...described, kind: "object", members, others };
  }

  #list(schema: Schema, described: Described, level: number): Field {
    if (Array.isArray(schema["prefixItems"]) || Array.isArray(schema["items"])) {
      return jsonField("each of its items has a type of its own", described);
    }
    const least = size(schema["minItems"], 0);
    const most = size(schema["maxItems"], Infinity);
    const hint = sentence([bounds(least, most, "item")]);
    return { ...described, hint, kind: "list", item: () => this.make(schema["items"] ?? true, level + 1), least, most };
  }

  /** The schema with its references resolved; undefined when it is not a schema or they are circular. */
  #resolved(given: unknown): Schema | undefined {
    let schema = given;
    for (let hops = 0; hops < MOST_REFERENCES; hops++) {
      if (!isSchema(schema)) return undefined;
      const reference = schema["$ref"] ?? schema["$dynamicRef"];
      const all = list(schema["allOf"]);
      if (typeof reference === "string") {
        const target = this.#find(reference);
        const { $ref: _, $dynamicRef: __, ...rest } = schema;
        if (!isSchema(target)) return undefined;
        schema = merged(target, rest);
      } else if (all) {
        const { allOf: _, ...rest } = schema;
        schema = all.reduce<Schema>((sum, part) => merged(sum, this.#resolved(part) ?? {}), rest);
      } else {
        return schema;
      }
    }
    return undefined;
  }

  /** The target of a reference within the schema: `#/$defs/Item`, `#item`. */
  #find(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let path: string;
    try {
      path = decodeURIComponent(reference.slice(1));
    } catch {
      return undefined;
    }
    if (path !== "" && !path.startsWith("/")) return this.#anchored(path);
    let at: unknown = this.#root;
    for (const part of path.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
      at = (at as Schema)[name];
    }
    return at;
  }

  #anchored(name: string): unknown {
    const definitions = isSchema(this.#root) ? this.#root["$defs"] : undefined;
    if (!isSchema(definitions)) return undefined;
    return Object.values(definitions).find(
      (one) => isSchema(one) && (one["$anchor"] === name || one["$dynamicAnchor"] === name),
    );
  }
}

function textField(schema: Schema, described: Described, name: string): TextField {
  const format = text(schema["format"]);
  const least = size(schema["minLength"], 0);
  const most = size(schema["maxLength"], Infinity);
  const pattern = text(schema["pattern"]);
  const known = /^[a-z-]{1,30}$/.test(format) ? format : "";
  const media = text(schema["contentMediaType"]);
  const hint = sentence([
    bounds(least, most, "character"),
    // The pattern is only shown, not run, because a malicious one can take forever.
    pattern && `like \`${pattern.slice(0, LONG_TEXT)}\``,
    !known && format && `like \`${format.slice(0, LONG_TEXT)}\``,
    media,
  ]);
  const long = !known && (most === Infinity ? LONG_NAME.test(name) : most > LONG_TEXT);
  return { ...described, hint, kind: "text", format: known, least, most, long: long || media !== "" };
}

function numberField(schema: Schema, described: Described): NumberField {
  const whole = schema["type"] === "integer" || list(schema["type"])?.[0] === "integer";
  const limit = (name: string) => (typeof schema[name] === "number" ? schema[name] : undefined);
  const rules: [number | undefined, string, (number: number, bound: number) => boolean][] = [
    [limit("minimum"), "at least", (number, bound) => number >= bound],
    [limit("exclusiveMinimum"), "more than", (number, bound) => number > bound],
    [limit("maximum"), "at most", (number, bound) => number <= bound],
    [limit("exclusiveMaximum"), "less than", (number, bound) => number < bound],
    [limit("multipleOf"), "a multiple of", isMultiple],
  ];
  const judge = (number: number): string => {
    if (whole && !Number.isInteger(number)) return "it must be a whole number";
    const broken = rules.find(([bound, , holds]) => bound !== undefined && !holds(number, bound));
    return broken ? `it must be ${broken[1]} ${broken[0]}` : "";
  };
  const said = rules.map(([bound, words]) => bound !== undefined && `${words} ${bound}`);
  return { ...described, hint: sentence(said), kind: "number", whole, judge };
}

/** Whether a number is a multiple, within the rounding error of numbers such as 0.1. */
function isMultiple(number: number, step: number): boolean {
  const times = number / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** The values of a schema that lists them all. */
function choices(schema: Schema, branches: unknown[] | undefined): ChoiceField["options"] | undefined {
  if (Object.hasOwn(schema, "const")) return [option(schema["const"])];
  if (branches?.length && branches.every((one) => isSchema(one) && Object.hasOwn(one, "const"))) {
    return (branches as Schema[]).map((one) => option(one["const"], text(one["title"])));
  }
  return list(schema["enum"])?.map((value) => option(value));
}

function option(value: unknown, title?: unknown): { label: string; value: unknown } {
  const plain = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return { label: typeof title === "string" && title !== "" && title !== plain ? `${title} (${plain})` : plain, value };
}

/** The type of a schema without `type`. */
function guessedType(schema: Schema): string {
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  if ("minLength" in schema || "maxLength" in schema || "pattern" in schema) return "string";
  return "minimum" in schema || "maximum" in schema || "multipleOf" in schema ? "number" : "";
}

/** The label of one of several branches. */
function nameOf(schema: Schema | undefined, place: number): string {
  if (!schema) return `option ${place + 1}`;
  if (typeof schema["title"] === "string" && schema["title"]) return schema["title"];
  if (Object.hasOwn(schema, "const")) return option(schema["const"]).label;
  const type = schema["type"] ?? guessedType(schema);
  if (type === "object" && isSchema(schema["properties"])) {
    const names = Object.keys(schema["properties"]).slice(0, 4);
    if (names.length > 0) return `object with ${names.join(", ")}`;
  }
  if (type === "array" && isSchema(schema["items"]) && typeof schema["items"]["type"] === "string") {
    return `array of ${schema["items"]["type"]}`;
  }
  return typeof type === "string" && type ? type : `option ${place + 1}`;
}

/** Both schemas merged; the second one takes precedence. */
function merged(first: Schema, second: Schema): Schema {
  const both: Record<string, unknown> = { ...first, ...second };
  for (const keyword of ["properties", "$defs"]) {
    if (isSchema(first[keyword]) && isSchema(second[keyword])) {
      both[keyword] = { ...first[keyword], ...second[keyword] };
    }
  }
  const required = [...(list(first["required"]) ?? []), ...(list(second["required"]) ?? [])];
  if (required.length > 0) both["required"] = required;
  return both;
}

/** The non-empty parts of a description. */
function filled(described: Described): Partial<Described> {
  return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== "" && value !== undefined));
}

function bounds(least: number, most: number, what: string): string | false {
  if (least === 0 && most === Infinity) return false;
  const count = (number: number) => `${number} ${what}${number === 1 ? "" : "s"}`;
  if (least === most) return `exactly ${count(least)}`;
  if (most === Infinity) return `at least ${count(least)}`;
  return least === 0 ? `at most ${count(most)}` : `${least} to ${count(most)}`;
}

function sentence(parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(", ");
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function size(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 0 ? value : otherwise;
}
