/** `webagent-dev lsp`: where it is, its start, and what it knows. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  type DocumentSymbol,
  DocumentSymbolRequest,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
} from "vscode-languageclient/node";

const INSTALL = 'pip install "webagent-dev[lsp]"';
/** Where a virtual environment has it, and what it is called on the `PATH`. */
const IN_VENV = process.platform === "win32" ? ".venv/Scripts/webagent-dev.exe" : ".venv/bin/webagent-dev";
const ON_PATH = path.basename(IN_VENV);

/** A tool as its page lists it: only the name is certain to be there. */
export interface Tool {
  name: string;
  description: string;
  effect: string;
  available: boolean;
  problem?: string;
  input_schema?: { properties?: Record<string, Property>; required?: string[] };
}

/** JSON Schema of a parameter. */
export interface Property {
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  description?: string;
}

export interface Page {
  page_id: string;
  url: string;
  title: string;
  focused: boolean;
  tools: Tool[];
}

/** The server that runs for the folder of a manifest. */
export interface Running {
  url: string;
  pages: Page[];
}

/** The path of `webagent-dev`: of the setting, in the workspace, or on the `PATH`. */
export function findCommand(): string | undefined {
  const set = vscode.workspace.getConfiguration("webagent").get<string>("command");
  const folders = vscode.workspace.workspaceFolders ?? [];
  const places = [
    ...folders.map((folder) => path.join(folder.uri.fsPath, IN_VENV)),
    ...(process.env["PATH"] ?? "").split(path.delimiter).map((folder) => path.join(folder, ON_PATH)),
  ];
  return (set ? [set] : places).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return path.isAbsolute(file);
  } catch {
    return false;
  }
}

export class LanguageServer {
  readonly #log: vscode.LogOutputChannel;
  #client: LanguageClient | undefined;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  async restart(): Promise<void> {
    await this.stop();
    const command = findCommand();
    if (!command) {
      void report("webagent-dev was not found: neither in the setting, nor in .venv, nor on the PATH.", INSTALL);
      return;
    }
    const client = new LanguageClient("webagent", "webagents.md", async () => start(command), {
      documentSelector: [{ scheme: "file", pattern: "**/*webagents.md" }],
      outputChannel: this.#log,
      initializationFailedHandler: () => false,
      // The last line of the process says why it ended; a second start would end the same way.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    });
    this.#client = client;
    await client.start().catch((error: unknown) => this.#log.error(String(error)));
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client?.isRunning()) await client.stop();
  }

  /** The tools and notes of a manifest, in the order of its text. */
  async outline(uri: vscode.Uri): Promise<DocumentSymbol[]> {
    if (!this.#client?.isRunning()) return [];
    // The language server answers for open documents only.
    await vscode.workspace.openTextDocument(uri);
    const found = await this.#client.sendRequest(DocumentSymbolRequest.type, { textDocument: { uri: `${uri}` } });
    return (found ?? []) as DocumentSymbol[];
  }

  /** The server of a manifest's folder with its open pages. */
  async openPages(uri: vscode.Uri): Promise<Running | null> {
    if (!this.#client?.isRunning()) return null;
    const wanted = { command: "webagent.openPages", arguments: [`${uri}`] };
    return this.#client.sendRequest(ExecuteCommandRequest.type, wanted) as Promise<Running | null>;
  }
}

/** Start the process; if it ends with an error, show the last line that it has written. */
function start(command: string): ChildProcess {
  const child = spawn(command, ["lsp"], { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath });
  let written = "";
  child.stderr.on("data", (data: Buffer) => (written = (written + data.toString()).slice(-2000)));
  child.on("error", (error) => void report(`${command} cannot be started: ${error.message}`, INSTALL));
  child.on("exit", (code) => {
    const line = written.trim().split("\n").at(-1) ?? "";
    if (code) void report(`webagent-dev lsp ended with ${code}: ${line}`, INSTALL);
  });
  return child;
}

async function report(message: string, install: string): Promise<void> {
  const [copy, settings] = ["Copy the Install Command", "Open the Setting"];
  const chosen = await vscode.window.showErrorMessage(`${message} Install it: ${install}`, copy, settings);
  if (chosen === copy) await vscode.env.clipboard.writeText(install);
  if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "webagent.command");
}
