/** The inspector's session reconnects to the same server, starts over with another, and ends when it is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiClient, type ApiError } from "../src/inspector/api_client.ts";
import { Session } from "../src/inspector/session.ts";

const PAGES = [
  { page_id: "a", document_id: "1", focused: false },
  { page_id: "b", document_id: "1", focused: true },
];

/** A server with a list of its responses, one for each request. */
function serve(...answers: ((path: string) => Response)[]): string[] {
  const asked: string[] = [];
  globalThis.fetch = async (url, options) => {
    const path = String(url).replace("http://x/", "");
    asked.push(path);
    assert.equal((options!.headers as Record<string, string>)["authorization"], "Bearer secret");
    const answer = answers.shift();
    if (!answer) throw new TypeError("nobody is there");
    return answer(path);
  };
  return asked;
}

const state = (started: string, pages: object[] = PAGES) => () => Response.json({ started, pages, url: "http://x/" });
const stream = (text: string) => () => new Response(text);
const refusal = () => Response.json({ error: { kind: "denied", message: "no" } }, { status: 401 });

/** A session that never waits, until it is refused. */
async function keepConnected(): Promise<{ session: Session; told: string[] }> {
  const session = new Session(new ApiClient("http://x/", "secret"));
  const told: string[] = [];
  session.on("connection", (connection) => {
    told.push(connection);
    if (connection === "lost") setImmediate(() => session.retry());
  });
  session.on("entry", ({ seq }) => told.push(`entry ${seq}`));
  session.on("page", (page) => told.push(`page ${page?.page_id}`));
  await session.keepConnected();
  return { session, told };
}

test("a lost connection is restored, from the last entry on", async () => {
  const asked = serve(state("t1"), stream('event: entry\ndata: {"seq": 7}\n\n'), state("t1"), stream(""), refusal);
  const { told } = await keepConnected();
  assert.deepEqual(asked, ["state", "events?after=0", "state", "events?after=7", "state"]);
  assert.deepEqual(told, ["connected", "page b", "entry 7", "lost", "connected", "lost", "refused"]);
});

test("another server is read from its first entry on", async () => {
  const asked = serve(state("t1"), stream('event: entry\ndata: {"seq": 7}\n\n'), state("t2"), stream(""), refusal);
  await keepConnected();
  assert.equal(asked[3], "events?after=0");
});

test("neither a missing server nor invalid events end the session", async () => {
  const gone = () => {
    throw new TypeError("nobody is there");
  };
  serve(gone, state("t1"), stream("event: entry\ndata: {no json\n\n"), gone, refusal);
  const { told, session } = await keepConnected();
  assert.deepEqual(told, ["lost", "connected", "page b", "lost", "lost", "refused"]);
  assert.equal(session.trouble?.status, 401);
});

test("the focused page is shown, then the last focused one, unless one is chosen", async () => {
  const left = PAGES.map((page) => ({ ...page, focused: false }));
  const navigated = [PAGES[0], { ...left[1], document_id: "2" }];
  const pages = (list: unknown) => `event: pages\ndata: ${JSON.stringify(list)}\n\n`;
  serve(state("t1"), stream(pages(left) + pages(navigated) + pages([left[0]]) + pages([])), refusal);
  const { told, session } = await keepConnected();
  // A stopping server first reports that it has no pages; the last state stays on display.
  assert.deepEqual(told.filter((one) => one.startsWith("page")), ["page b", "page b", "page a"]);
  session.pages = left as never;
  session.choose("a");
  assert.equal(session.page?.page_id, "a");
  session.choose("gone");
  assert.equal(session.page, undefined);
});

test("errors of the server keep its message, others say what to do", async () => {
  const api = new ApiClient("http://x/", "secret");
  serve(refusal, () => new Response("Bad host\n", { status: 421 }));
  const kinds = [];
  for (let n = 0; n < 3; n++) kinds.push(await api.get("state").catch((error: ApiError) => `${error.status} ${error.kind}: ${error.message}`));
  assert.deepEqual(kinds, [
    "401 denied: no",
    "421 internal: the server cannot do this - Bad host",
    "0 no_server: the server does not answer - it may have been stopped - start `webagent-dev serve` again",
  ]);
});
