/** The page's one socket to the development server. */
import { ASSETS } from "../boot/assets.ts";
import { parseServerMessage, type PageMessage, type ServerMessage } from "../messages.ts";

const RETRY_MS = 300;
const MAX_RETRY_MS = 10_000;
/** Longer texts say no more to people, and the server takes no endless messages. */
const MAX_TEXT = 2000;
/** How often a server that is up may refuse before the page says so and takes its time. */
const REFUSALS = 3;

/**
 * Keeps the connection. When the server was away it comes back as a new one with a new token, so
 * the page waits for it and loads anew. A socket that never opened (a proxy that passes none, say)
 * is tried again without a reload, which would go on for ever.
 */
export class LiveSocket {
  onmessage: (message: ServerMessage) => void = () => {};
  #url: string;
  #probe: string;
  #socket: WebSocket | undefined;
  #waiting: PageMessage[] = [];
  #leaving = false;
  #wasOpen = false;
  #wait = RETRY_MS;
  #refused = 0;
  #documentId = crypto.randomUUID();

  /**
   * @param url The socket's address, token included.
   * @param probe A file of the server, asked for to learn whether it is up.
   */
  constructor(url: string, probe: string) {
    this.#url = url.replace(/^http/, "ws");
    this.#probe = probe;
    addEventListener("pagehide", () => {
      this.#leaving = true;
      this.#socket?.close();
    });
    // Back from the back/forward cache: what was missed is in the page's new version.
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
    this.#connect();
  }

  /** Send now, or as soon as the connection stands. */
  send(message: PageMessage): void {
    if (message.type === "error") message.message = message.message.slice(0, MAX_TEXT);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
    else this.#waiting.push(message);
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wasOpen = true;
      this.#wait = RETRY_MS;
      socket.send(JSON.stringify(this.#hello()));
      for (const message of this.#waiting.splice(0)) socket.send(JSON.stringify(message));
    });
    socket.addEventListener("message", (event: MessageEvent<string>) => {
      const message = parseServerMessage(event.data);
      if (message) this.onmessage(message);
    });
    socket.addEventListener("close", () => {
      if (!this.#leaving) void this.#awaitServer();
    });
  }

  #hello(): PageMessage {
    return {
      v: 1,
      type: "hello",
      page_id: pageId(),
      document_id: this.#documentId,
      url: location.href.slice(0, MAX_TEXT),
      title: document.title.slice(0, MAX_TEXT),
      focused: document.hasFocus(),
      version: ASSETS.version,
    };
  }

  async #awaitServer(): Promise<void> {
    do {
      await new Promise((resolve) => setTimeout(resolve, this.#wait));
      this.#wait = Math.min(this.#wait * 1.5, MAX_RETRY_MS);
    } while (!this.#leaving && !(await this.#serverIsUp()));
    if (this.#leaving) return;
    if (this.#wasOpen) return location.reload();
    if (++this.#refused === REFUSALS) {
      console.warn(
        "webagent: the server is up but does not take this page, which may be an old copy, " +
          "kept by a service worker or a cache; saves do not reach it",
      );
    }
    this.#connect();
  }

  async #serverIsUp(): Promise<boolean> {
    try {
      return (await fetch(this.#probe, { method: "HEAD", cache: "no-store" })).ok;
    } catch {
      return false;
    }
  }
}

/** One id for this tab, kept over its navigations. */
function pageId(): string {
  const key = "webagent-page-id";
  try {
    const known = sessionStorage.getItem(key);
    if (known) return known;
    const id = crypto.randomUUID();
    sessionStorage.setItem(key, id);
    return id;
  } catch {
    return crypto.randomUUID();
  }
}
