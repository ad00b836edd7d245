/** Downloads the transcript of a conversation as a file. */
import type { TranscriptForm } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";
import { textOf } from "./data_view.ts";

const FILES = {
  json: { name: "transcript.json", type: "application/json" },
  markdown: { name: "transcript.md", type: "text/markdown" },
};

/** Download a transcript. */
export function download(text: string, form: TranscriptForm): void {
  const { name, type } = FILES[form];
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A transcript from the panel's own events, for a run whose page is gone. */
export function transcriptOf(events: AgentEvent[], form: TranscriptForm): string {
  if (form === "json") return `${JSON.stringify({ events }, null, 2)}\n`;
  return `${events.map(paragraph).filter(Boolean).join("\n\n")}\n`;
}

function paragraph(event: AgentEvent): string {
  switch (event.type) {
    case "started":
      return event.resumed ? "" : `# ${oneLine(event.goal)}`;
    case "planned":
      return event.plan.text;
    case "step":
      return [
        `## ${oneLine(event.why || event.tool || event.action)}`,
        fenced(`${event.tool || event.action} ${textOf(event.arguments)}`),
        event.error ? event.error.message : event.value == null ? "" : fenced(textOf(event.value)),
      ]
        .filter(Boolean)
        .join("\n\n");
    case "text":
      return event.text;
    case "asked":
      return `> ${oneLine(event.request.text)}`;
    case "answered":
      return `> ${event.yes ? "yes" : "no"} ${oneLine(event.text)}`.trimEnd();
    case "navigating":
      return `→ ${event.url}`;
    case "finished":
      return `**${event.ok ? "finished" : "not finished"}** ${event.text || (event.error?.message ?? "")}`;
    default:
      return "";
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A code block whose fence is longer than any fence in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
