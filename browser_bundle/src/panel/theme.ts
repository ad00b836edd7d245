/** Whether the panel is light or dark: as the page is, or as the person's system asks. */

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page around is dark. */
export function isDark(): boolean {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const light = /\blight\b/.test(scheme);
  const dark = /\bdark\b/.test(scheme);
  return light === dark ? DARK.matches : dark;
}

/** Call `listener` when that may have changed; returns what ends it. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  // Sites switch their scheme by a class, an attribute or a style of the root, or a meta tag.
  observer.observe(document.documentElement, { attributes: true });
  for (const meta of document.querySelectorAll('meta[name="color-scheme" i]')) {
    observer.observe(meta, { attributes: true });
  }
  DARK.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    DARK.removeEventListener("change", listener);
  };
}
