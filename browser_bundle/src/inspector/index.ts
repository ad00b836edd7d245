/** `inspector.js`: the inspector, a page of the development server for its owner. */
import { h, onSubmit } from "../ui/elements.ts";
import { Address, tokenIn, tokenOfAddress } from "./address.ts";
import { ApiClient } from "./api_client.ts";
import { ClientsView } from "./clients_view.ts";
import { ManifestView } from "./manifest_view.ts";
import { ModelView } from "./model_view.ts";
import { RunView } from "./run_view.ts";
import { Session } from "./session.ts";
import { InspectorShell, type View } from "./shell.ts";
import { TimelineView } from "./timeline_view.ts";
import { ToolsView } from "./tools_view.ts";

let isOpen = false;

function open(token: string): void {
  isOpen = true;
  const session = new Session(new ApiClient(new URL("api/", location.href).href, token));
  const address = new Address();
  const tools = new ToolsView(session, address);
  const timeline = new TimelineView(session, {
    open: (name, given) => {
      address.view = "tools";
      tools.open(name, given);
      shell.show();
    },
  });
  const shell: InspectorShell = new InspectorShell(session, address, [
    view("tools", "Tools", tools),
    view("manifest", "Manifest", new ManifestView(session)),
    view("model", "Model", new ModelView(session)),
    view("timeline", "Timeline", timeline),
    view("run", "Run", new RunView(session, (asks) => shell.mark("run", asks))),
    view("doors", "Doors", new ClientsView(session)),
  ]);
  document.body.replaceChildren(shell.element);
  session.on("connection", (connection) => {
    if (connection === "refused") showLogin("That is not the token of the owner of this site.");
  });
  void session.keepConnected();
}

function view(name: string, title: string, of: Pick<View, "element" | "arrive" | "leave">): View {
  return { name, title, element: of.element, arrive: () => of.arrive(), leave: () => of.leave?.() };
}

function showLogin(why: string): void {
  isOpen = false;
  document.body.replaceChildren(loginForm(why, open));
  document.getElementById("token")?.focus();
}

/** Open with the token of the address; without one nothing changes. */
function openFromAddress(): boolean {
  const token = tokenOfAddress();
  if (token && !isOpen) open(token);
  return token !== "";
}

// Pasting the address into this tab changes only the fragment and does not reload the page.
addEventListener("hashchange", openFromAddress);
if (!openFromAddress()) showLogin("");

/** A form that asks for the token, with the reason above it. */
export function loginForm(why: string, enter: (token: string) => void): HTMLElement {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-about", required: true });
  const form = h(
    "form",
    { class: "door-form" },
    h("label", { for: "token" }, "Address or token"),
    h("div", { class: "row" }, field, h("button", { type: "submit", class: "primary" }, "Open")),
  );
  onSubmit(form, () => {
    const token = tokenIn(field.value);
    if (token) enter(token);
  });
  return h(
    "main",
    { class: "door" },
    h("h1", {}, "webagent inspector"),
    why && h("p", { class: "notice warn", role: "alert" }, why),
    h(
      "p",
      { id: "token-about" },
      "Only the person who runs the server may look inside. Run ",
      h("code", {}, "webagent-dev token"),
      " in the site’s folder: it prints an address to open, with a token that can also be pasted here. The token is kept in this tab’s memory alone, so a reload asks again.",
    ),
    form,
  );
}
