/** Forms of arguments: fields from a schema, a value from a draft, and a draft from a value. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addItem, choose, draftAt, draftFrom, draftOf, give, leaveOut, problemsOf, valueOf, type ChoiceDraft, type Draft,
  type ListDraft, type ObjectDraft, type TextDraft, type UnionDraft,
} from "../src/inspector/form/argument_drafts.ts";
import { readJson } from "../src/inspector/form/json_reader.ts";
import { fieldOf, type Field } from "../src/inspector/form/schema_fields.ts";

const object = (properties: object, required: string[] = [], more: object = {}) =>
  ({ type: "object", properties, required, ...more });

const formOf = (schema: unknown) => draftOf(fieldOf(schema), true) as ObjectDraft;

/** A member's draft, by its path of names. */
const at = (form: Draft, ...names: string[]): Draft =>
  names.reduce((draft, name) => (draft as ObjectDraft).members.find((one) => one.name === name)!.draft, form);

const write = (draft: Draft, text: string) => Object.assign(draft, { given: true, text });
const wrong = (draft: Draft) => problemsOf(draft).map(({ path, message }) => `${path}: ${message}`);

/** The field of one schema, as a member of an object. */
const memberField = (schema: unknown): Field => at(formOf(object({ x: schema }, ["x"])), "x").field;

test("each type has its field", () => {
  const kinds: [unknown, string][] = [
    [{ type: "string" }, "text"],
    [{ type: "number" }, "number"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "choice"],
    [{ type: "null" }, "choice"],
    [{ enum: ["a", 1, null] }, "choice"],
    [{ const: "a" }, "choice"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "array", prefixItems: [{}] }, "json"],
    [{ type: "object", properties: {} }, "object"],
    [{ properties: { a: {} } }, "object"],
    [{ type: ["string", "null"] }, "union"],
    [{ type: ["integer"] }, "number"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "union"],
    [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "choice"],
    [{ anyOf: [{ type: "string" }] }, "text"],
    [{}, "json"],
    [true, "json"],
    [false, "json"],
    ["nonsense", "json"],
    [{ type: "nonsense" }, "json"],
  ];
  for (const [schema, kind] of kinds) assert.equal(memberField(schema).kind, kind, JSON.stringify(schema));
});

test("required parts are given from the start, optional ones only when a person gives them", () => {
  const form = formOf(object({ query: { type: "string" }, limit: { type: "number", default: 24 } }, ["query"]));
  write(at(form, "query"), "harbour");
  assert.deepEqual(valueOf(form), { query: "harbour" });
  write(at(form, "limit"), "5");
  assert.deepEqual(valueOf(form), { query: "harbour", limit: 5 });
  leaveOut(at(form, "limit"));
  assert.deepEqual(valueOf(form), { query: "harbour" });
});

test("a required member starts with its default", () => {
  const form = formOf(object({ n: { type: "integer", default: 3 }, on: { type: "boolean", default: false } }, ["n", "on"]));
  assert.deepEqual(valueOf(form), { n: 3, on: false });
});

test("an empty text is a value, an empty number is not", () => {
  const form = formOf(object({ text: { type: "string" }, n: { type: "number" } }, ["text", "n"]));
  assert.deepEqual(wrong(form), ["n: a number is missing"]);
  write(at(form, "n"), "-1.5e2");
  assert.deepEqual(valueOf(form), { text: "", n: -150 });
});

test("a number out of its bounds is a problem", () => {
  const cases: [object, string, string][] = [
    [{ type: "number", minimum: 1 }, "0", "it must be at least 1"],
    [{ type: "number", exclusiveMaximum: 1 }, "1", "it must be less than 1"],
    [{ type: "number", multipleOf: 0.1 }, "0.35", "it must be a multiple of 0.1"],
    [{ type: "integer" }, "1.5", "it must be a whole number"],
    [{ type: "number" }, "0x10", "`0x10` is not a number - write it like `12.5`"],
    [{ type: "number" }, "1e999", "`1e999` is not a number - write it like `12.5`"],
  ];
  for (const [schema, text, message] of cases) {
    const draft = draftOf(fieldOf(schema), true);
    write(draft, text);
    assert.deepEqual(wrong(draft), [`: ${message}`]);
  }
  const tenth = draftOf(fieldOf({ type: "number", multipleOf: 0.1 }), true);
  write(tenth, "0.3");
  assert.deepEqual(wrong(tenth), []);
});

test("a text of the wrong length or format is a problem", () => {
  const cases: [object, string, boolean][] = [
    [{ type: "string", minLength: 2 }, "a", false],
    [{ type: "string", maxLength: 2 }, "😀😀", true],
    [{ type: "string", format: "date" }, "2026-01-31", true],
    [{ type: "string", format: "date" }, "31.1.2026", false],
    [{ type: "string", format: "time" }, "14:30", true],
    [{ type: "string", format: "date-time" }, "2026-01-31T14:30:00Z", true],
    [{ type: "string", format: "email" }, "ada", false],
    [{ type: "string", format: "email" }, "ada@catchword.example", true],
    [{ type: "string", format: "uri" }, "https://example.org/", true],
    [{ type: "string", format: "uri" }, "example", false],
    [{ type: "string", format: "^\\d+$" }, "anything", true],
  ];
  for (const [schema, text, good] of cases) {
    const draft = draftOf(fieldOf(schema), true);
    write(draft, text);
    assert.equal(wrong(draft).length === 0, good, `${JSON.stringify(schema)} ${text}`);
  }
});

test("a problem names the type of the missing value", () => {
  const messages = ["date", "email", "uri"].map((format) => wrong(draftOf(fieldOf({ type: "string", format }), true))[0]);
  assert.deepEqual(messages, [
    ": a date is missing - write it like `2026-01-31`",
    ": a mail address is missing - write it like `ada@example.org`",
    ": a URL is missing - write it like `https://example.org/`",
  ]);
});

test("a pattern is shown but never run", () => {
  const field = memberField({ type: "string", pattern: "^(a+)+$" });
  assert.match(field.hint, /like `\^\(a\+\)\+\$`/);
  assert.deepEqual(wrong(Object.assign(draftOf(field, true), { text: `${"a".repeat(50)}!` })), []);
});

test("a choice is only made in advance if there is a single option", () => {
  const form = formOf(object({ topic: { enum: ["order", "find"] }, kind: { const: "book" } }, ["topic", "kind"]));
  assert.deepEqual(wrong(form), ["topic: nothing is chosen"]);
  (at(form, "topic") as ChoiceDraft).chosen = 1;
  assert.deepEqual(valueOf(form), { topic: "find", kind: "book" });
});

test("a choice shows titles and gives values", () => {
  const field = memberField({ anyOf: [{ const: "a", title: "First" }, { const: "b" }], enum: ["a", "b"] });
  assert.ok(field.kind === "choice");
  assert.deepEqual(field.options, [{ label: "First (a)", value: "a" }, { label: "b", value: "b" }]);
});

test("one of several shapes is filled in as that shape", () => {
  const schema = object({ by: { oneOf: [object({ id: { type: "string" } }, ["id"]), { type: "integer" }] } }, ["by"]);
  const form = formOf(schema);
  const by = at(form, "by") as UnionDraft;
  assert.deepEqual(by.field.options.map(({ label }) => label), ["object with id", "integer"]);
  write(at(by.inner!, "id"), "x");
  assert.deepEqual(valueOf(form), { by: { id: "x" } });
  choose(by, 1);
  write(by.inner!, "7");
  assert.deepEqual(valueOf(form), { by: 7 });
});

test("lists take items, and too few are a problem", () => {
  const form = formOf(object({ ids: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 } }, ["ids"]));
  const ids = at(form, "ids") as ListDraft;
  assert.equal(ids.items.length, 1);
  write(addItem(ids), "b");
  write(addItem(ids), "c");
  assert.deepEqual(wrong(form), ["ids: it takes at most 2, there are 3"]);
  ids.items.splice(0, 1);
  assert.deepEqual(valueOf(form), { ids: ["b", "c"] });
});

test("members that are not in the schema can be added where it allows them", () => {
  const form = formOf({ type: "object", additionalProperties: { type: "number" } });
  const other = draftOf(form.field.others!(), true);
  form.others.push({ name: "x", draft: other }, { name: "x", draft: write(draftOf(other.field, true), "1") });
  assert.deepEqual(wrong(form), [": there are two members `x`", "x: a number is missing"]);
  form.others.splice(0, 1, { name: "", draft: write(draftOf(other.field, true), "2") });
  assert.deepEqual(wrong(form), [": its name is missing"]);
  assert.equal(formOf(object({ a: {} })).field.others, undefined);
  assert.equal(formOf(object({}, [], { additionalProperties: false })).field.others, undefined);
});

test("references to definitions, pointers and anchors are resolved, and broken ones are reported", () => {
  const form = formOf({
    ...object({ a: { $ref: "#/$defs/Id" }, b: { $ref: "#id" }, c: { $ref: "#/$defs/a~1b%25", default: 2 }, d: { $ref: "https://x.example/" } }),
    $defs: { Id: { $anchor: "id", type: "string" }, "a/b%": { type: "integer" } },
  });
  assert.deepEqual(form.members.map(({ draft }) => draft.kind), ["text", "text", "text", "json"]);
  assert.equal(at(form, "c").field.preset, 2);
  assert.equal((at(form, "d").field as { why?: string }).why, "its `$ref` leads nowhere");
});

test("schemas that contain themselves unfold one level at a time", () => {
  const form = formOf({
    $ref: "#/$defs/Node",
    $defs: { Node: object({ name: { type: "string" }, child: { $ref: "#/$defs/Node" } }, ["name"]) },
  });
  const child = at(form, "child") as ObjectDraft;
  assert.deepEqual(child.members, []);
  give(child);
  write(at(child, "name"), "inner");
  assert.deepEqual(valueOf(form), { name: "", child: { name: "inner" } });
});

test("circular references, and members that require themselves, become JSON", () => {
  const round = formOf({ ...object({ a: { $ref: "#/$defs/a" } }), $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } });
  assert.equal(at(round, "a").kind, "json");
  const form = formOf({ $ref: "#/$defs/N", $defs: { N: object({ n: { $ref: "#/$defs/N" } }, ["n"]) } });
  assert.match(JSON.stringify(wrong(form)), /n\.n\.n\.n\.n\.n\.n\.n\.n: a value is missing/);
});

test("a hundred levels, and wide ones, make a form of bounded size", () => {
  let deep: object = { type: "string" };
  for (let level = 0; level < 100; level++) deep = object({ in: deep }, ["in"]);
  assert.equal(wrong(formOf(deep)).length, 1);
  let wide: object = { type: "string" };
  const names = Array.from({ length: 30 }, (_, n) => `m${n}`);
  for (let level = 0; level < 6; level++) wide = object(Object.fromEntries(names.map((name) => [name, wide])), names);
  const count = (draft: Draft): number =>
    draft.kind === "object" ? draft.members.reduce((sum, { draft: inner }) => sum + count(inner), 1) : 1;
  assert.ok(count(formOf(wide)) < 5000);
});

test("`__proto__` is a name like any other", () => {
  const form = formOf(JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}, "required": ["__proto__", "constructor"]}'));
  write(at(form, "__proto__"), "a");
  const value = valueOf(form) as object;
  assert.equal(JSON.stringify(value), '{"__proto__":"a","constructor":""}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(valueOf(draftFrom(form.field, value)) !== undefined, true);
});

test("a value becomes a draft, and the draft the same value again", () => {
  const schema = {
    ...object({
      query: { type: "string" },
      limit: { type: "integer" },
      by: { anyOf: [{ type: "integer" }, object({ id: { type: "string" } }, ["id"])] },
      tags: { type: "array", items: { type: "string" } },
      topic: { enum: ["a", "b"] },
      at: { type: "string", format: "date" },
    }, ["query"]),
  };
  for (const value of [
    { query: "x" },
    { query: "x", limit: 3, by: { id: "7" }, tags: ["a", "b"], topic: "b", at: "2026-01-31" },
    { query: 5, limit: "three", by: "neither", tags: { no: "list" }, topic: "c", more: [1] },
  ]) {
    assert.deepEqual(valueOf(draftFrom(fieldOf(schema), value)), value);
  }
});

test("the path of an error leads to its part of the form", () => {
  const schema = object({ items: { type: "array", items: object({ price: { type: "number" }, name: {} }, ["price"]) }, q: { type: "string" } }, ["items", "q"]);
  const form = draftFrom(fieldOf(schema), { items: [{ price: 1 }, { price: 2 }], q: "" }) as ObjectDraft;
  assert.equal((draftAt(form, "items[1].price") as TextDraft).text, "2");
  assert.equal(draftAt(form, "items[1].nothing"), (at(form, "items") as ListDraft).items[1]);
  assert.equal(draftAt(form, "items[0].name").given, false);
  assert.equal(draftAt(form, "q"), at(form, "q"));
  assert.equal(draftAt(form, "elsewhere"), form);
});

test("invalid JSON is reported with the place of the error", () => {
  const cases: [string, number, number, RegExp][] = [
    ["", 1, 1, /a value is missing/],
    ['{"a": 1,}', 1, 8, /a comma too many/],
    ["[1, 2,]", 1, 6, /a comma too many/],
    ["{a: 1}", 1, 2, /double quotes/],
    ["{'a': 1}", 1, 2, /double quotes/],
    ['{"a" 1}', 1, 6, /a colon is missing/],
    ['{"a": 1 "b": 2}', 1, 9, /a comma or `}` is missing/],
    ['{"a":\n  yes}', 2, 3, /`yes` is neither/],
    ['["a]', 1, 2, /the text has no end/],
    ['"a\nb"', 1, 3, /line break/],
    ['"\\x"', 1, 2, /no such escape/],
    ["[1", 1, 3, /`\[` has no end/],
    ["1 2", 1, 3, /nothing may follow/],
    ["01", 1, 1, /not a number/],
    ["1.", 1, 1, /not a number/],
    ["NaN", 1, 1, /`NaN` is neither/],
    ["[}", 1, 2, /`}` is not allowed here/],
    ["{,}", 1, 2, /name of a member/],
  ];
  for (const [text, line, column, message] of cases) {
    const read = readJson(text);
    assert.ok(!read.ok, text);
    assert.match(read.message, message, text);
    assert.deepEqual([read.line, read.column], [line, column], text);
  }
  const deep = readJson("[".repeat(100_000));
  assert.ok(!deep.ok && deep.at === 100_000);
});
