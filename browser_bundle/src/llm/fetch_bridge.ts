/** Requests that Python sends through the page; `BridgeFetch` in `llm/fetch.py` is the other side. */
import { describeThrown } from "../base/errors.ts";

/** Most bytes of a response, and of a request. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Most requests at a time. */
const MAX_OPEN = 32;
/** How long before its end a token is renewed. */
const RENEWAL_MS = 30_000;
const TOKEN_HEADER = "x-webagent-token";

export interface FetchBridge {
  /**
   * Send `{"url", "method", "headers", "body"}`.
   *
   * @param number Identifies the request when it is read and closed.
   * @returns `{"ok": true, "status", "headers"}` or `{"ok": false, "message", "final"}`, where
   *   `final` says that a retry is useless.
   */
  fetch_open(number: number, request: string): Promise<string>;
  /** The next piece: `{"ok": true, "text", "done"}` or `{"ok": false, "message"}`. */
  fetch_read(number: number): Promise<string>;
  /** End a request, finished or not. */
  fetch_close(number: number): void;
}

interface FetchRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}

/** A running request. */
interface OpenRequest {
  abort: AbortController;
  reader?: ReadableStreamDefaultReader<Uint8Array>;
  decoder: TextDecoder;
  left: number;
}

/** @param send Sends requests; by default the page's `fetch` as it was when this script loaded. */
export function createFetchBridge(send: typeof fetch = fetch.bind(globalThis)): FetchBridge {
  const requests = new Map<number, OpenRequest>();
  const authorized = createAuthorizer(send);
  return {
    async fetch_open(number, request) {
      const asked = JSON.parse(request) as FetchRequest;
      const refused = refusal(asked);
      if (requests.size >= MAX_OPEN) return failed(`${MAX_OPEN} requests are already running`);
      if (refused) return failed(refused, true);
      const open: OpenRequest = {
        abort: new AbortController(),
        // A byte order mark is part of the text, which Python decodes.
        decoder: new TextDecoder("utf-8", { ignoreBOM: true }),
        left: MAX_BYTES,
      };
      requests.set(number, open);
      try {
        const answer = await authorized(new URL(asked.url, location.href), {
          method: asked.method,
          headers: asked.headers,
          ...(asked.body ? { body: asked.body } : {}),
          signal: open.abort.signal,
          // Cookies for our own server; a key must not follow a redirect.
          credentials: "same-origin",
          redirect: "error",
          cache: "no-store",
          referrerPolicy: "strict-origin",
        });
        if (answer.body) open.reader = answer.body.getReader();
        const headers = Object.fromEntries(answer.headers);
        return JSON.stringify({ ok: true, status: answer.status, headers });
      } catch (thrown) {
        return failed(why(thrown, asked.url, open.abort.signal));
      }
    },

    async fetch_read(number) {
      const open = requests.get(number);
      if (!open) return failed("the request has ended");
      try {
        for (;;) {
          const piece = await open.reader?.read();
          if (!piece || piece.done) return read(open.decoder.decode(), true);
          open.left -= piece.value.byteLength;
          if (open.left < 0) {
            open.abort.abort();
            return failed(`it is longer than ${MAX_BYTES} bytes`);
          }
          const text = open.decoder.decode(piece.value, { stream: true });
          if (text) return read(text, false);
        }
      } catch (thrown) {
        return failed(open.abort.signal.aborted ? "it was cancelled" : describeThrown(thrown));
      }
    },

    fetch_close(number) {
      requests.get(number)?.abort.abort();
      requests.delete(number);
    },
  };
}

/** A token of this page, as the site's server gives it. */
export interface IssuedToken {
  token: string;
  /** When it ends, in milliseconds since 1970. */
  ends: number;
  /** Mark of the visitor whom the server sees. */
  visitor: string;
}

/** Get a token for this page from its site's own server. */
export async function fetchPageToken(send: typeof fetch, url: string): Promise<IssuedToken> {
  const answer = await send(url, { method: "POST", credentials: "same-origin", redirect: "error", cache: "no-store" });
  if (!answer.ok) throw new Error(`the site gives this page no token: status ${answer.status}`);
  const { token, expires_s: seconds, visitor } = (await answer.json()) as { token: string; expires_s: number; visitor: string };
  return { token, ends: Date.now() + seconds * 1000, visitor };
}

/**
 * Return a `send` that adds the token of this page to requests to its site's own server: to its models, of how
 * tools are used, and of the visitor's assistants.
 * The HTML has no token, since it may be cached.
 */
export function createAuthorizer(send: typeof fetch): (url: URL, init: RequestInit) => Promise<Response> {
  let current: Promise<string> | undefined;
  let ends = 0;
  const renewed = async (url: string): Promise<string> => {
    const issued = await fetchPageToken(send, url);
    ends = issued.ends - RENEWAL_MS;
    return issued.token;
  };
  return async (url, init) => {
    const [, folder] = /^(.*\/__webagent__\/)(?:llm\/|(?:usage|assistants)$)/.exec(url.pathname) ?? [];
    const headers = new Headers(init.headers);
    if (!folder || url.origin !== location.origin || headers.has(TOKEN_HEADER)) return send(url, init);
    for (let again = false; ; again = true) {
      if (again || Date.now() >= ends) {
        ends = Infinity;
        current = renewed(`${folder}llm/token`);
        current.catch(() => (ends = 0));
      }
      headers.set(TOKEN_HEADER, (await current) ?? "");
      const answer = await send(url, { ...init, headers });
      // The visitor may have logged in or out since, or the server has started anew.
      if (answer.status !== 403 || again) return answer;
    }
  };
}

/** Why a request is refused without being sent. */
function refusal(asked: FetchRequest): string | undefined {
  if (asked.body.length > MAX_BYTES) return `the request is longer than ${MAX_BYTES} bytes`;
  if (!URL.canParse(asked.url, location.href)) return "this is not an address";
  const { protocol } = new URL(asked.url, location.href);
  return /^https?:$/.test(protocol) ? undefined : `\`${protocol}\` is not a protocol of servers`;
}

/** Browsers hide why a request to another origin failed, so likely reasons are listed. */
function why(thrown: unknown, url: string, signal: AbortSignal): string {
  if (signal.aborted) return "it was cancelled";
  const reason = describeThrown(thrown);
  if (new URL(url, location.href).origin === location.origin) return reason;
  return (
    `${reason}; perhaps it does not allow pages of \`${location.origin}\` (CORS), it redirects, or ` +
    "the Content-Security-Policy of this page does not name it in `connect-src`"
  );
}

function read(text: string, done: boolean): string {
  return JSON.stringify({ ok: true, text, done });
}

function failed(message: string, final = false): string {
  return JSON.stringify({ ok: false, message, final });
}
