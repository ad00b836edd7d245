/** `inspector.js`: the inspector, a page of the development server for its owner. */
import { h, onSubmit } from "../ui/elements.ts";
import { Address, type Credential, credentialIn, credentialOfAddress } from "./address.ts";
import { ApiClient, ApiError, tokenFor } from "./api_client.ts";
import { ClientsView } from "./clients_view.ts";
import { ManifestView } from "./manifest_view.ts";
import { ModelView } from "./model_view.ts";
import { RunView } from "./run_view.ts";
import { Session } from "./session.ts";
import { InspectorShell, type View } from "./shell.ts";
import { TimelineView } from "./timeline_view.ts";
import { ToolsView } from "./tools_view.ts";

const API = new URL("api/", location.href).href;

let isOpen = false;

async function open({ kind, value }: Credential): Promise<void> {
  try {
    show(kind === "token" ? value : await tokenFor(API, value));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showLogin(error.message);
  }
}

function show(token: string): void {
  isOpen = true;
  const session = new Session(new ApiClient(API, token));
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
    if (connection === "refused") showLogin("That is not the token of the owner of this site, or it was replaced.");
  });
  void session.keepConnected();
}

function view(name: string, title: string, of: Pick<View, "element" | "arrive" | "leave">): View {
  return { name, title, element: of.element, arrive: () => of.arrive(), leave: () => of.leave?.() };
}

function showLogin(why: string): void {
  isOpen = false;
  document.body.replaceChildren(loginForm(why, (credential) => void open(credential)));
  document.getElementById("token")?.focus();
}

/** Open with the credential of the address, or ask for one. */
async function start(): Promise<void> {
  // Its code stays in the address, unused, until nothing can read along.
  if (await isWatched()) {
    // Opened before, the page lets go of the token.
    if (isOpen) location.reload();
    else showWorkers();
    return;
  }
  const credential = credentialOfAddress();
  if (isOpen) return;
  if (credential) await open(credential);
  else showLogin("");
}

/** Whether a service worker sees what this page sends, or may begin to at any time. */
async function isWatched(): Promise<boolean> {
  // Pages without HTTPS on other machines have none.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  return workers !== undefined && (workers.controller !== null || (await workers.getRegistration()) !== undefined);
}

async function removeWorkers(): Promise<void> {
  const found = await navigator.serviceWorker.getRegistrations();
  await Promise.all(found.map((each) => each.unregister()));
  location.reload();
}

function showWorkers(): void {
  const remove = h("button", { type: "button", class: "primary" }, "Remove it and go on");
  remove.addEventListener("click", () => void removeWorkers());
  document.body.replaceChildren(
    h(
      "main",
      { class: "door" },
      h("h1", {}, "webagent inspector"),
      h(
        "p",
        { class: "notice warn", role: "alert" },
        "A service worker is registered for this address, by this site or by another one that was served here before. It could read the token of the owner, so the inspector does not open next to it.",
      ),
      h("p", {}, "The site registers its own again when you load it."),
      remove,
    ),
  );
}

// Pasting the address into this tab changes only the fragment and does not reload the page.
addEventListener("hashchange", () => void start());
// The worker of the site may take over pages that are open already.
(navigator.serviceWorker as ServiceWorkerContainer | undefined)?.addEventListener("controllerchange", () => void start());
void start();

/** A form that asks for the token, with the reason above it. */
export function loginForm(why: string, enter: (credential: Credential) => void): HTMLElement {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-about", required: true });
  const form = h(
    "form",
    { class: "door-form" },
    h("label", { for: "token" }, "Address or token"),
    h("div", { class: "row" }, field, h("button", { type: "submit", class: "primary" }, "Open")),
  );
  onSubmit(form, () => {
    const credential = credentialIn(field.value);
    if (credential) enter(credential);
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
      " in the site’s folder: it prints an address that opens this page once, and a token that can be pasted here. The token is kept in this tab’s memory alone, so a reload asks again.",
    ),
    form,
  );
}
