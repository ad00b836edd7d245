/** What a page does only in development: hear the server, show findings and the start. */
import type { WebAgent } from "../agent.ts";
import type { ServerMessage } from "../messages.ts";
import type { Options } from "../options.ts";
import { LiveSocket } from "./live.ts";
import { Overlay } from "./overlay.ts";
import { StatusPill } from "./status.ts";
import { swapStylesheets } from "./styles.ts";

export function startDevelopment(agent: WebAgent, options: Options): void {
  if (options.live === null) return;
  const overlay = new Overlay();
  const status = new StatusPill();
  const socket = new LiveSocket(options.live, new URL("webagent.js", options.base).href);

  socket.onmessage = (message) => receive(message, agent, overlay);

  agent.addEventListener("progress", (event) => {
    if (agent.state === "starting") status.progress((event as CustomEvent).detail);
  });
  agent.addEventListener("ready", () => status.ready());
  agent.addEventListener("error", (event) => {
    const { phase, message } = (event as CustomEvent).detail;
    status.failed(phase === "start" ? "The agent did not start" : "No manifest", message);
    console.error(`webagent: ${message}`);
    socket.send({ v: 1, type: "error", phase, message });
  });
  // The start may have failed before this module arrived.
  if (agent.state === "failed") {
    agent.ready.catch((thrown: Error) => {
      status.failed("The agent did not start", thrown.message);
      socket.send({ v: 1, type: "error", phase: "start", message: thrown.message });
    });
  }
}

function receive(message: ServerMessage, agent: WebAgent, overlay: Overlay): void {
  switch (message.type) {
    case "hello":
      break;
    case "findings":
      agent.replaceFindings(message.findings);
      overlay.show(message.findings, message.lines);
      break;
    case "manifest":
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
