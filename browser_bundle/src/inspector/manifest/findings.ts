/** What the checks say about the manifest; each leads to its line. */
import { button, h, words } from "../../ui/elements.ts";
import { copyButton } from "../../ui/widgets.ts";
import { brief } from "../../ui/display_text.ts";
import type { Finding } from "../api_types.ts";

/** Findings that are shown; whoever has more mends these first. */
const MOST = 300;

export function findingsList(findings: readonly Finding[], jump: (line: number, column: number) => void): HTMLElement {
  const items = findings.slice(0, MOST).map((finding) => item(finding, jump));
  if (findings.length > MOST) items.push(h("li", { class: "quiet" }, `and ${findings.length - MOST} more`));
  return h("ul", { class: "findings" }, ...items);
}

function item({ rule, severity, message, help, span, tool, fix }: Finding, jump: (line: number, column: number) => void): HTMLElement {
  const { line, column } = span.start;
  return h(
    "li",
    { class: `finding ${severity}` },
    h(
      "p",
      { class: "finding-head" },
      h("strong", { class: severity }, severity),
      " ",
      button("link", `line ${line}, column ${column}`, () => jump(line, column)),
      tool && h("span", { class: "quiet" }, " in ", h("code", { dir: "auto" }, brief(tool, 100))),
    ),
    h("p", { dir: "auto" }, ...words(brief(message, 2000))),
    help && h("p", { class: "quiet", dir: "auto" }, ...words(brief(help, 2000))),
    fix && h("p", { class: "quiet" }, h("code", {}, "webagent-dev check --fix"), " can mend it: ", ...words(brief(fix.title, 300))),
    h("p", { class: "quiet row" }, h("code", {}, `webagent-dev explain ${rule}`), copyButton(() => `webagent-dev explain ${rule}`)),
  );
}
