/** Calls of tools in open pages: the arguments, the question before a change, the result. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { findCommand, type Property } from "./language_server.ts";
import { folderOf, type OfferedTool } from "./tools.ts";

const MAX_OUTPUT = 20_000_000;
const LEFT_OUT = "$(dash) leave it out";
/** In the title of the field: the name of a parameter whose value nobody else should read. */
const SECRET = /: \w*(?:passw|secret|token)\w* \(/i;

const run = promisify(execFile);

export async function callTool(offered: OfferedTool, results: vscode.OutputChannel): Promise<void> {
  const { manifest, page, tool } = offered;
  const values = await askArguments(offered);
  if (!values || !(await isAgreed(offered, values))) return;
  const command = findCommand();
  if (!command) throw new Error("webagent-dev was not found");
  // The page gives the name of the tool: behind `--` it cannot be an option.
  const typed = ["call", "--site", folderOf(manifest), "--tab", page.page_id, "--format", "json", "--"];
  const title = `Calling ${tool.name} in ${page.url}`;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const written = await vscode.window.withProgress(options, async (_, cancelled) => {
    const calling = run(command, [...typed, tool.name, JSON.stringify(values)], { maxBuffer: MAX_OUTPUT });
    cancelled.onCancellationRequested(() => calling.child.kill());
    // A call that fails ends the command with 1, and has a result, too.
    return calling.catch((error: { code?: number; stdout?: string; stderr?: string }) => {
      if (cancelled.isCancellationRequested) return undefined;
      return { stdout: error.stdout ?? "", stderr: error.stderr ?? String(error) };
    });
  });
  if (!written) return;
  // Without the arguments: a password may be among them.
  results.appendLine(`// ${new Date().toLocaleTimeString()} ${tool.name} in ${page.url}`);
  results.appendLine(shown(written));
  results.show(true);
}

/** The value of a call, or its error, or the words of a command that could not call. */
function shown({ stdout, stderr }: { stdout: string; stderr: string }): string {
  if (!stdout) return stderr.trim();
  const result = JSON.parse(stdout) as { ok: boolean; value?: unknown; error?: unknown };
  return JSON.stringify(result.ok ? result.value : { error: result.error, value: result.value }, null, 2);
}

/** Ask for each argument; undefined if the person has stopped. */
async function askArguments({ tool }: OfferedTool): Promise<Record<string, unknown> | undefined> {
  const values: Record<string, unknown> = {};
  const properties = Object.entries(tool.input_schema?.properties ?? {});
  for (const [index, [name, property]] of properties.entries()) {
    const isNeeded = tool.input_schema?.required?.includes(name) ?? false;
    const title = `${tool.name}: ${name} (${index + 1} of ${properties.length}${isNeeded ? "" : ", optional"})`;
    const answer = await askValue(title, property, isNeeded);
    if (!answer) return undefined;
    if (answer.value !== undefined) values[name] = answer.value;
  }
  return values;
}

/** Ask for a value; undefined if the person has stopped, and an undefined value if it is left out. */
async function askValue(title: string, property: Property, isNeeded: boolean): Promise<{ value: unknown } | undefined> {
  const choices = property.enum ?? (property.type === "boolean" ? [true, false] : []);
  const placeHolder = property.description ?? "";
  if (choices.length) {
    const items = choices.map((value) => ({ label: typeof value === "string" ? value : JSON.stringify(value), value }));
    if (!isNeeded) items.unshift({ label: LEFT_OUT, value: undefined });
    return vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
  }
  const text = await vscode.window.showInputBox({
    title,
    prompt: placeHolder,
    placeHolder: property.default === undefined ? "" : `by default ${JSON.stringify(property.default)}`,
    password: SECRET.test(title),
    ignoreFocusOut: true,
    validateInput: (typed) => (typed || isNeeded ? problemOf(typed, property) : undefined),
  });
  if (text === undefined) return undefined;
  return { value: text === "" && !isNeeded ? undefined : valueOf(text, property) };
}

function valueOf(text: string, property: Property): unknown {
  return property.type === "string" ? text : JSON.parse(text);
}

function problemOf(text: string, property: Property): string | undefined {
  try {
    const value = valueOf(text, property);
    const isNumber = property.type === "number" || property.type === "integer";
    return isNumber && typeof value !== "number" ? `\`${text}\` is not a number` : undefined;
  } catch {
    return `Write JSON (${String(property.type ?? "any value")})`;
  }
}

/** Whether the call may be made: one that may change something is asked for. */
async function isAgreed({ page, tool }: OfferedTool, values: Record<string, unknown>): Promise<boolean> {
  if (tool.effect === "read") return true;
  const lasting = tool.effect === "irreversible" ? "This cannot be undone" : "This may change something";
  const detail = `${lasting} in ${page.url}:\n\n${JSON.stringify(values, null, 2)}`;
  const call = "Call It";
  return (await vscode.window.showWarningMessage(`Call ${tool.name}?`, { modal: true, detail }, call)) === call;
}
