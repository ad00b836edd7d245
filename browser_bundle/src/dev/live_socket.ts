/** The page's only socket to the development server. */
import { parseServerMessage, type PageMessage, type ServerMessage } from "../live/messages.ts";

const RETRY_MS = 300;
const MAX_RETRY_MS = 10_000;
/** Messages that are queued while there is no connection. */
const MOST_WAITING = 200;
/** Longer texts do not help people, and the server limits the size of messages. */
const MAX_TEXT = 2000;
/** How often a running server may refuse the page before it logs a warning and retries more slowly. */
const REFUSALS = 3;

/**
 * Reconnects, and reports the last message it has seen, so that the server repeats what was missed:
 * since the page was made, while the machine slept, or while the page was in the back/forward cache.
 * A restarted server has a new token and refuses older pages, so the page reloads. If the socket has
 * never opened, as behind a proxy that blocks it, the page reloads only once.
 */
export class LiveSocket {
  onmessage: (message: ServerMessage) => void = () => {};
  /** Called each time that the connection is open, after the greeting. */
  onopen: () => void = () => {};
  /** Called when the page is left, before the connection is closed. */
  onleave: () => void = () => {};
  #url: URL;
  #made: string | null;
  #probe: string;
  #socket: WebSocket | undefined;
  #waiting: PageMessage[] = [];
  #leaving = false;
  #wasOpen = false;
  #wait = RETRY_MS;
  #refused = 0;
  #version: string;
  #documentId = crypto.randomUUID();

  /**
   * @param url The socket's address, token included.
   * @param probe A file of the server, requested to find out whether it is up.
   * @param version Version of the page's scripts.
   */
  constructor(url: string, probe: string, version: string) {
    this.#version = version;
    this.#url = new URL(url.replace(/^http/, "ws"));
    this.#made = this.#url.searchParams.get("seen");
    this.#probe = probe;
    addEventListener("pagehide", () => {
      // An open socket would keep the page out of the back/forward cache.
      this.#leaving = true;
      this.onleave();
      this.#socket?.close();
    });
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      this.#leaving = false;
      this.#connect();
    });
    this.#connect();
  }

  /** Send now, or as soon as the connection is open; of a long queue only the latest messages. */
  send(message: PageMessage): void {
    if (message.type === "error") message.message = message.message.slice(0, MAX_TEXT);
    if (this.#isOpen) this.#socket?.send(JSON.stringify(message));
    else if (this.#waiting.push(message) > MOST_WAITING) this.#waiting.shift();
  }

  /** Send the identity of this page again, if there is a connection. */
  greet(): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(this.#hello()));
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    let opened = false;
    socket.addEventListener("open", () => {
      this.#wasOpen = opened = true;
      this.#wait = RETRY_MS;
      socket.send(JSON.stringify(this.#hello()));
      for (const message of this.#waiting.splice(0)) socket.send(JSON.stringify(message));
      this.onopen();
    });
    socket.addEventListener("message", (event: MessageEvent<string>) => {
      const message = parseServerMessage(event.data);
      if (!message) return;
      if (message.seq !== undefined) this.#url.searchParams.set("seen", String(message.seq));
      if (message.type === "reload" && message.seq === undefined && this.#isOldCopy()) return;
      this.onmessage(message);
    });
    socket.addEventListener("close", () => {
      // A socket that was replaced meanwhile is ignored.
      if (!this.#leaving && socket === this.#socket) void this.#awaitServer(opened);
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
      version: this.#version,
    };
  }

  /**
   * Whether the page has reloaded for what it missed and is the same old copy again, as a service
   * worker may serve forever.
   */
  #isOldCopy(): boolean {
    const key = "webagent-loaded-for";
    try {
      const mark = `${location.href} ${this.#made}`;
      if (sessionStorage.getItem(key) === mark) return true;
      sessionStorage.setItem(key, mark);
    } catch {
      // Without storage the reload is not remembered.
    }
    return false;
  }

  /** @param wasTaken Whether the server had accepted the lost connection. */
  async #awaitServer(wasTaken: boolean): Promise<void> {
    const socket = this.#socket;
    do {
      await new Promise((resolve) => setTimeout(resolve, this.#wait));
      this.#wait = Math.min(this.#wait * 1.5, MAX_RETRY_MS);
    } while (!this.#leaving && !(await this.#serverIsUp()));
    if (this.#leaving || socket !== this.#socket) return;
    if (wasTaken) return this.#connect();
    if (this.#wasOpen || !this.#isOldCopy()) return location.reload();
    if (++this.#refused === REFUSALS) {
      console.warn(
        "webagent: the server does not accept this page, perhaps an old copy of a service worker or cache; " +
          "saves do not reach it",
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

/** The id of this tab, kept over its navigations. */
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
