/** `live.js`: the live channel of a published page, over which others than its visitor call its tools. */
import { jsonText } from "../base/values.ts";
import { fetchPageToken, type IssuedToken } from "../llm/fetch_bridge.ts";
import type { WebAgent } from "../page/webagent.ts";
import { parseServerMessage, type PageMessage, type ServerMessage } from "./messages.ts";
import { Relay } from "./relay.ts";

/** The version of the wire that this page speaks. */
const PROTOCOL = "webagent.1";
/** Pauses before the page connects again. The first is short while a call runs, which may be lost else. */
const FIRST_RETRY_MS = 50;
const RETRY_MS = 400;
/** The longest first pause of a page without a call: thousands may have lost the same process. */
const IDLE_RETRY_MS = 3000;
const MAX_RETRY_MS = 15_000;
/** Messages that are queued while there is no connection. */
const MOST_WAITING = 200;
/** The server's limit of an address and of a title. */
const MAX_TEXT = 2000;
/** Pause before the page connects as that of another visitor. */
const ANEW_MS = 300;
/** How long a page's token is used before its end. */
const MARGIN_MS = 30_000;

/** Close codes of the server: the token is not valid; this visitor has too many open pages. */
const REFUSED = 4403;
const TOO_MANY = 4429;

/** @param url Of the channel, ending in `/pages`. */
export function startLive(agent: WebAgent, url: string): void {
  const socket = new VisitorSocket(url, agent.version);
  const relay = new Relay(agent, socket, () => socket.visitor());
  socket.isBusy = () => relay.isBusy;
  socket.onmessage = (message) => void relay.handle(message);
}

/** The page's socket to its site's own server. It connects again, at any process of the site. */
class VisitorSocket {
  onmessage: (message: ServerMessage) => void = () => {};
  onopen: () => void = () => {};
  onleave: () => void = () => {};
  /** Whether a call runs. */
  isBusy: () => boolean = () => false;
  #url: URL;
  #version: string;
  #socket: WebSocket | undefined;
  #waiting: PageMessage[] = [];
  #leaving = false;
  #retries = 0;
  #token: IssuedToken | undefined;
  #documentId = crypto.randomUUID();

  constructor(url: string, version: string) {
    this.#url = new URL(url);
    this.#version = version;
    addEventListener("pagehide", () => {
      // An open socket would keep the page out of the back/forward cache.
      this.#leaving = true;
      this.onleave();
      this.#socket?.close(1000);
    });
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      this.#leaving = false;
      void this.#connect();
    });
    void this.#connect();
  }

  /** Send now, or as soon as the connection is open; of a long queue only the latest messages. */
  send(message: PageMessage): void {
    if (this.#isOpen) this.#socket?.send(jsonText(message));
    else if (this.#waiting.push(message) > MOST_WAITING) this.#waiting.shift();
  }

  /** Send the identity of this page again, if there is a connection. */
  greet(): void {
    if (this.#isOpen) this.#socket?.send(jsonText(this.#hello()));
  }

  /** Mark of whoever the server sees in this page now; another visitor is a reason to connect anew. */
  async visitor(): Promise<string> {
    const before = this.#token?.visitor;
    this.#token = await this.#fetched();
    // The call is refused first, over the connection that it came by.
    if (before !== undefined && before !== this.#token.visitor) setTimeout(() => this.#socket?.close(1000), ANEW_MS);
    return this.#token.visitor;
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #fetched(): Promise<IssuedToken> {
    return fetchPageToken(fetch.bind(globalThis), new URL("llm/token", this.#url).href);
  }

  async #connect(): Promise<void> {
    try {
      if (!this.#token || Date.now() > this.#token.ends - MARGIN_MS) this.#token = await this.#fetched();
    } catch {
      this.#retry();
      return;
    }
    if (this.#leaving) return;
    const { token } = this.#token;
    const socket = (this.#socket = new WebSocket(this.#url.href.replace(/^http/, "ws"), [PROTOCOL]));
    socket.addEventListener("open", () => {
      socket.send(jsonText({ v: 1, type: "token", token, secret: tabSecret() }));
      this.greet();
      for (const message of this.#waiting.splice(0)) socket.send(jsonText(message));
      this.onopen();
    });
    socket.addEventListener("message", (event: MessageEvent<string>) => {
      const message = parseServerMessage(event.data);
      if (message?.type === "joined") this.#retries = 0;
      else if (message) this.onmessage(message);
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.#leaving || socket !== this.#socket) return;
      if (code === REFUSED) this.#token = undefined;
      if (code === TOO_MANY) this.#retries = Infinity;
      this.#retry();
    });
  }

  /** Connect again after a pause that differs from page to page, so that not all come at once. */
  #retry(): void {
    const most = Math.min((this.isBusy() ? RETRY_MS : IDLE_RETRY_MS) * 1.6 ** this.#retries++, MAX_RETRY_MS);
    setTimeout(() => {
      if (!this.#leaving && !this.#isOpen) void this.#connect();
    }, FIRST_RETRY_MS + Math.random() * most);
  }

  #hello(): PageMessage {
    return {
      v: 1,
      type: "hello",
      page_id: "",
      document_id: this.#documentId,
      url: location.href.slice(0, MAX_TEXT),
      title: document.title.slice(0, MAX_TEXT),
      focused: document.hasFocus(),
      version: this.#version,
    };
  }
}

/** The secret of this tab, kept over its navigations: it proves which tab this is. */
function tabSecret(): string {
  const key = "webagent-tab-secret";
  const made = crypto.randomUUID() + crypto.randomUUID();
  try {
    const known = sessionStorage.getItem(key);
    if (known === null) sessionStorage.setItem(key, made);
    return known ?? made;
  } catch {
    // Without storage each page is a tab of its own.
    return made;
  }
}
