/** WebAssembly is compiled while it downloads, and handed to Pyodide. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useEarly } from "../src/boot/downloads.ts";
import { WasmCompiler } from "../src/boot/wasm_compiler.ts";

const URL_OF_IT = "http://shop.test/bundle/python.wasm";
/** A module that imports the function `f` of the module `m`. */
const MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 109, 1, 102, 0, 0);

const answer = () => new Response(MODULE, { headers: { "content-type": "application/wasm" } });

test("a module that cannot be instantiated is reported", async () => {
  globalThis.fetch = async () => answer();
  const wasm = new WasmCompiler(URL_OF_IT);
  const end = wasm.offer();
  const asked = WebAssembly.instantiateStreaming(fetch(URL_OF_IT), {});

  await assert.rejects(asked, TypeError);
  await assert.rejects(wasm.failed, TypeError);
  end();
});

test("after the end all callers reach the browser's functions, even through a wrapper of the site", async () => {
  const network = async () => answer();
  globalThis.fetch = network;
  const wasm = new WasmCompiler(URL_OF_IT);
  const end = wasm.offer();
  const ours = globalThis.fetch;
  globalThis.fetch = (...given) => ours(...given);
  await (await fetch(URL_OF_IT)).arrayBuffer().catch(() => {});
  end();

  assert.equal((await (await fetch(URL_OF_IT)).arrayBuffer()).byteLength, MODULE.length);
  globalThis.fetch = network;
});

test("an early answer is used once, also for a file that Pyodide fetches itself", async () => {
  const library = "http://shop.test/bundle/stdlib.zip";
  const missing = new Error("requested again");
  globalThis.fetch = () => Promise.reject(missing);
  useEarly(new Map([[URL_OF_IT, Promise.resolve(answer())], [library, Promise.resolve(new Response("zip"))]]));
  const wasm = new WasmCompiler(URL_OF_IT);
  const end = wasm.offer();

  assert.equal(await (await fetch(library)).text(), "zip");
  assert.ok((await wasm.module) instanceof WebAssembly.Module);
  await assert.rejects(fetch(library), missing);
  end();
});
