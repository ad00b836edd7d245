/** Requests to the models of a site's own server carry a token that the page gets and renews. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFetchBridge } from "../src/llm/fetch_bridge.ts";

const ORIGIN = "https://shop.example";
const MODEL = `${ORIGIN}/__webagent__/llm/v1/messages`;

interface Sent {
  url: string;
  token: string | null;
}

/** A bridge in a page of `ORIGIN`, and what it has sent; `statuses` are of the model's answers. */
function pageBridge(statuses: number[] = [], seconds = 600): { ask: (url: string) => Promise<number>; sent: Sent[] } {
  const sent: Sent[] = [];
  let tokens = 0;
  const bridge = createFetchBridge(async (input, init) => {
    const url = new URL(String(input), ORIGIN);
    sent.push({ url: url.href, token: new Headers(init?.headers).get("x-webagent-token") });
    if (url.pathname.endsWith("/llm/token")) {
      assert.equal(init?.method, "POST");
      return Response.json({ token: `T${++tokens}`, expires_s: seconds });
    }
    return new Response("{}", { status: statuses.shift() ?? 200 });
  });
  let number = 0;
  const ask = async (url: string): Promise<number> => {
    const before = Object.getOwnPropertyDescriptor(globalThis, "location");
    Object.defineProperty(globalThis, "location", { value: new URL(`${ORIGIN}/cart`), configurable: true });
    try {
      const request = JSON.stringify({ url, method: "POST", headers: {}, body: "{}" });
      return (JSON.parse(await bridge.fetch_open(++number, request)) as { status: number }).status;
    } finally {
      bridge.fetch_close(number);
      if (before) Object.defineProperty(globalThis, "location", before);
      else delete (globalThis as { location?: unknown }).location;
    }
  };
  return { ask, sent };
}

const tokensOf = (sent: Sent[]): (string | null)[] =>
  sent.filter(({ url }) => url === MODEL).map(({ token }) => token);

test("one token serves the requests of a page", async () => {
  const { ask, sent } = pageBridge();
  await ask(MODEL);
  await ask(MODEL);
  assert.deepEqual(tokensOf(sent), ["T1", "T1"]);
  assert.equal(sent.length, 3);
  assert.ok(sent.every(({ url }) => !url.includes("T1")));
});

test("a token is renewed before it ends", async () => {
  const { ask, sent } = pageBridge([], 20);
  await ask(MODEL);
  await ask(MODEL);
  assert.deepEqual(tokensOf(sent), ["T1", "T2"]);
});

test("a refused token is renewed once, as after a login", async () => {
  const { ask, sent } = pageBridge([200, 403, 200, 403, 403]);
  assert.deepEqual([await ask(MODEL), await ask(MODEL), await ask(MODEL)], [200, 200, 403]);
  assert.deepEqual(tokensOf(sent), ["T1", "T1", "T2", "T2", "T3"]);
});

test("no other server gets a token", async () => {
  const { ask, sent } = pageBridge();
  await ask("https://models.example/__webagent__/llm/v1/messages");
  await ask(`${ORIGIN}/llm/v1/messages`);
  assert.deepEqual(
    sent.map(({ token }) => token),
    [null, null],
  );
});
