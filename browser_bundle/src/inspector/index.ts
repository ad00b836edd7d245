/** The inspector: a page of the development server for whoever runs it. */
import { Api } from "./api.ts";
import { door, tokenOfAddress } from "./door.ts";
import { Places } from "./places.ts";
import { Session } from "./session.ts";
import { Shell } from "./shell.ts";
import { ToolsView } from "./tools/view.ts";

function open(token: string): void {
  const session = new Session(new Api(new URL("api/", location.href).href, token));
  const places = new Places();
  const tools = new ToolsView(session, places);
  const views = [{ name: "tools", title: "Tools", element: tools.element, arrive: () => tools.arrive() }];
  const shell = new Shell(session, places, views);
  document.body.replaceChildren(shell.element);
  session.on("connection", (connection) => {
    if (connection === "refused") ask(session.trouble?.message ?? "");
  });
  void session.stay();
}

function ask(why: string): void {
  document.body.replaceChildren(door(why, open));
  document.getElementById("token")?.focus();
}

const token = tokenOfAddress();
if (token) open(token);
else ask("");
