/** The realm of a window, which holds the tools: its built-ins create the objects that the page sees. */
export type Realm = Window & typeof globalThis;

/** The window if this document may access it, else null. */
export function reachable(target: Window): Realm | null {
  try {
    void target.document;
    return target as Realm;
  } catch {
    return null;
  }
}

/** All windows of the tab's frame tree, parents before children. */
export function* windowsOf(realm: Realm): Generator<Window> {
  const waiting: Window[] = realm.top ? [realm.top] : [];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    yield next;
    waiting.unshift(...[...Array(next.length).keys()].map((index) => next[index] as Window));
  }
}

/** The origin as tools and messages name it: `"null"` when it is opaque. */
export function originOf(realm: Realm): string {
  return realm.location.protocol === "file:" ? "file://" : realm.origin;
}

/** Whether `document.domain` opens the document to other origins, so that its own no longer protects it. */
export function hasOpenDomain(realm: Realm): boolean {
  if (realm.originAgentCluster !== false || realm.location.protocol === "file:") return false;
  // Chromium lets it be set where the site has asked for that; others everywhere: there it counts
  // what it has been set to.
  const { domain } = realm.document;
  return "userAgentData" in realm.navigator || (!!domain && !realm.origin.includes(`/${domain}`));
}

/** The origin in a text; null if it is opaque or invalid. */
export function namedOrigin(text: string): string | null {
  const url = parse(text);
  if (url?.protocol === "file:") return "file://";
  return !url || url.origin === "null" ? null : url.origin;
}

/** The origin that the text names, or null if it could be spoofed on the network. */
export function trustworthyOrigin(text: string): string | null {
  const { protocol, hostname } = parse(text) ?? { protocol: "", hostname: "" };
  const isLocal =
    /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname) && /^(http|ws):$/.test(protocol);
  return isLocal || /^(https|wss|file|[a-z]+-extension):$/.test(protocol)
    ? namedOrigin(text)
    : null;
}

function parse(text: string): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === "blob:" ? parse(url.origin) : url;
  } catch {
    return null;
  }
}

/** Runs tasks of a realm in order, after the current code. */
export class TaskQueue {
  readonly #tasks: (() => void)[] = [];
  readonly #endings: (() => void)[] = [];
  readonly #port: MessagePort;

  constructor(realm: Realm) {
    const { port1, port2 } = new realm.MessageChannel();
    port1.addEventListener("message", () => this.#tasks.shift()?.());
    port1.addEventListener("message", () => {
      for (const ending of this.#endings.splice(0)) ending();
    });
    port1.start();
    this.#port = port2;
  }

  add(task: () => void): void {
    this.#tasks.push(task);
    this.#port.postMessage(0);
  }

  /** Run at the end of the current task, after its promise reactions. */
  addEnding(ending: () => void): void {
    this.#endings.push(ending);
  }
}
