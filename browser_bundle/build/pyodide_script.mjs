/** Makes Pyodide's script smaller and quicker to start, and changes nothing else about it. */

/** Texts that are in the script once, and their replacements. */
const CHANGES = [
  // A function in parentheses is compiled with the script, on another thread; any other one is only
  // looked through then, and compiled by the page's thread when it is called.
  ["async function _createPyodideModule(", "const _createPyodideModule=(async function("],
  ["}export default _createPyodideModule;", "});export default _createPyodideModule;"],
  // Libraries ask for the addresses of some hundred symbols. The script takes all 8,560 into its table
  // before any library is there; now each is taken when it is asked for.
  ["updateGOT(origExports);", "mainExports=origExports;"],
  [
    "var GOT={};",
    "var GOT={};var mainExports=Object.create(null);var addressInMain=symName=>{" +
      "var value=isInternalSym(symName)?undefined:mainExports[symName];" +
      'return typeof value=="function"?addFunction(value):typeof value?.value=="number"?value.value:-1};',
  ],
  [
    '{rtn=GOT[symName]=new WebAssembly.Global({value:"i32",mutable:true},-1)}',
    '{rtn=GOT[symName]=new WebAssembly.Global({value:"i32",mutable:true},addressInMain(symName))}',
  ],
  [
    "var existingEntry=GOT[symName]&&GOT[symName].value!=-1;",
    "var existingEntry=symName in mainExports||GOT[symName]&&GOT[symName].value!=-1;",
  ],
];

/** The variables of the module's exports, and the function that fills them one by one. */
const EXPORTS = /var ([\w$,]+);function assignWasmExports\(wasmExports\)\{([^{}]*)\}/;
const EXPORT = /^(_[\w$]+)=Module\["\1"\]=wasmExports\["([\w$]+)"\]$/;

/** @throws Error when the script is another one. */
export function quicker(script) {
  return withoutUnused(CHANGES.reduce((text, [part, other]) => {
    const [before, after, ...more] = text.split(part);
    if (after === undefined || more.length) throw new Error(`Pyodide's script has no single \`${part}\` any more`);
    return before + other + after;
  }, script));
}

/** Leave out the variables that nothing in the script reads; the module keeps all exports. */
function withoutUnused(script) {
  const [whole, names, body] = EXPORTS.exec(script) ?? [];
  if (whole === undefined) throw new Error("Pyodide's script does not assign its exports any more");
  const used = new Set(script.replace(whole, "").match(/[\w$]+/g));
  const unused = new Set();
  const kept = body.split(";").filter((statement) => {
    const [, variable, name] = EXPORT.exec(statement) ?? [];
    if (variable !== `_${name}` || used.has(variable)) return true;
    unused.add(variable);
    return false;
  });
  const variables = names.split(",").filter((name) => !unused.has(name));
  const rest = 'for(var name in wasmExports)Module["_"+name]??=wasmExports[name];';
  return script.replace(whole, () => `var ${variables};function assignWasmExports(wasmExports){${kept.join(";")};${rest}}`);
}
