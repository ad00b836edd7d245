/** Conversion of arguments, as Web IDL specifies it. */
import type { Realm } from "./window_realm.ts";

type Members = Record<string, unknown>;

const HINTS = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"] as const;

export type Annotations = Record<(typeof HINTS)[number], boolean>;

/** All hints; missing ones are false. */
export function readHints(given: object): Annotations {
  return Object.fromEntries(HINTS.map((hint) => [hint, !!(given as Members)[hint]])) as Annotations;
}

export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: object | undefined;
  execute: (input: object, options: { signal: AbortSignal }) => unknown;
  annotations: Annotations | undefined;
}

/** A tool of any document, as `executeTool` takes it. */
export interface ToolReference {
  name: string;
  window: Window;
  origin: string;
}

/** Converts the arguments of a method; errors belong to the realm and name the method. */
export class Converter {
  readonly #realm: Realm;
  readonly #method: string;

  constructor(realm: Realm, method: string) {
    this.#realm = realm;
    this.#method = method;
  }

  fail(problem: string): never {
    throw new this.#realm.TypeError(
      `Failed to execute '${this.#method}' on 'ModelContext': ${problem}`,
    );
  }

  tool(value: unknown): ToolDefinition {
    const members = this.#dictionary(value, "tool");
    const annotations = members["annotations"];
    const hints =
      annotations === undefined
        ? undefined
        : readHints(this.#dictionary(annotations, "annotations"));
    const description = this.#required(members, "description");
    const execute = members["execute"];
    if (typeof execute !== "function") this.fail("`execute` is not a function");
    const inputSchema = this.#object(members["inputSchema"], "inputSchema");
    const name = this.#required(members, "name");
    const title = members["title"];
    return {
      name,
      title: title === undefined ? "" : wellFormed(this.#string(title)),
      description,
      inputSchema,
      execute: execute as ToolDefinition["execute"],
      annotations: hints,
    };
  }

  reference(value: unknown): ToolReference {
    const members = this.#dictionary(value, "tool");
    const annotations = members["annotations"];
    readHints(this.#dictionary(annotations, "annotations"));
    this.#required(members, "description");
    this.#object(members["inputSchema"], "inputSchema");
    const name = this.#required(members, "name");
    const origin = wellFormed(this.#required(members, "origin"));
    const title = members["title"];
    if (title !== undefined) this.#string(title);
    const target = members["window"];
    if (!this.#is("closed", this.#realm, target)) this.fail("`window` is not a window");
    return { name, window: target as Window, origin };
  }

  signal(options: unknown): AbortSignal | undefined {
    const signal = this.#dictionary(options, "options")["signal"];
    if (signal === undefined) return undefined;
    if (!this.#is("aborted", this.#realm.AbortSignal.prototype, signal)) {
      this.fail("`signal` is not an AbortSignal");
    }
    return signal as AbortSignal;
  }

  strings(options: unknown, member: string): string[] {
    const value = this.#dictionary(options, "options")[member];
    if (value === undefined) return [];
    if (
      Object(value) !== value ||
      typeof (value as Iterable<unknown>)[Symbol.iterator] !== "function"
    )
      this.fail(`\`${member}\` is not a sequence`);
    const strings: string[] = [];
    for (const item of value as Iterable<unknown>) strings.push(wellFormed(this.#string(item)));
    return strings;
  }

  /** The input of a tool as JSON text. */
  input(value: unknown): string {
    if (Object(value) !== value) this.fail("invalid input object: value is not an object");
    return this.json(value as object, "input object");
  }

  /** The object as JSON text; errors of `toJSON` are passed on. */
  json(value: object, what: string): string {
    const text: string | undefined = this.#realm.JSON.stringify(value);
    return text ?? this.fail(`invalid ${what}: toJSON() returns undefined`);
  }

  #dictionary(value: unknown, what: string): Members {
    if (value === undefined || value === null) return {};
    if (Object(value) !== value) this.fail(`\`${what}\` is not an object`);
    return value as Members;
  }

  #required(members: Members, member: string): string {
    const value = members[member];
    return value === undefined ? this.fail(`\`${member}\` is missing`) : this.#string(value);
  }

  #object(value: unknown, member: string): object | undefined {
    if (value === undefined) return undefined;
    return Object(value) === value
      ? (value as object)
      : this.fail(`\`${member}\` is not an object`);
  }

  #string(value: unknown): string {
    if (typeof value === "symbol") this.fail("a Symbol is not a string");
    return String(value);
  }

  /** Whether a getter of a platform object accepts the value; imitations fail this check. */
  #is(attribute: string, owner: object, value: unknown): boolean {
    try {
      Object.getOwnPropertyDescriptor(owner, attribute)?.get?.call(value);
      return Object(value) === value;
    } catch {
      return false;
    }
  }
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Add the members of one object to another, getters included. */
export function extend(target: object, members: object): void {
  Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));
}

/** Make a class look like an interface: with enumerable members and its name in `toString`. */
export function asInterface(realm: Realm, name: string, constructor: { prototype: object }): void {
  const { prototype } = constructor;
  const members = Object.getOwnPropertyDescriptors(prototype) as Record<string, PropertyDescriptor>;
  for (const [key, member] of Object.entries(members)) member.enumerable = key !== "constructor";
  Object.defineProperties(prototype, members);
  const hidden = (value: unknown, writable = false): PropertyDescriptor => ({
    value,
    writable,
    configurable: true,
  });
  Object.defineProperty(prototype, Symbol.toStringTag, hidden(name));
  Object.defineProperty(constructor, "name", hidden(name));
  Object.defineProperty(realm, name, hidden(constructor, true));
}
