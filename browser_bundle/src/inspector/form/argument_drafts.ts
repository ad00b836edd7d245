/** Drafts: what a person has filled in so far, and the value that results. */
import { readJson } from "./json_reader.ts";
import {
  jsonField, type ChoiceField, type Field, type JsonField, type ListField, type NumberField, type ObjectField,
  type TextField, type UnionField,
} from "./schema_fields.ts";

interface Given {
  /** Whether it is part of the value. */
  given: boolean;
}

export type TextDraft = Given & { kind: "text"; field: TextField | NumberField; text: string };
export type JsonDraft = Given & { kind: "json"; field: JsonField; text: string };
/** `chosen` is the index of the option, -1 before a choice. */
export type ChoiceDraft = Given & { kind: "choice"; field: ChoiceField; chosen: number };
export type UnionDraft = Given & { kind: "union"; field: UnionField; chosen: number; inner: Draft | undefined };
export type ListDraft = Given & { kind: "list"; field: ListField; items: Draft[] };
export type ObjectDraft = Given & { kind: "object"; field: ObjectField; members: MemberDraft[]; others: OtherDraft[] };

export type Draft = TextDraft | JsonDraft | ChoiceDraft | UnionDraft | ListDraft | ObjectDraft;

interface MemberDraft {
  name: string;
  required: boolean;
  draft: Draft;
}
/** A member that is not in the schema. */
interface OtherDraft {
  name: string;
  draft: Draft;
}

/** A problem of a draft, and its path: `items[2].price`. */
export interface Problem {
  path: string;
  message: string;
  draft: Draft;
  /** Offset of the problem in JSON text. */
  at?: number;
}

/** Most items that a list gets at first because it requires them. */
const MOST_NEEDED = 20;

/** An empty draft; required parts are given from the start. */
export function draftOf(field: Field, required: boolean): Draft {
  const draft = emptyDraft(field);
  if (required && field.preset !== undefined) return draftFrom(field, field.preset);
  if (required) give(draft);
  return draft;
}

function emptyDraft(field: Field): Draft {
  switch (field.kind) {
    case "text":
    case "number":
      return { kind: "text", field, given: false, text: "" };
    case "json":
      return { kind: "json", field, given: false, text: "" };
    case "choice":
      return { kind: "choice", field, given: false, chosen: -1 };
    case "union":
      return { kind: "union", field, given: false, chosen: -1, inner: undefined };
    case "list":
      return { kind: "list", field, given: false, items: [] };
    case "object":
      return { kind: "object", field, given: false, members: [], others: [] };
  }
}

/** Make a draft part of the value. */
export function give(draft: Draft): void {
  if (draft.given) return;
  draft.given = true;
  if (draft.kind === "object") {
    draft.members = draft.field
      .members()
      .map(({ name, required, field }) => ({ name, required, draft: draftOf(field, required) }));
  } else if (draft.kind === "list") {
    while (draft.items.length < Math.min(draft.field.least, MOST_NEEDED)) addItem(draft);
  } else if (draft.kind === "choice") {
    // A choice is made in advance only if there is a single option.
    if (draft.field.options.length === 1) draft.chosen = 0;
  } else if (draft.kind === "union" && draft.inner === undefined) {
    choose(draft, 0);
  }
}

/** Leave a draft out of the value. */
export function leaveOut(draft: Draft): void {
  Object.assign(draft, emptyDraft(draft.field));
}

export function addItem(draft: ListDraft): Draft {
  const item = draftOf(draft.field.item(), true);
  draft.items.push(item);
  return item;
}

/** Choose one of several shapes. */
export function choose(draft: UnionDraft, place: number): void {
  draft.chosen = place;
  const option = draft.field.options[place];
  draft.inner = option && draftOf(option.field(), true);
}

/** A draft of this value, as fields where they can hold it, else as JSON. */
export function draftFrom(field: Field, value: unknown): Draft {
  const draft = emptyDraft(field);
  draft.given = true;
  switch (draft.kind) {
    case "text": {
      const wanted = draft.field.kind === "text" ? "string" : "number";
      if (typeof value !== wanted) return asJson(field, value);
      draft.text = String(value);
      return draft;
    }
    case "json":
      draft.text = textOf(value);
      return draft;
    case "choice": {
      const text = textOf(value);
      draft.chosen = draft.field.options.findIndex((option) => textOf(option.value) === text);
      return draft.chosen < 0 ? asJson(field, value) : draft;
    }
    case "union":
      draft.chosen = draft.field.options.findIndex((option) => fits(option.field(), value));
      if (draft.chosen < 0) return asJson(field, value);
      draft.inner = draftFrom((draft.field.options[draft.chosen] as UnionField["options"][0]).field(), value);
      return draft;
    case "list":
      if (!Array.isArray(value)) return asJson(field, value);
      draft.items = value.map((item) => draftFrom((field as ListField).item(), item));
      return draft;
    case "object":
      return isPlain(value) ? objectFrom(draft, value) : asJson(field, value);
  }
}

function objectFrom(draft: ObjectDraft, value: Record<string, unknown>): Draft {
  const { field } = draft;
  const left = new Map(Object.entries(value));
  for (const { name, required, field: inner } of field.members()) {
    const there = left.has(name);
    draft.members.push({ name, required, draft: there ? draftFrom(inner, left.get(name)) : draftOf(inner, false) });
    if (required && !there) give((draft.members.at(-1) as MemberDraft).draft);
    left.delete(name);
  }
  for (const [name, other] of left) {
    draft.others.push({ name, draft: draftFrom(field.others?.() ?? jsonField("the schema does not name it"), other) });
  }
  return draft;
}

function asJson(field: Field, value: unknown): JsonDraft {
  const { title, description } = field;
  return {
    kind: "json",
    field: jsonField("what was given does not fit its schema", { title, description }),
    given: true,
    text: textOf(value),
  };
}

/** Whether a field of this kind can hold the value; nested values are not checked. */
function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" && (!field.whole || Number.isInteger(value));
    case "choice":
      return field.options.some((option) => textOf(option.value) === textOf(value));
    case "union":
      return field.options.some((option) => fits(option.field(), value));
    case "list":
      return Array.isArray(value) && (value.length === 0 || fits(field.item(), value[0]));
    case "object":
      return isPlain(value) && field.members().every(({ name, required, field: inner }) =>
        Object.hasOwn(value, name) ? fits(inner, value[name]) : !required,
      );
    case "json":
      return true;
  }
}

/** The value of a draft, without its invalid parts. */
export function valueOf(draft: Draft): unknown {
  switch (draft.kind) {
    case "text":
      return draft.field.kind === "text" ? draft.text : numberOf(draft.text);
    case "json": {
      const read = readJson(draft.text);
      return read.ok ? read.value : undefined;
    }
    case "choice":
      return draft.field.options[draft.chosen]?.value;
    case "union":
      return draft.inner && valueOf(draft.inner);
    case "list":
      return draft.items.map(valueOf);
    case "object":
      // Made of entries, because an assignment to `__proto__` would be lost.
      return Object.fromEntries(
        [...draft.members, ...draft.others]
          .filter((member) => member.draft.given)
          .map((member) => [member.name, valueOf(member.draft)])
          .filter(([, value]) => value !== undefined),
      );
  }
}

/** All problems that keep a draft from being a valid value. */
export function problemsOf(draft: Draft, path = ""): Problem[] {
  if (!draft.given) return [];
  switch (draft.kind) {
    case "text": {
      const message = draft.field.kind === "text" ? textProblem(draft.field, draft.text) : numberProblem(draft.field, draft.text);
      return message ? [{ path, message, draft }] : [];
    }
    case "json": {
      if (draft.text.trim() === "") return [{ path, message: "a value is missing - write JSON", draft }];
      const read = readJson(draft.text);
      if (read.ok) return [];
      return [{ path, message: `${read.message} (line ${read.line}, column ${read.column})`, draft, at: read.at }];
    }
    case "choice":
      return draft.chosen < 0 ? [{ path, message: "nothing is chosen", draft }] : [];
    case "union":
      return draft.inner ? problemsOf(draft.inner, path) : [{ path, message: "nothing is chosen", draft }];
    case "list": {
      const { least, most } = draft.field;
      const count = draft.items.length;
      const message = count < least ? `it needs at least ${least}` : count > most ? `it takes at most ${most}` : "";
      const own = message ? [{ path, message: `${message}, there are ${count}`, draft }] : [];
      return [...own, ...draft.items.flatMap((item, place) => problemsOf(item, `${path}[${place}]`))];
    }
    case "object": {
      const names = new Set(draft.members.map(({ name }) => name));
      const twice = draft.others
        .filter(({ name }) => names.size === names.add(name).size)
        .map(({ name }) => ({ path, message: `there are two members \`${name}\``, draft }));
      const nameless = draft.others
        .filter(({ name }) => name === "")
        .map(({ draft: other }) => ({ path, message: "its name is missing", draft: other }));
      const inner = [...draft.members, ...draft.others].flatMap((member) =>
        problemsOf(member.draft, below(path, member.name)),
      );
      return [...twice, ...nameless, ...inner];
    }
  }
}

/** The part of a draft at the path of an error of the page, or the nearest part around it. */
export function draftAt(draft: Draft, path: string): Draft {
  let nearest = draft;
  const walk = (at: Draft, here: string): void => {
    if (here !== "" && path !== here && !path.startsWith(`${here}.`) && !path.startsWith(`${here}[`)) return;
    if (at.given) nearest = at;
    if (at.kind === "union" && at.inner) walk(at.inner, here);
    if (at.kind === "list") at.items.forEach((item, place) => walk(item, `${here}[${place}]`));
    if (at.kind === "object") {
      for (const member of [...at.members, ...at.others]) {
        const inner = below(here, member.name);
        if (inner === path) nearest = member.draft;
        walk(member.draft, inner);
      }
    }
  };
  walk(draft, "");
  return nearest;
}

function below(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function textProblem(field: TextField, text: string): string {
  const length = [...text].length;
  if (length < field.least) {
    return length === 0 ? "a text is missing" : `it needs at least ${field.least} characters, there are ${length}`;
  }
  if (length > field.most) return `it takes at most ${field.most} characters, there are ${length}`;
  const check = FORMATS.get(field.format);
  if (text === "" && check) return `a ${check.what} is missing - write it like \`${check.example}\``;
  return check && !check.pattern.test(text) ? `it is not a ${check.what} - write it like \`${check.example}\`` : "";
}

const FORMATS = new Map([
  ["date", { what: "date", example: "2026-01-31", pattern: /^\d{4}-\d\d-\d\d$/ }],
  ["time", { what: "time", example: "14:30:00", pattern: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i }],
  ["date-time", { what: "date with time", example: "2026-01-31T14:30:00Z", pattern: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i }],
  ["email", { what: "mail address", example: "ada@example.org", pattern: /^[^\s@]+@[^\s@]+$/ }],
  ["uri", { what: "URL", example: "https://example.org/", pattern: /^[a-z][a-z0-9+.-]*:\S+$/i }],
  ["uuid", { what: "UUID", example: "123e4567-e89b-12d3-a456-426614174000", pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }],
]);

function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

function numberProblem(field: NumberField, text: string): string {
  if (text.trim() === "") return "a number is missing";
  const number = numberOf(text);
  return number === undefined ? `\`${text.slice(0, 40)}\` is not a number - write it like \`12.5\`` : field.judge(number);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
