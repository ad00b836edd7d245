/** In the page, in development: takes a manifest that was saved. */
import type { ViteHotContext } from "vite/types/hot.js";
import type {} from "webagent-page";
import { NAME } from "./reports.js";

/** A manifest, and its path in the site. */
interface Manifest {
  text: string;
  path: string;
}

/** A member of the agent for scripts of its own bundle. */
interface Agent {
  replaceManifest(manifest: Manifest): void;
}

/** Follow the manifest of the site. */
export function follow(hot: ViteHotContext | undefined): void {
  if (!hot) return;
  hot.on("webagent:manifest", (manifest: Manifest) => {
    if (Object.hasOwn(window, "webagent")) (webagent as unknown as Agent).replaceManifest(manifest);
    // If it still has errors, they follow.
    for (const overlay of document.querySelectorAll("vite-error-overlay")) {
      if (overlay.shadowRoot?.querySelector(".plugin")?.textContent?.includes(NAME)) overlay.remove();
    }
  });
  hot.send("webagent:open");
}
