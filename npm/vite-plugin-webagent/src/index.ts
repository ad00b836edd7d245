/** `webagents.md` and the agent of the page in Vite: served, checked on save, typed, built. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { IndexHtmlTransformContext, Plugin, ResolvedConfig, ViteDevServer } from "vite";
import type { ScriptAttributes } from "webagent-page";
import { bundleFiles, bundleFolder, bundleIndex, tags, withTags, type Tag } from "webagent-page/bundle";
import { startChecks, type Checks, type Finding } from "webagent-page/checks";
import { serveBundle } from "./bundle_requests.js";
import { errorOf, lineOf, NAME } from "./reports.js";

/** Options of the plugin. */
export interface Options {
  /** Path of the manifest; by default `webagents.md` in the public folder, or next to `index.html`. */
  manifest?: string;
  /** Where types for the site's own code are written; by default `src/webagents.d.ts` in a project with a `tsconfig.json`. */
  types?: string;
  /** Attributes of the agent's script, such as `{ panel: "on" }`. */
  page?: Omit<ScriptAttributes, "manifest" | "base">;
}

const MANIFEST = "webagents.md";
/** Where the development server has the bundle. */
const SERVED = "__webagent__/";
/** The module that loads the agent, for frameworks that write their HTML themselves. */
const MODULE = "virtual:webagent";

/** Serve, check and publish the manifest of a site, and the agent of its pages. */
export function webagent(options: Options = {}): Plugin {
  let config: ResolvedConfig;
  let checks: Checks | undefined;
  let findings: Finding[] = [];
  const checking = () => (checks ??= startChecks());
  /** That of the latest server. */
  let httpServer: ViteDevServer["httpServer"] = null;
  const files = new Set(bundleFiles());

  /** Where the manifest is, or would be. */
  const manifestFile = (): string => {
    const places = [options.manifest ?? path.join(config.publicDir || ".", MANIFEST), MANIFEST];
    const paths = places.map((place) => path.resolve(config.root, place));
    return (options.manifest === undefined && paths.find((each) => existsSync(each))) || (paths[0] as string);
  };
  const shown = (file: string) => path.relative(config.root, file).replaceAll(path.sep, "/");
  const hasManifest = () => existsSync(manifestFile());

  /** The attributes of the agent's script, where URLs of the site begin with `base`. */
  const attributes = (base: string): ScriptAttributes => ({
    ...(hasManifest() && { manifest: `${base}${MANIFEST}` }),
    ...options.page,
  });
  const bundleUrl = (base: string) => base + (config.command === "serve" ? SERVED : bundleIndex().folder);

  /** Check the manifest, report in the terminal what is wrong with it, and write the types. */
  async function inspect(): Promise<Finding[]> {
    const file = manifestFile();
    if (!existsSync(file)) {
      config.logger.warn(`${NAME}: there is no \`${shown(file)}\`, so the agent has no tools of this site`);
      return [];
    }
    const text = readFileSync(file, "utf8");
    const report = await checking().check(text, shown(file));
    for (const found of report.findings) {
      if (found.severity === "error") config.logger.error(lineOf(found));
      else config.logger.warn(lineOf(found));
    }
    if (!report.findings.some(isError)) await writeTypes(text);
    return report.findings;
  }

  async function writeTypes(text: string): Promise<void> {
    const inTypeScript = existsSync(path.join(config.root, "tsconfig.json"));
    const place = options.types ?? (inTypeScript ? "src/webagents.d.ts" : undefined);
    if (place === undefined) return;
    const file = path.resolve(config.root, place);
    const written = await checking().types(text);
    // A file that is written anew makes compilers and editors look again.
    if (existsSync(file) && readFileSync(file, "utf8") === written) return;
    await mkdir(path.dirname(file), { recursive: true });
    writeFileSync(file, written);
  }

  /** Show open pages what is wrong with the manifest, and give them the new one. */
  async function onSave(server: ViteDevServer): Promise<void> {
    findings = await inspect();
    const file = manifestFile();
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    server.ws.send({ type: "custom", event: "webagent:manifest", data: { text, path: MANIFEST } });
    if (findings.some(isError)) server.ws.send({ type: "error", err: errorOf(findings, file, text) });
  }

  return {
    name: NAME,

    configResolved(resolved) {
      config = resolved;
    },

    configureServer(server) {
      const report = (thrown: unknown) => config.logger.error(`${NAME}: ${String(thrown)}`);
      const first = inspect().then((found) => {
        findings = found;
      });
      first.catch(report);
      const { base } = config;
      server.middlewares.use(serveBundle(`${base}${SERVED}`, files, bundleFolder));
      server.middlewares.use((request, response, next) => {
        if (request.url?.split("?")[0] !== `${base}${MANIFEST}` || !hasManifest()) return next();
        const send = (text: string) => {
          response.setHeader("content-type", "text/markdown; charset=utf-8");
          response.setHeader("cache-control", "no-cache");
          response.end(text);
        };
        checking().rebased(readFileSync(manifestFile(), "utf8"), base).then(send, next);
      });
      server.watcher.add(manifestFile());
      for (const event of ["add", "change", "unlink"]) {
        server.watcher.on(event, (file: string) => {
          if (path.resolve(file) === manifestFile()) onSave(server).catch(report);
        });
      }
      // A page that opens later has the overlay, too.
      server.ws.on("webagent:open", (_, client) => {
        const show = () => {
          const file = manifestFile();
          if (findings.some(isError)) {
            client.send({ type: "error", err: errorOf(findings, file, readFileSync(file, "utf8")) });
          }
        };
        first.then(show, report);
      });
      const own = (httpServer = server.httpServer);
      own?.once("close", () => {
        // A restart closes this server when the next one already uses the checks.
        if (own !== httpServer) return;
        void checks?.end();
        checks = undefined;
      });
    },

    resolveId: (id) => (id === MODULE ? id : undefined),

    load(id) {
      if (id !== MODULE) return undefined;
      const base = config.base.startsWith(".") || config.base === "" ? "/" : config.base;
      const script = JSON.stringify(fileURLToPath(import.meta.resolve("webagent-page")));
      const given = `${JSON.stringify(bundleUrl(base))}, ${JSON.stringify(attributes(base))}`;
      const client = JSON.stringify(fileURLToPath(new URL("./client.js", import.meta.url)));
      return [
        `import { loadAgent } from ${script};`,
        `if (!import.meta.env.SSR) loadAgent(${given}).catch((error) => console.error(error));`,
        ...(config.command === "serve" ? [`import { follow } from ${client};`, "follow(import.meta.hot);"] : []),
      ].join("\n");
    },

    transformIndexHtml: {
      // Vite takes no part in the scripts of the bundle.
      order: "post",
      handler(page, context) {
        const base = baseOf(config, context);
        const inPage = tags(bundleUrl(base), attributes(base), usesModelContext(context));
        const client: Tag = { tag: "script", attrs: { type: "module", src: `${base}@id/${MODULE}` } };
        return withTags(page, config.command === "serve" ? [...inPage, client] : inPage);
      },
    },

    async buildStart() {
      if (config.command !== "build" || this.environment.config.consumer !== "client") return;
      findings = await inspect();
      const broken = findings.filter(isError);
      if (broken.length) this.error(`nothing was built, since the manifest has errors:\n${broken.map(lineOf).join("\n")}`);
    },

    async writeBundle({ dir }) {
      if (this.environment.config.consumer !== "client" || dir === undefined) return;
      const place = path.join(dir, bundleIndex().folder);
      for (const name of files) await cp(path.join(bundleFolder, name), path.join(place, name));
      if (!hasManifest()) return;
      const text = await checking().rebased(readFileSync(manifestFile(), "utf8"), config.base);
      await writeFile(path.join(dir, MANIFEST), text);
    },
  };
}

export default webagent;

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

/** The beginning of URLs in a page; relative to the page where the site may be anywhere. */
function baseOf({ base }: ResolvedConfig, { path: page }: IndexHtmlTransformContext): string {
  if (base !== "" && !base.startsWith(".")) return base;
  return "../".repeat(page.split("/").length - 2) || "./";
}

/** Whether scripts of the site offer tools on `document.modelContext`; while it is developed, perhaps. */
function usesModelContext({ bundle }: IndexHtmlTransformContext): boolean {
  if (!bundle) return true;
  return Object.values(bundle).some((output) => output.type === "chunk" && output.code.includes("modelContext"));
}
