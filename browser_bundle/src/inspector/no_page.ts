/** What is shown while no page of the site is open. */
import { h } from "../ui/elements.ts";
import { empty } from "../ui/widgets.ts";
import type { Session } from "./session.ts";

export function noPage(session: Session): HTMLElement {
  const url = session.server?.url ?? location.origin;
  return empty(
    "No page of the site is open.",
    h(
      "p",
      {},
      "Open ",
      h("a", { href: url, target: "_blank", rel: "noopener" }, url),
      " in another tab; it appears here by itself.",
    ),
  );
}
