/** A tool's definition: checked where it is registered and again where it arrives. */
import type { InputSchema, SerializableToolDefinition } from "./public.d.ts";

/** What a tool is known by inside its frame. */
export interface Key {
  component?: string | undefined;
  name: string;
}

const NAME = /^[\w.-]{1,128}$/;
/** Characters, more than a model can use and few enough to keep for thousands of tools. */
const MAX_TEXT = 100_000;
/** Levels that any reader of JSON takes. */
const MAX_DEPTH = 100;

/**
 * Read what is listed of a tool; the result is a frozen copy.
 *
 * @throws TypeError The message says what is wrong and what to write instead.
 */
export function readDefinition(value: unknown): SerializableToolDefinition {
  if (typeof value !== "object" || value === null) {
    throw new TypeError("a tool is an object - write `{name, description, inputSchema, execute}`");
  }
  const { name, component, description, inputSchema } = value as Record<string, unknown>;
  const named = readKey(name, component);
  if (typeof description !== "string" || !description.trim()) {
    throw new TypeError(
      `\`${named.name}\` has no description - a model chooses by it - write what the tool does`,
    );
  }
  return Object.freeze({
    ...(named as { name: string; component?: string }),
    description,
    inputSchema: readSchema(inputSchema, named.name, MAX_TEXT - description.length),
  });
}

/** @throws TypeError One of the two is no name. */
export function readKey(name: unknown, component: unknown): Key {
  const parts = [
    ["name", name],
    ["component", component ?? "none"],
  ] as const;
  for (const [what, given] of parts) {
    if (typeof given !== "string" || !NAME.test(given)) {
      throw new TypeError(
        `\`${String(given)}\` is no ${what} of a tool - programs call it by that - ` +
          "write 1 to 128 letters, digits, `_`, `.` or `-`",
      );
    }
  }
  return keyOf({ component: component ?? undefined, name } as Key);
}

/** The key alone of anything that has one. */
export function keyOf({ component, name }: Key): Key {
  return component === undefined ? { name } : { component, name };
}

/** The name that the model sees. */
export function composedName({ component, name }: Key): string {
  return component === undefined ? name : `${component}_${name}`;
}

/** A text that no other key has. */
export function keyText({ component, name }: Key): string {
  return `${component ?? ""}/${name}`;
}

function readSchema(value: unknown, tool: string, limit: number): InputSchema {
  const wrong = (why: string): TypeError =>
    new TypeError(
      `the inputSchema of \`${tool}\` ${why} - ` +
        'write JSON Schema of an object: `{type: "object", properties: {…}}`',
    );
  let json: string | undefined;
  try {
    json = JSON.stringify(value ?? { type: "object", properties: {} });
  } catch {
    throw wrong("cannot be written as JSON");
  }
  if (!json?.startsWith("{")) throw wrong("is no object");
  if (json.length > limit) throw wrong(`and its description have over ${MAX_TEXT} characters`);
  const schema = JSON.parse(json) as InputSchema;
  if (!freeze(schema, MAX_DEPTH)) throw wrong(`is nested deeper than ${MAX_DEPTH} levels`);
  if ((schema.type ?? "object") !== "object") throw wrong("is not that of an object");
  return schema;
}

/** Freeze a value of JSON with all its parts; false when it has more levels than allowed. */
function freeze(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  Object.freeze(value);
  return Object.values(value).every((part) => freeze(part, levels - 1));
}
