/** The connection to the server: its state, the open pages and the timeline's entries. */
import { ApiError, type ApiClient, type StreamEvent } from "./api_client.ts";
import type { Entry, Page, ServerState } from "./api_types.ts";

type Connection = "connecting" | "connected" | "lost" | "refused";

/** Events of the session, by name. */
interface SessionEvents {
  /** The state of the connection, or the server, has changed. */
  connection: Connection;
  /** The list of pages, or one of them, has changed. */
  pages: readonly Page[];
  /** Another page was chosen, or it shows another document. */
  page: Page | undefined;
  /** A new entry of the timeline. */
  entry: Entry;
  /** The manifest or its findings have changed. */
  manifest: number;
}

type Listeners = { [Name in keyof SessionEvents]: ((detail: SessionEvents[Name]) => void)[] };

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 4000;
/** Longest time that a server takes to stop. */
const ENDING_MS = 1000;

/** In place of a page's id: the page that has the focus. */
export const FOCUSED = "focused";

export class Session {
  readonly api: ApiClient;
  connection: Connection = "connecting";
  server: ServerState | undefined;
  pages: readonly Page[] = [];
  /** Why there is no connection. */
  trouble: ApiError | undefined;
  #chosen = FOCUSED;
  /** The last shown page; it stays while no page has the focus. */
  #last = "";
  #reportedPage = "";
  #emptying: ReturnType<typeof setTimeout> | undefined;
  #seq = 0;
  #listeners: Listeners = { connection: [], pages: [], page: [], entry: [], manifest: [] };
  #wake: () => void = () => {};

  constructor(api: ApiClient) {
    this.api = api;
  }

  on<Name extends keyof SessionEvents>(name: Name, listener: (detail: SessionEvents[Name]) => void): void {
    this.#listeners[name].push(listener);
  }

  /** Id of the chosen page, or `focused`. */
  get chosen(): string {
    return this.#chosen;
  }

  /** Choose a page by its id, or `focused`. */
  choose(id: string): void {
    this.#chosen = id;
    this.#emitPage();
  }

  /** The page that is shown. */
  get page(): Page | undefined {
    const by = (id: string) => this.pages.find(({ page_id }) => page_id === id);
    if (this.#chosen !== FOCUSED) return by(this.#chosen);
    return this.pages.find(({ focused }) => focused) ?? by(this.#last) ?? this.pages[0];
  }

  /** Connect, and reconnect whenever the connection is lost; ends when the token is refused. */
  async keepConnected(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await this.#connect();
        wait = FIRST_WAIT_MS;
        await this.api.stream(`events?after=${this.#seq}`, (event) => this.#handle(event));
        this.#setLost(new ApiError(0, "no_server", "the server ended the connection - it may be starting again"));
      } catch (thrown) {
        if (thrown instanceof ApiError && (thrown.status === 401 || thrown.status === 403)) {
          this.#setConnection("refused", thrown);
          return;
        }
        this.#setLost(thrown);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, wait);
      });
    }
  }

  /** Reconnect now. */
  retry(): void {
    this.#wake();
  }

  async #connect(): Promise<void> {
    const server = await this.api.get<ServerState>("state");
    // A different server counts its entries from the start.
    if (this.server && this.server.started !== server.started) this.#seq = 0;
    this.server = server;
    this.#setConnection("connected", undefined);
    this.#setPages(server.pages);
    this.#emit("manifest", -1);
  }

  #handle({ name, data }: StreamEvent): void {
    let detail: unknown;
    try {
      detail = JSON.parse(data);
    } catch {
      return;
    }
    if (name === "entry") {
      const entry = detail as Entry;
      this.#seq = Math.max(this.#seq, entry.seq);
      this.#emit("entry", { ...entry, size: data.length });
    } else if (name === "pages") {
      const pages = detail as Page[];
      clearTimeout(this.#emptying);
      // A stopping server first reports that it has no pages, though they are still open.
      if (pages.length > 0) this.#setPages(pages);
      else this.#emptying = setTimeout(() => this.connection === "connected" && this.#setPages(pages), ENDING_MS);
    } else if (name === "manifest") {
      this.#emit("manifest", (detail as { revision: number }).revision);
    }
  }

  #setPages(pages: Page[]): void {
    this.pages = pages;
    this.#emit("pages", pages);
    this.#emitPage();
  }

  #emitPage(): void {
    const { page } = this;
    this.#last = page?.page_id ?? this.#last;
    const key = page ? `${page.page_id} ${page.document_id}` : "";
    if (key === this.#reportedPage) return;
    this.#reportedPage = key;
    this.#emit("page", page);
  }

  #setLost(thrown: unknown): void {
    const trouble = thrown instanceof ApiError ? thrown : new ApiError(0, "internal", String(thrown));
    this.#setConnection("lost", trouble);
  }

  #setConnection(connection: Connection, trouble: ApiError | undefined): void {
    this.connection = connection;
    this.trouble = trouble;
    this.#emit("connection", connection);
  }

  #emit<Name extends keyof SessionEvents>(name: Name, detail: SessionEvents[Name]): void {
    for (const listener of this.#listeners[name]) listener(detail);
  }
}
