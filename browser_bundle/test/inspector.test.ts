/** The inspector's parts that need no page: texts, streams, code, values, timeline groups. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { credentialIn } from "../src/inspector/address.ts";
import { EventStreamReader } from "../src/inspector/api_client.ts";
import type { Entry, EntryKind, Tool } from "../src/inspector/api_types.ts";
import { snippets } from "../src/inspector/call_snippets.ts";
import { displayValue } from "../src/inspector/result_view.ts";
import { Groups, isCut, isMasked, matches, MOST_GROUPS, namedArguments } from "../src/inspector/timeline_groups.ts";
import { brief, inLine, line, upTo } from "../src/ui/display_text.ts";
import { visible } from "../src/ui/text_parts.ts";

test("hidden characters are made visible, everything else stays", () => {
  assert.equal(visible("a\u202Eb\u0007c\uFEFF\ud800d\u{E0041}"), "a⟨202E⟩b⟨0007⟩c⟨FEFF⟩⟨D800⟩d⟨E0041⟩");
  const plain = "Grüße, 書籍 مرحبا 👩‍👩‍👧 e\u0301\tx\ny";
  assert.equal(visible(plain), plain);
});

test("texts are cut between characters, not within one", () => {
  assert.equal(upTo("ab😀", 3), "ab");
  assert.equal(brief("abcdef", 3), "abc…");
  assert.equal(brief("abc", 3), "abc");
  assert.equal(line("  a\n\n b  c ", 10), "a b c");
});

test("a value in a line is short however large the value is", () => {
  assert.equal(inLine({ a: [1, "two", null], b: {} }, 80), '{ a: [1, "two", null], b: {} }');
  assert.ok(inLine({ long: "x".repeat(1e6), more: 1 }, 50).length <= 51);
  assert.ok(inLine(Array.from({ length: 1e5 }, (_, n) => ({ n })), 50).length <= 51);
  let deep: unknown = 1;
  for (let n = 0; n < 1e4; n++) deep = [deep];
  assert.ok(inLine(deep, 50).length <= 51);
});

test("events arrive complete, however the stream is split", () => {
  const text = ': ping\n\nevent: entry\ndata: {"a":1}\n\nevent: pages\r\ndata: [1,\r\ndata: 2]\r\n\r\ndata:x\n\n';
  const expected = [
    { name: "entry", data: '{"a":1}' },
    { name: "pages", data: "[1,\n2]" },
    { name: "message", data: "x" },
  ];
  for (const size of [1, 2, 3, 7, 1000]) {
    const reader = new EventStreamReader();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...reader.take(text.slice(at, at + size)));
    assert.deepEqual(events, expected, `in pieces of ${size}`);
  }
});

test("a token is read as it is, or out of an address, and a code out of an address", () => {
  assert.deepEqual(credentialIn(" abc-_1 "), { kind: "token", value: "abc-_1" });
  assert.deepEqual(credentialIn("http://127.0.0.1:8100/__webagent__/#token=abc"), { kind: "token", value: "abc" });
  assert.deepEqual(credentialIn("http://127.0.0.1:8100/__webagent__/#code=abc"), { kind: "code", value: "abc" });
  assert.equal(credentialIn("  "), undefined);
});

const TOOL = {
  name: "search",
  calling: "positional",
  params: ["query", "limit", "category"].map((name) => ({ name, type: "string", description: "", required: false })),
} as unknown as Tool;
const SITE = "http://127.0.0.1:8100/shop/";

const codeOf = (tool: Tool, given: Record<string, unknown>) =>
  Object.fromEntries(snippets(tool, given, SITE).map(({ label, text }) => [label, text]));

test("the code of a call has its arguments in order, with gaps", () => {
  const { JavaScript, "By name": byName, Shell } = codeOf(TOOL, { query: "a b", category: "Nature" });
  assert.equal(JavaScript, 'const result = await global.search("a b", undefined, "Nature");');
  assert.equal(byName, 'await webagent.invoke("search", {"query": "a b", "category": "Nature"});');
  assert.equal(Shell, `webagent-dev call search '{"query": "a b", "category": "Nature"}' --site http://127.0.0.1:8100/`);
  assert.equal(codeOf(TOOL, {})["JavaScript"], "const result = await global.search();");
});

test("tools that take an object are called with one, and unusual names are quoted", () => {
  const odd = { ...TOOL, name: "a-b", calling: "object" } as Tool;
  assert.equal(codeOf(odd, { query: 1 })["JavaScript"], 'const result = await global["a-b"]({"query": 1});');
  const rest = { ...TOOL, params: [{ name: "...names" }] } as unknown as Tool;
  assert.equal(codeOf(rest, { names: ["a", "b"] })["JavaScript"], 'const result = await global.search(...["a", "b"]);');
});

test("a member `__proto__` is a member in the code, too", () => {
  const given = JSON.parse('{"__proto__": "\\"__proto__\\": 1"}') as Record<string, unknown>;
  const code = codeOf({ ...TOOL, calling: "object" }, given)["JavaScript"]!;
  assert.equal(code, 'const result = await global.search({["__proto__"]: "\\"__proto__\\": 1"});');
});

test("an argument can neither break out of the code nor hide in it", () => {
  const evil = `'; rm -rf / #"$(x)\`\u202E\u2028`;
  const { Shell, curl, Python, JavaScript } = codeOf(TOOL, { query: evil });
  assert.match(Shell!, /^webagent-dev call search '\{"query": "'\\''; rm -rf \/ #\\"\$\(x\)`\\u202e\\u2028"\}' --site/);
  assert.match(curl!, /--header "Authorization: Bearer \$WEBAGENT_TOKEN"/);
  for (const text of [Shell, curl, Python, JavaScript]) assert.doesNotMatch(text!, /[\u202e\u2028]/);
  const program = /= await (.*);$/.exec(JavaScript!)![1];
  assert.equal(new Function("global", `return ${program}`)({ search: (query: string) => query }), evil);
});

test("values that JSON cannot hold are shown by their kind", () => {
  const cases: [unknown, string, string][] = [
    ["a\nb", "string", '"a\\nb"'],
    [1.5, "number", "1.5"],
    [null, "word", "null"],
    [{ $type: "undefined" }, "word", "undefined"],
    [{ $type: "bigint", value: "12" }, "number", "12n"],
    [{ $type: "number", value: "NaN" }, "number", "NaN"],
    [{ $type: "date", value: null }, "tag", "Date (invalid)"],
    [{ $type: "date", value: "2026-01-31T00:00:00.000Z" }, "tag", 'Date "2026-01-31T00:00:00.000Z"'],
    [{ $type: "binary", value: "AAECAw==" }, "tag", "bytes, 4 bytes"],
    [{ $type: "error", value: { name: "TypeError", message: "no" } }, "tag", "TypeError: no"],
    [{ $type: "circular", value: 2 }, "tag", "the object 2 levels above"],
    [{ $type: "element", value: "<button>" }, "tag", "element <button>"],
    [[], "object", "0 items"],
    [{}, "object", "{}"],
  ];
  for (const [value, kind, text] of cases) {
    const { kind: is, text: says, inside } = displayValue(value);
    assert.deepEqual([is, says, inside], [kind, text, undefined], JSON.stringify(value));
  }
});

test("the entries of a value can be listed", () => {
  const inside = (value: unknown) => [...displayValue(value).inside!.entries()];
  assert.deepEqual(inside({ a: 1, b: [2] }), [["a", 1], ["b", [2]]]);
  assert.deepEqual(inside([1]), [["0", 1]]);
  assert.deepEqual(inside({ $type: "map", value: [["k", 1]] }), [['"k"', 1]]);
  assert.deepEqual(inside({ $type: "set", value: ["x"] }), [["0", "x"]]);
  assert.deepEqual(inside({ $type: "object", value: { $type: "mine" } }), [["$type", "mine"]]);
  assert.deepEqual(inside({ $type: "map", value: "no map" }), [["$type", "map"], ["value", "no map"]]);
  assert.equal(displayValue("x".repeat(500)).whole?.length, 500);
});

let seq = 0;
const entry = (kind: EntryKind, detail: Record<string, unknown>, id?: string): Entry => ({
  seq: ++seq, at: "2026-01-31T12:00:00.000Z", page_id: "p", kind, detail, ...(id && { id }),
});

test("the states of a call are one group, whose title stays", () => {
  const groups = new Groups();
  groups.take(entry("call", { name: "search", state: "started", arguments: ["x"] }, "d:1"));
  groups.take(entry("call", { name: "other", state: "started", arguments: [] }, "d:2"));
  const group = groups.take(entry("call", { name: "search", state: "finished", value: 7, duration_ms: 3 }, "d:1"));
  assert.equal(groups.all().length, 2);
  assert.deepEqual([group.title, group.state, group.about, group.duration_ms], ["search", "ok", "→ 7", 3]);
});

test("a run is one group from its goal to its end", () => {
  const groups = new Groups();
  groups.take(entry("agent", { type: "started", goal: "buy" }, "r"));
  groups.take(entry("agent", { type: "step", tool: "add", why: "" }, "r"));
  assert.deepEqual([groups.all()[0]!.state, groups.all()[0]!.about], ["running", "add"]);
  const group = groups.take(entry("agent", { type: "finished", ok: false, text: "", error: { kind: "cancelled", message: "stopped" } }, "r"));
  assert.deepEqual([group.title, group.state, group.about], ["buy", "cancelled", "stopped"]);
});

test("console lines are groups of their own, and errors among them are failures", () => {
  const groups = new Groups();
  const said = groups.take(entry("log", { level: "log", text: "hello", place: "" }));
  const thrown = groups.take(entry("log", { level: "uncaught", text: "no", place: "a.js:1:2" }));
  assert.deepEqual([said.state, thrown.state, thrown.about], ["none", "failed", "uncaught · a.js:1:2"]);
  assert.equal(groups.all().length, 2);
});

test("groups are filtered by kind, page, state and words", () => {
  const group = new Groups().take(entry("call", { name: "searchBooks", state: "failed", error: { message: "No such shelf" } }, "x"));
  const all = { kind: "", page: "", state: "", words: "" };
  for (const filter of [all, { ...all, kind: "call" }, { ...all, page: "p" }, { ...all, state: "failed" }, { ...all, words: "SHELF books" }]) {
    assert.ok(matches(group, filter), JSON.stringify(filter));
  }
  for (const filter of [{ ...all, kind: "log" }, { ...all, page: "q" }, { ...all, state: "ok" }, { ...all, words: "shelf x" }]) {
    assert.ok(!matches(group, filter), JSON.stringify(filter));
  }
});

test("above the limit the oldest groups are dropped and counted", () => {
  const groups = new Groups();
  for (let n = 0; n < MOST_GROUPS + 5; n++) groups.take(entry("log", { level: "log", text: `${n}` }));
  assert.deepEqual([groups.all().length, groups.dropped, groups.all()[0]!.title], [MOST_GROUPS, 5, "5"]);
});

test("large entries displace older groups, but never their own", () => {
  const groups = new Groups();
  for (let n = 0; n < 5; n++) groups.take({ ...entry("log", { text: `${n}` }), size: 15_000_000 });
  assert.deepEqual(groups.all().map(({ title }) => title), ["3", "4"]);
  groups.take({ ...entry("log", { text: "huge" }), size: 90_000_000 });
  assert.deepEqual(groups.all().map(({ title }) => title), ["huge"]);
});

test("entries of another server, which counts from the start, are added to the earlier ones", () => {
  const groups = new Groups();
  groups.take({ ...entry("log", { text: "before" }), seq: 1 });
  groups.take({ ...entry("log", { text: "after" }), seq: 1 });
  assert.deepEqual(groups.all().map(({ title }) => title), ["before", "after"]);
});

test("arguments by position get the names of the parameters", () => {
  const params = [{ name: "a" }, { name: "b" }];
  assert.deepEqual(namedArguments([1], params), { a: 1 });
  assert.deepEqual(namedArguments([{ $type: "undefined" }, 2], params), { b: 2 });
  assert.deepEqual(namedArguments({ b: 2 }, params), { b: 2 });
  assert.deepEqual(namedArguments([1, 2, 3], [{ name: "a" }, { name: "...rest" }]), { a: 1, rest: [2, 3] });
  assert.equal(namedArguments([1, 2, 3], params), undefined);
  assert.ok(isMasked({ password: "•••" }) && !isMasked({ a: 1 }));
  assert.ok(isCut([{ $type: "cut", value: "x", length: 2 }]) && !isCut({ cut: 1 }));
});
