import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalogue, removalOf, type Entry } from "../src/components/catalogue.ts";
import { readGreeting, readMessage } from "../src/components/component_messages.ts";
import { composedName, readDefinition } from "../src/components/definition.ts";
import { EventEmitter } from "../src/components/frame_state.ts";
import { errorOfTool, fromWire, toWire } from "../src/components/tool_errors.ts";

function entry(frame: number, name: string, component?: string, description = "x"): Entry {
  return { frame, origin: "", tool: readDefinition({ name, component, description }) };
}

function catalogueOf(...entries: Entry[]): Catalogue {
  const catalogue = new Catalogue();
  for (const one of entries) catalogue.add(one);
  return catalogue;
}

test("a list has each component and name once, sorted by what the model sees", () => {
  const catalogue = catalogueOf(
    entry(1, "b"),
    entry(2, "b", undefined, "younger"),
    entry(2, "a", "z"),
    entry(1, "b", "a"),
  );
  assert.deepEqual(catalogue.list(0).map(composedName), ["a_b", "b", "z_a"]);
  assert.equal(catalogue.list(0)[1]?.description, "x");
  assert.equal(catalogue.list(2)[1]?.description, "younger");
});

test("two tools with the same composed name stay apart, in the same order everywhere", () => {
  const [one, two] = [entry(1, "b_c", "a"), entry(2, "c", "a_b")];
  for (const catalogue of [catalogueOf(one, two), catalogueOf(two, one)]) {
    assert.deepEqual(catalogue.list(0), [one.tool, two.tool]);
  }
});

test("a name means the frame's own tool, else that of the oldest frame with one", () => {
  const catalogue = catalogueOf(entry(1, "add", "cart"), entry(2, "add"), entry(2, "cart_add"));
  assert.equal(catalogue.find("add", 0)?.frame, 1);
  assert.equal(catalogue.find("add", 2)?.frame, 2);
  assert.equal(catalogue.find("cart_add", 0)?.frame, 1);
  assert.equal(catalogue.find("cart_add", 2)?.tool.name, "cart_add");
  assert.equal(catalogue.find("remove", 0), undefined);
});

test("within a frame the composed name takes precedence over the bare one", () => {
  const catalogue = catalogueOf(entry(1, "add", "cart"), entry(1, "add"));
  assert.equal(catalogue.find("add", 0)?.tool.component, undefined);
  assert.equal(catalogue.find("cart_add", 0)?.tool.component, "cart");
});

test("a replaced tool keeps its age, a removed one loses it", () => {
  const catalogue = catalogueOf(entry(1, "a"), entry(2, "a"));
  catalogue.add(entry(1, "a", undefined, "new"));
  assert.equal(catalogue.find("a", 0)?.tool.description, "new");
  assert.ok(catalogue.remove(removalOf(entry(1, "a"))));
  assert.ok(!catalogue.remove(removalOf(entry(1, "a"))));
  catalogue.add(entry(1, "a"));
  assert.equal(catalogue.find("a", 0)?.frame, 2);
});

test("a definition is copied without its handler, frozen, and has a schema", () => {
  const read = readDefinition({ name: "a", description: "x", execute() {}, extra: 1 });
  const inputSchema = { type: "object", properties: {} };
  assert.deepEqual(read, { name: "a", description: "x", inputSchema });
  assert.ok(Object.isFrozen(read.inputSchema.properties));
});

test("a schema may be nested 100 levels deep, but not deeper", () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
  const define = (levels: number) => () =>
    readDefinition({ name: "a", description: "x", inputSchema: nested(levels) });
  assert.doesNotThrow(define(100));
  assert.throws(define(101), { name: "TypeError", message: /deeper than 100 levels/ });
});

test("events during a handler are emitted after it, in order", () => {
  const emitter = new EventEmitter<{ change: number }>();
  const heard: string[] = [];
  emitter.on("change", (value: number) => {
    heard.push(`first ${value}`);
    if (value === 1) emitter.emit("change", () => 2);
  });
  emitter.on("change", (value: number) => heard.push(`second ${value}`));
  emitter.emit("change", () => 1);
  assert.deepEqual(heard, ["first 1", "second 1", "first 2", "second 2"]);
});

test("a removed handler gets no further events, not even pending ones", () => {
  const emitter = new EventEmitter<{ change: number }>();
  const heard: number[] = [];
  const second = (value: number) => heard.push(value);
  emitter.on("change", () => {
    emitter.off("change", second);
  });
  emitter.on("change", second);
  emitter.emit("change", () => 1);
  assert.deepEqual(heard, []);
});

test("a handler that throws is reported, and the others still run", () => {
  const reported: unknown[] = [];
  (globalThis as Record<string, unknown>)["reportError"] = (thrown: unknown) => {
    reported.push(thrown);
  };
  const emitter = new EventEmitter<{ change: number }>();
  const heard: number[] = [];
  emitter.on("change", () => {
    throw "no";
  });
  emitter.on("change", (value: number) => heard.push(value));
  emitter.emit("change", () => 1);
  assert.deepEqual([reported, heard], [["no"], [1]]);
});

test("an error crosses frames unchanged, and an incomplete one is refused", () => {
  const error = errorOfTool(Object.assign(new RangeError("far"), { kind: "sold_out" }), "buy");
  const wire = toWire(error);
  assert.deepEqual(wire, { kind: "sold_out", name: "RangeError", message: "far", tool: "buy" });
  assert.deepEqual(toWire(fromWire(structuredClone(wire))), wire);
  for (const part of Object.keys(wire)) {
    assert.throws(() => fromWire({ ...wire, [part]: undefined }));
  }
  assert.throws(() => fromWire({ ...wire, kind: "Not a word" }));
});

test("a message is validated field by field, and other fields are dropped", () => {
  const call = { type: "call", id: 1, target: { find: "a" }, parameters: { x: 1 } };
  assert.deepEqual(readMessage({ ...call, extra: 1 }), call);
  assert.equal(readMessage({ ...call, id: 1.5 }), undefined);
  assert.equal(readMessage({ ...call, type: "constructor" }), undefined);
  const { frame, tool } = entry(3, "a", "b");
  const exact = { ...call, target: { frame, name: tool.name, component: tool.component } };
  assert.deepEqual(readMessage(exact), exact);
});

test("a message of another protocol, or of none, is not a greeting", () => {
  const hello = { webmcp: 1, type: "hello", nonce: "n" };
  assert.deepEqual(readGreeting(hello), hello);
  for (const other of [null, "hello", { ...hello, webmcp: 2 }, { ...hello, type: "call" }]) {
    assert.equal(readGreeting(other), undefined);
  }
  assert.equal(readGreeting({ ...hello, nonce: "n".repeat(65) }), undefined);
});
