/** Swaps stylesheets in place, so that a change of style keeps the page's state. */

const SHEETS = 'link[rel~="stylesheet" i][href]';

/** The one that is loading, by the one that it will replace. */
const pending = new Map<HTMLLinkElement, HTMLLinkElement>();

/**
 * Load the stylesheet at `path` anew wherever the page, or a frame of it, links to it.
 *
 * One that no link names may be imported by another, so then all of this origin's are loaded anew.
 */
export function swapStylesheets(path: string): void {
  const loading = new Set(pending.values());
  const own = [...documents(window)]
    .flatMap((page) => [...page.querySelectorAll<HTMLLinkElement>(SHEETS)])
    .filter((link) => !loading.has(link) && new URL(link.href).origin === location.origin);
  const { pathname } = new URL(path, location.href);
  const named = own.filter((link) => new URL(link.href).pathname === pathname);
  for (const link of named.length ? named : own) swap(link);
}

/** The documents of a window and of its frames, as far as they are of this origin. */
function* documents(view: Window): Generator<Document> {
  try {
    yield view.document;
  } catch {
    return;
  }
  for (let i = 0; i < view.length; i++) yield* documents(view[i] as Window);
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
  // The old one stays until the new one is there: no flash of an unstyled page.
  link.after(next);
}
