/** Replaces changed stylesheets in place, which keeps the page's state. */

/** Stylesheets that are loading, by the one that each will replace. */
const pending = new Map<HTMLLinkElement, HTMLLinkElement>();

/**
 * Reload the stylesheet at `path` wherever the page, its frames or shadow roots link to it.
 *
 * A loaded stylesheet without a link was imported by another one; then the page reloads.
 */
export function swapStylesheets(path: string): void {
  const { href, pathname } = new URL(path, location.href);
  const loading = new Set(pending.values());
  const views = [...windows(window)];
  const links = views
    .flatMap((view) => [...sheets(view.document)])
    .filter((link) => !loading.has(link) && pathOf(link.href) === pathname);
  for (const link of links) swap(link);
  const loaded = (view: Window) =>
    view.performance.getEntriesByType("resource").some(({ name }) => name.split("?")[0] === href);
  if (links.length === 0 && views.some(loaded)) location.reload();
}

/** A window and its frames of this origin. */
function* windows(view: Window): Generator<Window> {
  try {
    void view.document.body;
  } catch {
    return;
  }
  yield view;
  for (let i = 0; i < view.length; i++) yield* windows(view[i] as Window);
}

/** The stylesheet links of a document or shadow root, and of the open shadow roots in it. */
function* sheets(root: Document | ShadowRoot): Generator<HTMLLinkElement> {
  yield* root.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet" i][href]');
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) yield* sheets(element.shadowRoot);
  }
}

/** Path of an address of this origin; undefined for other addresses and for invalid ones. */
function pathOf(href: string): string | undefined {
  try {
    const url = new URL(href);
    return url.origin === location.origin ? url.pathname : undefined;
  } catch {
    return undefined;
  }
}

function swap(link: HTMLLinkElement): void {
  pending.get(link)?.remove();
  const url = new URL(link.href);
  url.searchParams.set("webagent-v", Date.now().toString(36));
  const next = link.cloneNode() as HTMLLinkElement;
  next.href = url.href;
  pending.set(link, next);
  const settle = () => {
    if (pending.get(link) !== next) return;
    pending.delete(link);
    link.remove();
  };
  next.addEventListener("load", settle, { once: true });
  next.addEventListener("error", settle, { once: true });
  // The old one stays until the new one is loaded, to avoid a flash of the unstyled page.
  link.after(next);
}
