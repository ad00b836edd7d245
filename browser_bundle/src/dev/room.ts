/** Leaves the panel its room: what it covers would not be seen. */

/** Keep an element that fills the window beside or above the panel; returns what ends it. */
export function leaveRoom(element: HTMLElement): () => void {
  let watched: Element | null = null;
  const sizes = new ResizeObserver(() => place());
  const place = () => {
    const panel = document.querySelector("webagent-panel");
    element.style.inset = panel ? insetBeside(panel.getBoundingClientRect()) : "0";
    if (panel === watched) return;
    sizes.disconnect();
    watched = panel;
    if (panel) sizes.observe(panel);
  };
  const coming = new MutationObserver(place);
  coming.observe(document.documentElement, { childList: true });
  addEventListener("resize", place);
  place();
  return () => {
    sizes.disconnect();
    coming.disconnect();
    removeEventListener("resize", place);
  };
}

function insetBeside({ left, right, top, width, height }: DOMRect): string {
  // On a phone it takes the whole width, and minimised a strip at the lower edge.
  if (width > innerWidth / 2 || height < 80) return `0 0 ${Math.ceil(innerHeight - top)}px 0`;
  const side = left > innerWidth - right ? 0 : Math.ceil(right);
  return `0 ${side ? 0 : Math.ceil(innerWidth - left)}px 0 ${side}px`;
}
