/** The window that tools are installed in; its built-ins make the objects that its page sees. */
export type Realm = Window & typeof globalThis;

/** The window when this document may touch it, else null. */
export function reachable(target: Window): Realm | null {
  try {
    void target.document;
    return target as Realm;
  } catch {
    return null;
  }
}

/** Every window of the tab's tree of frames, parents before children. */
export function* windowsOf(realm: Realm): Generator<Window> {
  const waiting: Window[] = realm.top ? [realm.top] : [];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    yield next;
    waiting.unshift(...Array.from({ length: next.length }, (_, index) => next[index] as Window));
  }
}

/** The origin as tools and messages name it: `"null"` when it is opaque. */
export function originOf(realm: Realm): string {
  return realm.location.protocol === "file:" ? "file://" : realm.origin;
}

/** Whether `document.domain` opens the document to other origins, so that its own guards nothing. */
export function hasOpenDomain(realm: Realm): boolean {
  if (realm.originAgentCluster !== false || realm.location.protocol === "file:") return false;
  // Chromium lets it be set where the site has asked for that; others everywhere: there it counts
  // what it has been set to.
  const { domain } = realm.document;
  return "userAgentData" in realm.navigator || (!!domain && !realm.origin.includes(`/${domain}`));
}
