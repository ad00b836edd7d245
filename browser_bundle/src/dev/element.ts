/** Builds elements from text alone: nothing that a file or a page says becomes markup. */
export function element(
  name: string,
  className: string,
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A host with a shadow root of its own, so that the site's styles and ours never meet. */
export function shadowHost(name: string, css: string): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement(name);
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  return { host, root };
}
