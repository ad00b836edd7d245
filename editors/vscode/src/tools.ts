/** The tools of the manifests and of the open pages, as the tree and the status bar show them. */
import { isDeepStrictEqual } from "node:util";
import path from "node:path";
import * as vscode from "vscode";
import { type DocumentSymbol, SymbolKind } from "vscode-languageclient/node";
import type { LanguageServer, Page, Running, Tool } from "./language_server.ts";

const MOST_MANIFESTS = 20;
const AGAIN_MS = 3000;

interface Site {
  manifest: vscode.Uri;
  declared: DocumentSymbol[];
  running: Running | null;
}

/** A tool of a page that is open. */
export interface OfferedTool {
  manifest: vscode.Uri;
  page: Page;
  tool: Tool;
}

export type Node =
  | { kind: "manifest"; site: Site }
  | { kind: "page"; site: Site; page: Page }
  | { kind: "declared"; site: Site; symbol: DocumentSymbol }
  | { kind: "offered"; site: Site; page: Page; tool: Tool };

export class Tools implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #status = vscode.window.createStatusBarItem("webagent.status", vscode.StatusBarAlignment.Left);
  readonly #timer: NodeJS.Timeout;
  readonly #watcher = vscode.workspace.createFileSystemWatcher("**/webagents.md", false, true, false);
  #manifests: Thenable<vscode.Uri[]> | undefined;
  #sites: Site[] = [];
  #reading: Promise<void> | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(server: LanguageServer) {
    this.#server = server;
    this.#status.name = "webagents.md";
    this.#status.command = "webagent.serve";
    const forget = (): void => {
      this.#manifests = undefined;
    };
    this.#watcher.onDidCreate(forget);
    this.#watcher.onDidDelete(forget);
    // Nobody looks at a window without the focus.
    this.#timer = setInterval(() => void (vscode.window.state.focused && this.refresh()), AGAIN_MS);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#watcher.dispose();
    this.#status.dispose();
    this.#changed.dispose();
  }

  get sites(): readonly Site[] {
    return this.#sites;
  }

  /** Look again; a look that is under way is not overtaken. */
  refresh(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<void> {
    this.#manifests ??= vscode.workspace.findFiles("**/webagents.md", "**/{node_modules,.venv}/**", MOST_MANIFESTS);
    const found = [...(await this.#manifests)].sort((one, other) => one.path.length - other.path.length);
    const sites = await Promise.all(
      found.map(async (manifest) => ({
        manifest,
        declared: (await this.#server.outline(manifest)).filter(({ kind }) => kind === SymbolKind.Function),
        running: await this.#server.openPages(manifest),
      })),
    ).catch(() => []);
    if (isDeepStrictEqual(shown(sites), shown(this.#sites))) return;
    this.#sites = sites;
    await vscode.commands.executeCommand("setContext", "webagent.hasManifest", sites.length > 0);
    this.#showStatus();
    this.#changed.fire(undefined);
  }

  #showStatus(): void {
    const running = this.#sites.flatMap((site) => site.running ?? []);
    const pages = running.reduce((count, { pages }) => count + pages.length, 0);
    this.#status.text = running.length ? `$(browser) ${pages} open ${pages === 1 ? "page" : "pages"}` : "$(debug-disconnect) not served";
    this.#status.tooltip = running.length
      ? `webagent-dev serves ${running.map(({ url }) => url).join(", ")}. Click to open it.`
      : "No webagent-dev serve runs for this workspace. Click to start it.";
    if (this.#sites.length) this.#status.show();
    else this.#status.hide();
  }

  /** The tools of open pages, of one name if it is given; those of the page in focus first. */
  offered(name?: string): OfferedTool[] {
    const all = this.#sites.flatMap(({ manifest, running }) =>
      (running?.pages ?? []).flatMap((page) => page.tools.map((tool) => ({ manifest, page, tool }))),
    );
    return all
      .filter(({ tool }) => name === undefined || tool.name === name)
      .sort((one, other) => Number(other.page.focused) - Number(one.page.focused));
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.#sites.flatMap((site): Node[] => [
        { kind: "manifest", site },
        ...(site.running?.pages ?? []).map((page): Node => ({ kind: "page", site, page })),
      ]);
    }
    if (node.kind === "manifest") {
      return node.site.declared.map((symbol) => ({ kind: "declared", site: node.site, symbol }));
    }
    return node.kind === "page" ? node.page.tools.map((tool) => ({ ...node, kind: "offered", tool })) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = itemOf(node);
    // Without it, screen readers read the tooltip in place of the name.
    item.accessibilityInformation = { label: `${String(item.label)} ${String(item.description ?? "")}`.trim() };
    return item;
  }
}

function itemOf(node: Node): vscode.TreeItem {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (node.kind === "manifest") {
    const item = new vscode.TreeItem(vscode.workspace.asRelativePath(node.site.manifest), Expanded);
    item.iconPath = new vscode.ThemeIcon("markdown");
    item.description = counted(node.site.declared.length);
    return item;
  }
  if (node.kind === "page") {
    const item = new vscode.TreeItem(vscode.Uri.parse(node.page.url).path, node.page.focused ? Expanded : Collapsed);
    item.id = `${node.site.manifest} ${node.page.page_id}`;
    item.iconPath = new vscode.ThemeIcon("browser");
    item.description = `${node.page.title} · ${counted(node.page.tools.length)}`;
    item.tooltip = node.page.url;
    return item;
  }
  const { name } = node.kind === "declared" ? node.symbol : node.tool;
  const item = new vscode.TreeItem(name, None);
  item.iconPath = new vscode.ThemeIcon("symbol-function");
  item.contextValue = "tool";
  if (node.kind === "declared") {
    const { start, end } = node.symbol.selectionRange;
    const selection = new vscode.Range(start.line, start.character, end.line, end.character);
    item.command = { command: "vscode.open", title: "Open", arguments: [node.site.manifest, { selection }] };
  } else {
    item.description = node.tool.available ? node.tool.effect : "not available";
    item.tooltip = node.tool.problem ?? node.tool.description;
    if (!node.tool.available) item.iconPath = new vscode.ThemeIcon("circle-slash");
  }
  return item;
}

/** The folder of a manifest, as commands name it. */
export function folderOf(manifest: vscode.Uri): string {
  return path.dirname(manifest.fsPath);
}

function counted(tools: number): string {
  return `${tools} ${tools === 1 ? "tool" : "tools"}`;
}

function shown(sites: readonly Site[]): unknown {
  return sites.map(({ manifest, ...rest }) => ({ manifest: `${manifest}`, ...rest }));
}
