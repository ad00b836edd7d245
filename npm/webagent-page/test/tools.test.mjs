import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { offerTool } from "../dist/tools.js";

afterEach(() => {
  delete globalThis.find;
});

test("a function is a global until it is taken back", () => {
  const end = offerTool("find", (word) => `${word}!`);
  assert.equal(globalThis.find("tea"), "tea!");
  end();
  end();
  assert.equal("find" in globalThis, false);
});

test("the latest of several has the name, in whatever order they end", () => {
  const same = () => "first";
  const first = offerTool("find", same);
  const second = offerTool("find", () => "second");
  const third = offerTool("find", same);
  second();
  assert.equal(globalThis.find(), "first");
  third();
  assert.equal(globalThis.find(), "first");
  first();
  assert.equal("find" in globalThis, false);
});

test("a function of the page has its name again, unless the page has replaced it meanwhile", () => {
  globalThis.find = () => "page";
  offerTool("find", () => "component")();
  assert.equal(globalThis.find(), "page");
  const end = offerTool("find", () => "component");
  globalThis.find = () => "new";
  end();
  assert.equal(globalThis.find(), "new");
});
