/** The page's one socket to the development server. */
import { ASSETS } from "../boot/assets.ts";
import { parseServerMessage, type PageMessage, type ServerMessage } from "../messages.ts";

const RETRY_MS = 300;
const MAX_RETRY_MS = 5000;

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
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
    else this.#waiting.push(message);
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wasOpen = true;
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
      url: location.href,
      title: document.title,
      focused: document.hasFocus(),
      version: ASSETS.version,
    };
  }

  async #awaitServer(): Promise<void> {
    for (let wait = RETRY_MS; !this.#leaving; wait = Math.min(wait * 1.5, MAX_RETRY_MS)) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (!(await this.#serverIsUp())) continue;
      if (this.#wasOpen) location.reload();
      else this.#connect();
      return;
    }
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
