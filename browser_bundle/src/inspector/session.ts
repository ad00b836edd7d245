/** The connection to the server: which pages are open, what happens, and whether it is there. */
import { ApiError, type ApiClient, type StreamEvent } from "./api_client.ts";
import type { Entry, Page, ServerState } from "./api_types.ts";

type Connection = "connecting" | "connected" | "lost" | "refused";

/** What the session tells, by the name of the event. */
interface SessionEvents {
  /** The connection is another, or the server is. */
  connection: Connection;
  /** The list of pages, or something about one of them, changed. */
  pages: readonly Page[];
  /** Another page is looked at, or another document is in it. */
  page: Page | undefined;
  /** Something happened. */
  entry: Entry;
  /** There is another manifest, or there are other findings. */
  manifest: number;
}

type Listeners = { [Name in keyof SessionEvents]: ((detail: SessionEvents[Name]) => void)[] };

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 4000;
/** How long a server takes to end, at most. */
const ENDING_MS = 1000;

/** Stands for whichever page has the focus. */
export const FOCUSED = "focused";

export class Session {
  readonly api: ApiClient;
  connection: Connection = "connecting";
  server: ServerState | undefined;
  pages: readonly Page[] = [];
  /** Why the connection is not there. */
  trouble: ApiError | undefined;
  #chosen = FOCUSED;
  /** The page that was looked at last; it stays while none has the focus. */
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

  /** Id of the page that was chosen, or `focused`. */
  get chosen(): string {
    return this.#chosen;
  }

  /** Look at a page, or at whichever has the focus. */
  choose(id: string): void {
    this.#chosen = id;
    this.#emitPage();
  }

  /** The page that is looked at. */
  get page(): Page | undefined {
    const by = (id: string) => this.pages.find(({ page_id }) => page_id === id);
    if (this.#chosen !== FOCUSED) return by(this.#chosen);
    return this.pages.find(({ focused }) => focused) ?? by(this.#last) ?? this.pages[0];
  }

  /** Connect, and again whenever the connection is lost; ends when the token is refused. */
  async stay(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await this.#connect();
        wait = FIRST_WAIT_MS;
        await this.api.stream(`events?after=${this.#seq}`, (event) => this.#handle(event));
        this.#lose(new ApiError(0, "no_server", "the server ended the connection - it may be starting again"));
      } catch (thrown) {
        if (thrown instanceof ApiError && (thrown.status === 401 || thrown.status === 403)) {
          this.#is("refused", thrown);
          return;
        }
        this.#lose(thrown);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, wait);
      });
    }
  }

  /** Try again now. */
  retry(): void {
    this.#wake();
  }

  async #connect(): Promise<void> {
    const server = await this.api.get<ServerState>("state");
    // Another server counts its entries from the start.
    if (this.server && this.server.started !== server.started) this.#seq = 0;
    this.server = server;
    this.#is("connected", undefined);
    this.#takePages(server.pages);
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
      // A server that ends loses its pages first; they may be there all the same.
      if (pages.length > 0) this.#takePages(pages);
      else this.#emptying = setTimeout(() => this.connection === "connected" && this.#takePages(pages), ENDING_MS);
    } else if (name === "manifest") {
      this.#emit("manifest", (detail as { revision: number }).revision);
    }
  }

  #takePages(pages: Page[]): void {
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

  #lose(thrown: unknown): void {
    const trouble = thrown instanceof ApiError ? thrown : new ApiError(0, "internal", String(thrown));
    this.#is("lost", trouble);
  }

  #is(connection: Connection, trouble: ApiError | undefined): void {
    this.connection = connection;
    this.trouble = trouble;
    this.#emit("connection", connection);
  }

  #emit<Name extends keyof SessionEvents>(name: Name, detail: SessionEvents[Name]): void {
    for (const listener of this.#listeners[name]) listener(detail);
  }
}
