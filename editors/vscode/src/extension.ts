/** The extension: the language server, the tree of tools, and the commands. */
import * as vscode from "vscode";
import { callTool } from "./call.ts";
import { findCommand, LanguageServer } from "./language_server.ts";
import { folderOf, type Node, type OfferedTool, Tools } from "./tools.ts";

let server: LanguageServer;

export async function activate({ subscriptions }: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("webagent", { log: true });
  const results = vscode.window.createOutputChannel("webagent calls", "jsonc");
  server = new LanguageServer(log);
  const tools = new Tools(server);
  const restart = async (): Promise<void> => {
    await server.restart();
    await tools.refresh();
  };
  subscriptions.push(
    log,
    results,
    tools,
    vscode.window.registerTreeDataProvider("webagent.tools", tools),
    vscode.workspace.onDidChangeConfiguration((change) => void (change.affectsConfiguration("webagent") && restart())),
    vscode.commands.registerCommand("webagent.refresh", () => tools.refresh()),
    vscode.commands.registerCommand("webagent.restart", restart),
    vscode.commands.registerCommand("webagent.serve", () => openOrServe(tools)),
    vscode.commands.registerCommand("webagent.call", async (node?: Node) => {
      const offered = await chooseTool(tools, node);
      if (offered) await callTool(offered, results);
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  return server.stop();
}

/** The tool of a page that a node of the tree means, or that the person chooses. */
async function chooseTool(tools: Tools, node?: Node): Promise<OfferedTool | undefined> {
  if (node?.kind === "offered") return { manifest: node.site.manifest, page: node.page, tool: node.tool };
  const offered = tools.offered(node?.kind === "declared" ? node.symbol.name : undefined);
  if (!offered.length) {
    void vscode.window.showInformationMessage("No open page offers this tool. Serve the site, and open a page of it.");
    return undefined;
  }
  if (node && offered.length === 1) return offered[0];
  const items = offered.map((one) => ({ label: one.tool.name, description: one.page.url, detail: one.tool.description, one }));
  return (await vscode.window.showQuickPick(items, { title: "The tool to call", matchOnDescription: true }))?.one;
}

/** Open the site that is served; otherwise write the command that serves it, for the person to run. */
async function openOrServe(tools: Tools): Promise<void> {
  const url = tools.sites.find(({ running }) => running)?.running?.url;
  if (url) {
    await vscode.env.openExternal(vscode.Uri.parse(url));
    return;
  }
  const [site] = tools.sites;
  if (!site) return;
  const terminal = vscode.window.createTerminal({ name: "webagent-dev serve", cwd: folderOf(site.manifest) });
  terminal.show();
  terminal.sendText(`${findCommand() ?? "webagent-dev"} serve`, false);
}
