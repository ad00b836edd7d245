/** `dev.js`, in development only: connects to the server, shows findings and the progress of the start. */
import type { Problem } from "../base/errors.ts";
import { logsOf } from "../logs/log_entries.ts";
import type { Options } from "../page/options.ts";
import type { WebAgent } from "../page/webagent.ts";
import { DriftWatch } from "./drift_watch.ts";
import { LiveSocket } from "./live_socket.ts";
import { editorOpener, Overlay } from "./overlay.ts";
import { Relay } from "./relay.ts";
import type { ServerMessage } from "./server_messages.ts";
import { StatusPill } from "./status_pill.ts";
import { swapStylesheets } from "./stylesheets.ts";

/** Drift findings that are sent to the server; messages have a size limit. */
const MOST_SENT = 50;

export function startDevelopment(agent: WebAgent, options: Options): void {
  if (options.live === null) return;
  const overlay = options.overlay ? new Overlay(editorOpener(options.live)) : undefined;
  const status = new StatusPill();
  const socket = new LiveSocket(options.live, new URL("webagent.js", options.base).href, agent.version);

  const relay = new Relay(agent, socket);

  socket.onmessage = (message) => {
    if (!relay.handle(message)) handleMessage(message, agent, overlay);
  };

  logsOf(window)?.listen((entry) => {
    const send = (text: string) => socket.send({ v: 1, type: "log", ...entry, text });
    const masked = agent.masked(entry.text);
    // Without a promise it is sent at once, also while the page is being left.
    if (typeof masked === "string") send(masked);
    else void masked.then(send, () => {});
  });

  new DriftWatch(agent, (findings) => {
    agent.replaceDrift(findings);
    const sent = findings.slice(0, MOST_SENT);
    socket.send({ v: 1, type: "drift", path: location.pathname, findings: sent });
  });

  agent.addEventListener("progress", (event) => {
    if (agent.state === "starting") status.progress((event as CustomEvent).detail);
  });
  agent.addEventListener("ready", () => status.ready());
  const showProblem = ({ phase, message }: Problem) => {
    status.failed(phase === "start" ? "The agent did not start" : "No manifest", message);
    console.error(`webagent: ${message}`);
    socket.send({ v: 1, type: "error", phase, message });
  };
  // Some problems may be older than this script.
  agent.problems.forEach(showProblem);
  agent.addEventListener("error", (event) => showProblem((event as CustomEvent<Problem>).detail));
}

function handleMessage(message: ServerMessage, agent: WebAgent, overlay: Overlay | undefined): void {
  switch (message.type) {
    case "hello":
      break;
    case "findings":
      if (!agent.uses(`/${message.path}`)) break;
      agent.replaceFindings(message.findings);
      overlay?.show(message.findings, message.lines, message.editable);
      break;
    case "manifest":
      if (!agent.uses(message.path)) break;
      agent.replaceManifest({ text: message.text, path: message.path.replace(/^\//, "") });
      break;
    case "css":
      swapStylesheets(message.path);
      break;
    case "reload":
      location.reload();
      break;
  }
}
