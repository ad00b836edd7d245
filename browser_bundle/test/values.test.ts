import assert from "node:assert/strict";
import { test } from "node:test";
import { WebagentError } from "../src/base/errors.ts";
import { copiedFiles, decode, encode, encodeText, type Encoded } from "../src/base/values.ts";

/** Encodes and decodes a value, through real JSON. */
const roundTrip = (value: unknown): unknown =>
  decode(JSON.parse(JSON.stringify(encode(value))) as Encoded);

/** The encoded value after JSON. */
const crossed = (value: unknown): unknown => JSON.parse(encodeText(value));

const kindOf = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof WebagentError) return thrown.kind;
    throw thrown;
  }
  return "none";
};

test("plain data crosses unchanged", () => {
  const value = { text: "é\u2028😀", list: [1, -2.5, null, true], empty: {}, none: [] };
  assert.deepEqual(roundTrip(value), value);
});

test("values that JSON cannot hold come back as they were", () => {
  const values = [
    undefined,
    12345678901234567890n,
    NaN,
    Infinity,
    -Infinity,
    -0,
    new Date(0),
    new Map<unknown, unknown>([[{ a: 1 }, [undefined]]]),
    new Set([1, "a"]),
    new Uint8Array([0, 255, 7]),
    [undefined, 1],
  ];
  for (const value of values) assert.deepEqual(roundTrip(value), value);
});

test("an invalid date stays an invalid date", () => {
  assert.ok(Number.isNaN((roundTrip(new Date(NaN)) as Date).getTime()));
});

test("data with a key `$type` cannot pose as a tag", () => {
  const value = { $type: "undefined", value: { $type: "bigint", value: "1" } };
  assert.deepEqual(roundTrip(value), value);
});

test("a key `__proto__` is data and changes no prototype", () => {
  const value = JSON.parse('{"__proto__": {"polluted": true}}') as object;
  const back = roundTrip(value) as object;
  assert.deepEqual(Object.keys(back), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(back), Object.prototype);
});

test("functions, symbols, errors and expressions are described", () => {
  assert.deepEqual(encode(function named() {}), { $type: "function", value: "named" });
  assert.deepEqual(encode(Symbol("s")), { $type: "symbol", value: "s" });
  assert.deepEqual(encode(/a+/gi), { $type: "regexp", value: "/a+/gi" });
  assert.deepEqual(encode(new TypeError("no")), {
    $type: "error",
    value: { name: "TypeError", message: "no" },
  });
});

test("a circle is cut where it closes, and a shared object is not a circle", () => {
  const node: Record<string, unknown> = { name: "a" };
  node["self"] = node;
  assert.deepEqual(crossed(node), { name: "a", self: { $type: "circular", value: 1 } });
  const shared = { n: 1 };
  assert.deepEqual(crossed([shared, shared]), [{ n: 1 }, { n: 1 }]);
});

test("an object's own toJSON is used", () => {
  assert.equal(encode(new URL("http://a.b/c")), "http://a.b/c");
});

test("values without data to copy are not cloneable, and the error has their path", () => {
  for (const value of [new WeakMap(), Promise.resolve(1), new Response(), (function* () {})()]) {
    assert.equal(kindOf(() => encode(value)), "not_cloneable");
  }
  assert.throws(
    () => encode({ items: [{ bad: new WeakSet() }] }),
    (error: WebagentError) => error.path === "items[0].bad" && error.help !== undefined,
  );
});

test("a getter that throws and a revoked proxy are not cloneable", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const getter = {
    get price() {
      throw new Error("no price");
    },
  };
  assert.equal(kindOf(() => encode(getter)), "not_cloneable");
  assert.equal(kindOf(() => encode({ proxy })), "not_cloneable");
});

test("a toJSON of all lists, as old libraries bring it, is not used", () => {
  const value = { list: [1, [{ a: 2 }]], own: { toJSON: () => "own" }, date: new Date(0) };
  const expected = { list: [1, [{ a: 2 }]], own: "own", date: { $type: "date", value: "1970-01-01T00:00:00.000Z" } };
  const theirs = { value: () => assert.fail(), configurable: true, enumerable: false, writable: true };
  Object.defineProperty(Array.prototype, "toJSON", theirs);
  try {
    const text = encodeText(value);
    assert.deepEqual(Object.getOwnPropertyDescriptor(Array.prototype, "toJSON"), theirs);
    assert.deepEqual(JSON.parse(text), expected);
  } finally {
    delete (Array.prototype as { toJSON?: unknown }).toJSON;
  }
});

test("an Array.from that takes nothing but a list is not used", () => {
  const { from } = Array;
  Array.from = (list: unknown) => Array.prototype.slice.call(list);
  let text: string;
  try {
    text = encodeText([new Map([["a", new Set([1])]])]);
  } finally {
    Array.from = from;
  }
  assert.deepEqual(JSON.parse(text), [{ $type: "map", value: [["a", { $type: "set", value: [1] }]] }]);
});

test("an object whose toJSON returns itself is copied", () => {
  assert.deepEqual(crossed({ a: 1, toJSON() { return this; } }), {
    a: 1,
    toJSON: { $type: "function", value: "toJSON" },
  });
});

test("encoding an endless value fails before it fills the memory", () => {
  let doubled: unknown = ["some text"];
  for (let i = 0; i < 60; i++) doubled = [doubled, doubled];
  assert.equal(kindOf(() => encode(doubled)), "too_large");
  assert.equal(kindOf(() => encode(Object.assign([], { length: 2 ** 32 - 1 }))), "too_large");
});

test("too deep and too long values are too large", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 300; i++) deep = [deep];
  assert.equal(kindOf(() => encode(deep)), "too_large");
  assert.equal(kindOf(() => encodeText("x".repeat(17 * 1024 * 1024))), "too_large");
});

test("a plain object is plain data, whatever it calls itself", () => {
  const named = (name: string, data: object) => ({ ...data, [Symbol.toStringTag]: name });
  const Sub = class {
    readonly [Symbol.toStringTag] = "Sub";
  };

  assert.deepEqual(crossed(named("Product", { price: 3 })), { price: 3 });
  assert.deepEqual(crossed({ list: [named("Date", { day: 1 })] }), { list: [{ day: 1 }] });
  assert.deepEqual(crossed(Object.assign(Object.create(null), named("Map", { a: 1 }))), { a: 1 });
  assert.equal(crossed(named("Error", { toJSON: () => "own" })), "own");
  assert.deepEqual(["Sub", "Math"].map((_, i) => kindOf(() => encode([new Sub(), Math][i]))), [
    "not_cloneable",
    "not_cloneable",
  ]);
});

test("files cross with their name and type", async () => {
  const blob = new Blob(["a,b"], { type: "text/csv" });
  const value = { list: 1, report: new File([blob], "r.csv", { type: "text/csv" }), empty: new Blob([]) };
  const encoded = JSON.parse(encodeText(await copiedFiles(value)));
  assert.deepEqual(encoded, {
    list: 1,
    report: { $type: "file", value: "YSxi", name: "r.csv", type: "text/csv" },
    empty: { $type: "file", value: "", name: "", type: "" },
  });
  const report = decode(encoded["report"]) as File;
  assert.deepEqual([report.name, report.type, await report.text()], ["r.csv", "text/csv", "a,b"]);
  assert.equal((await copiedFiles([blob]) as unknown[]).length, 1);
});

test("a value without files is not copied", async () => {
  for (const value of [1, "x", null, { a: [new Blob([])] }, [[new Blob([])]], new Map([[1, new Blob([])]])]) {
    assert.equal(await copiedFiles(value), value);
  }
  const posing = { [Symbol.toStringTag]: "Blob", size: 1, arrayBuffer: () => new ArrayBuffer(8) };
  assert.equal(await copiedFiles(posing), posing);
  const proxy = new Proxy({}, { get: () => { throw new Error("no"); }, getPrototypeOf: () => { throw new Error("no"); } });
  for (const value of [[proxy], { proxy }]) await assert.rejects(async () => encode(await copiedFiles(value)), WebagentError);
});

test("files that are too many, too large or cannot be read are errors", async () => {
  const big = new Blob([new Uint8Array(3 * 1024 * 1024)]);
  const kind = async (value: unknown) => copiedFiles(value).then(() => "none", (thrown: WebagentError) => thrown.kind);
  assert.equal(await kind([big]), "none");
  assert.equal(await kind([big, big]), "too_large");
  assert.equal(await kind(new Blob([new Uint8Array(5 * 1024 * 1024 + 1)])), "too_large");
  assert.equal(await kind(Array(21).fill(new Blob([]))), "too_large");
  // A page may make an object of the class that holds nothing.
  assert.equal(await kind(Object.create(Blob.prototype)), "not_cloneable");
});
