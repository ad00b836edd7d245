/** Findings as Vite shows them: a line in the terminal, an error over the page. */
import type { ErrorPayload } from "vite";
import type { Finding } from "webagent-page/checks";

export const NAME = "vite-plugin-webagent";

/** Lines around the place of an error. */
const AROUND = 2;

/** A finding in one line. */
export function lineOf({ path, span, severity, message, help, rule }: Finding): string {
  return `${path}:${span.start.line}:${span.start.column} ${severity} ${message} - ${help} (${rule})`;
}

/**
 * The errors among findings, for the overlay.
 *
 * @param findings One of them is an error.
 * @param file Path of the manifest.
 */
export function errorOf(findings: Finding[], file: string, text: string): ErrorPayload["err"] {
  const errors = findings.filter(({ severity }) => severity === "error");
  const { line, column } = (errors[0] as Finding).span.start;
  return {
    message: errors.map(({ message, help }) => `${message} - ${help}`).join("\n"),
    stack: "",
    plugin: NAME,
    id: file,
    loc: { file, line, column },
    frame: frame(text, line, column),
  };
}

/** The lines around a place, with a mark below it. */
function frame(text: string, line: number, column: number): string {
  const lines = text.split(/\r\n?|\n/);
  const first = Math.max(1, line - AROUND);
  const width = String(line + AROUND).length;
  return lines
    .slice(first - 1, line + AROUND)
    .flatMap((content, index) => {
      const number = first + index;
      const shown = `${String(number).padStart(width)} | ${content}`;
      return number === line ? [shown, `${" ".repeat(width)} | ${" ".repeat(column - 1)}^`] : [shown];
    })
    .join("\n");
}
