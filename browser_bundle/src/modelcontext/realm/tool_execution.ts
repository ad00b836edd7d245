/** Runs the tools of scripts: checks their inputs if the site wants that, and encodes the results of tools. */
import { callWith, takeCall } from "../../base/results.ts";
import type { RunEvents, Tool } from "./tool_map.ts";
import type { ToolDefinition } from "./web_idl.ts";
import type { Realm } from "./window_realm.ts";

const FAILED =
  "Tool was executed but the invocation failed. For example, the script function threw an error";

/** A tool's return value as text for its caller. Throws for values that JSON cannot hold. */
export function executionResult(value: unknown): string {
  if (value === "") return "Operation succeeded";
  if (value !== null && (typeof value === "object" || typeof value === "function")) {
    return String(JSON.stringify(value));
  }
  return String(value);
}

/**
 * The tool of a script; its errors are only logged to its own page's console.
 *
 * @param schemas The schema as JSON text, and the one that inputs are compared with, if they are.
 */
export function scriptTool(
  realm: Realm,
  { name, title, description, execute, annotations }: ToolDefinition,
  { schema: inputSchema, checked }: { schema: string | undefined; checked: Schema | undefined },
  exposedTo: ReadonlySet<string>,
): Tool {
  async function run(input: object, signal: AbortSignal, { activated }: RunEvents): Promise<string> {
    const misfit = checked && misfitIn(checked, input);
    if (misfit) throw new realm.DOMException(JSON.stringify(misfit), "DataError");
    try {
      const context = takeCall(realm, name);
      const options = context ? { signal, progress: context.progress, ask: context.ask } : { signal };
      const returned = callWith(realm, context && { ...context, signal }, () =>
        call(() => Reflect.apply(execute, undefined, [input, options])),
      );
      activated();
      return executionResult(await returned);
    } catch (error) {
      realm.console.error("WebMCP tool execution failed:", error);
      throw new realm.DOMException(FAILED, "UnknownError");
    }
  }
  return { listed: { name, title, description, inputSchema, annotations }, exposedTo, run };
}

/** The function's result as a promise, also for what it throws. */
async function call(run: () => unknown): Promise<unknown> {
  return run();
}

// The proposed validation of inputs, for the subset of JSON Schema that it allows.

export type Schema = Record<string, unknown>;

/** Where an input differs from its schema, and by which keyword, as JSON pointers. */
interface Misfit {
  path: string;
  reason: string;
  schemaPath: string;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isMap = (value: unknown): value is Schema => !!value && typeof value === "object" && !Array.isArray(value);
const isAnything = (): boolean => true;

const TYPES = new Map<unknown, (value: unknown) => boolean>([
  ["array", Array.isArray],
  ["boolean", (value) => typeof value === "boolean"],
  ["integer", Number.isInteger],
  ["null", (value) => value === null],
  ["number", isNumber],
  ["object", isMap],
  ["string", isText],
]);

interface Keyword {
  /** Whether a schema may give the keyword this argument. */
  allows(argument: unknown): boolean;
  /** The member of the value that does not conform, "" for the value itself. */
  culprit?(value: unknown, argument: never, schema: Schema): string | undefined;
}

function limit<T, V>(
  allows: (argument: unknown) => boolean,
  concerns: (value: unknown) => value is V,
  holds: (value: V, argument: T) => boolean,
): Keyword {
  return {
    allows,
    culprit: (value, argument) => (concerns(value) && !holds(value, argument) ? "" : undefined),
  };
}

const note: Keyword = { allows: isAnything };

const KEYWORDS = new Map<string, Keyword>(
  Object.entries({
    type: {
      allows: (types) => [types].flat().length > 0 && [types].flat().every((type) => TYPES.has(type)),
      culprit: (value, types) => ([types].flat().some((type) => TYPES.get(type)?.(value)) ? undefined : ""),
    },
    properties: { allows: isMap },
    required: {
      allows: (names) => Array.isArray(names) && names.every(isText),
      culprit: (value, names: string[]) =>
        isMap(value) ? names.find((name) => !Object.hasOwn(value, name)) : undefined,
    },
    additionalProperties: {
      allows: (argument) => argument === false,
      culprit: (value, _, { properties }) =>
        isMap(value) ? Object.keys(value).find((name) => !Object.hasOwn(Object(properties), name)) : undefined,
    },
    enum: {
      allows: Array.isArray,
      culprit: (value, choices: unknown[]) =>
        choices.some((choice) => canonical(choice) === canonical(value)) ? undefined : "",
    },
    minimum: limit(isNumber, isNumber, (value, least: number) => value >= least),
    maximum: limit(isNumber, isNumber, (value, most: number) => value <= most),
    exclusiveMinimum: limit(isNumber, isNumber, (value, least: number) => value > least),
    exclusiveMaximum: limit(isNumber, isNumber, (value, most: number) => value < most),
    minLength: limit(isCount, isText, (value, least: number) => [...value].length >= least),
    maxLength: limit(isCount, isText, (value, most: number) => [...value].length <= most),
    pattern: limit(isPattern, isText, (value, pattern: string) => new RegExp(pattern, "u").test(value)),
    items: note,
    prefixItems: { allows: Array.isArray },
    default: note,
    description: note,
    title: note,
    $schema: note,
    $comment: note,
    examples: note,
  } satisfies Record<string, Keyword>),
);

export const KEYWORD_NAMES = [...KEYWORDS.keys()].join(", ");

function isPattern(text: unknown): boolean {
  try {
    return isText(text) && !!new RegExp(text, "u");
  } catch {
    return false;
  }
}

/** JSON text that is equal for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isMap(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** The place of the first keyword that is not in the subset, or whose argument is not. */
export function unsupportedIn(schema: unknown, at = ""): string | undefined {
  if (!isMap(schema)) return at || "/";
  for (const [keyword, argument] of Object.entries(schema)) {
    if (!KEYWORDS.get(keyword)?.allows(argument)) return `${at}/${keyword}`;
  }
  const { properties, items, prefixItems } = schema;
  const parts = [
    ...pointers("/properties/", properties),
    ...pointers("/", items === undefined ? {} : { items }),
    ...pointers("/prefixItems/", prefixItems),
  ];
  for (const [pointer, part] of parts) {
    const found = unsupportedIn(part, at + pointer);
    if (found) return found;
  }
  return undefined;
}

/** The first place where the value differs from a schema of the subset. */
function misfitIn(schema: Schema, value: unknown, path = ""): Misfit | undefined {
  for (const [reason, argument] of Object.entries(schema)) {
    const culprit = KEYWORDS.get(reason)?.culprit?.(value, argument as never, schema);
    if (culprit === undefined) continue;
    return { path: path + (culprit && `/${escaped(culprit)}`), reason, schemaPath: `/${reason}` };
  }
  const { properties, items, prefixItems } = schema;
  for (const [pointer, part, key] of pointers("/", value)) {
    const own = Array.isArray(value) ? (Object(prefixItems)[key] ?? items) : isMap(properties) && ownMember(properties, key);
    const found = own ? misfitIn(own as Schema, part, path + pointer) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** The members of an object or list: pointer, value and key. */
function pointers(prefix: string, value: unknown): [pointer: string, part: unknown, key: string][] {
  if (typeof value !== "object") return [];
  return Object.entries(value ?? {}).map(([key, part]) => [prefix + escaped(key), part, key]);
}

function ownMember(members: Schema, key: string): unknown {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
