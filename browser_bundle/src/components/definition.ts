/** A tool's definition: validated where it is registered, and again in each frame that receives it. */
import type { InputSchema, SerializableToolDefinition } from "./public.d.ts";

/** Fired when the tools of a page have changed. */
export const TOOLS_CHANGE_EVENT = "change:tools";

/** The member of `window.webmcp` that is meant for the agent only. */
export const INTERNALS = Symbol.for("webagent.components");

/** Identifies a tool within its frame. */
export interface Key {
  component?: string | undefined;
  name: string;
}

const NAME = /^[\w.-]{1,128}$/;
/** In characters: more than a model can use, and few enough to keep for thousands of tools. */
const MAX_TEXT = 100_000;
/** Levels of nesting that every JSON parser accepts. */
const MAX_DEPTH = 100;

/**
 * Read the listed part of a definition; the result is a frozen copy.
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

/** @throws TypeError One of the two is not a valid name. */
export function readKey(name: unknown, component: unknown): Key {
  const parts = [
    ["name", name],
    ["component", component ?? "none"],
  ] as const;
  for (const [what, given] of parts) {
    if (typeof given !== "string" || !NAME.test(given)) {
      throw new TypeError(
        `\`${String(given)}\` is not a ${what} of a tool - programs call it by that - ` +
          "write 1 to 128 letters, digits, `_`, `.` or `-`",
      );
    }
  }
  return keyOf({ component: component ?? undefined, name } as Key);
}

/** The key of an object, without its other members. */
export function keyOf({ component, name }: Key): Key {
  return component === undefined ? { name } : { component, name };
}

/** The name that the model sees. */
export function composedName({ component, name }: Key): string {
  return component === undefined ? name : `${component}_${name}`;
}

/** A text that is unique to the key. */
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
  if (!json?.startsWith("{")) throw wrong("is not an object");
  if (json.length > limit) throw wrong(`and its description have over ${MAX_TEXT} characters`);
  const schema = JSON.parse(json) as InputSchema;
  if (!freeze(schema, MAX_DEPTH)) throw wrong(`is nested deeper than ${MAX_DEPTH} levels`);
  if ((schema.type ?? "object") !== "object") throw wrong("does not describe an object");
  return schema;
}

/** Freeze a JSON value deeply; false when it is nested deeper than allowed. */
function freeze(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  Object.freeze(value);
  return Object.values(value).every((part) => freeze(part, levels - 1));
}
