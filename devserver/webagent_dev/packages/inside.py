"""What runs in the browser while packages are found and compiled: the bundle's own Python."""

START = """async ([assets, compiler, program]) => {
  const url = (path) => new URL(path, document.baseURI).href;
  const text = (path) => fetch(url(path)).then((answer) => answer.text());
  const bytes = async (path) => new Uint8Array(await (await fetch(url(path))).arrayBuffer());
  const { loadPyodide } = await import(url(assets.pyodide + "pyodide.mjs"));
  const python = await loadPyodide({
    indexURL: url(assets.pyodide),
    stdLibURL: url(assets.stdlib),
    lockFileContents: await text(assets.lock),
    packageBaseUrl: document.baseURI,
    packages: ["webagent-core", "micropip"],
    args: ["-X", "no_debug_ranges"],
    stdout: () => {},
    stderr: () => {},
  });
  python.FS.writeFile(assets.library_path, await bytes(assets.library));
  python.FS.writeFile("/lib/python314-rest.zip", await bytes(assets.rest));
  python.pyimport("webagent_late").expect(() => Promise.reject()).arrive();
  python.runPython(compiler);
  python.runPython(program);
  globalThis.ask = async (name, ...given) => JSON.parse(await python.globals.get(name)(...given));
}"""
"""Starts Python from the files of a bundle; `ask` then calls a function of `PROGRAM`."""

PROGRAM = '''
import base64, json


async def resolve(requirements):
    """Install packages as a page would; return the lock file, or the error, as JSON."""
    import micropip

    try:
        await micropip.install(json.loads(requirements))
    except Exception as error:
        return json.dumps({"error": [type(error).__name__, str(error)]})
    return json.dumps({"lock": json.loads(micropip.freeze())})


async def compiled(name, data):
    """Return a wheel as bytecode, with the docstrings and asserts that its code may count on."""
    name, made = compile_wheel(name, base64.b64decode(data), optimize=0)
    return json.dumps({
        "name": name,
        "data": base64.b64encode(made).decode(),
        "imports": imports(made),
        "licence": licences(base64.b64decode(data)),
    })
'''
"""Python that runs beside what a bundle compiles its packages with."""
