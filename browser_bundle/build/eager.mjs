/** Lets browsers compile Pyodide's script while it arrives. */

const NAMED = ["async function _createPyodideModule(", "}export default _createPyodideModule;"];
const WRAPPED = ["const _createPyodideModule=(async function(", "});export default _createPyodideModule;"];

/**
 * Put the one function that the script consists of into parentheses.
 *
 * A function like that is compiled with the script, on another thread; any other one is only looked
 * through then, and compiled by the page's thread when it is called.
 *
 * @throws Error when the script is not what it was.
 */
export function eager(script) {
  return NAMED.reduce((text, part, index) => {
    const [before, after, ...more] = text.split(part);
    if (after === undefined || more.length) throw new Error(`Pyodide's script has no single \`${part}\` any more`);
    return before + WRAPPED[index] + after;
  }, script);
}
