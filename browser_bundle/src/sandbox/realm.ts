/**
 * Leaves a worker's global scope with the language and what touches nothing outside.
 *
 * The frame's content security policy is what keeps a program from the network; this takes away
 * what the policy does not speak of, and what would only fail.
 */
const KEPT = new Set(
  [
    // The language.
    "Object Function Array Number Boolean String Symbol Date Promise RegExp BigInt Math JSON Intl",
    "Reflect Proxy Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator Temporal",
    "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array",
    "Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array",
    "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError",
    "SuppressedError DisposableStack AsyncDisposableStack",
    "globalThis self undefined NaN Infinity eval isFinite isNaN parseFloat parseInt",
    "decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape",
    // Of the platform, what computes.
    "setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone",
    "atob btoa TextEncoder TextDecoder URL URLSearchParams crypto performance",
    "AbortController AbortSignal Event EventTarget CustomEvent DOMException",
    "constructor addEventListener removeEventListener dispatchEvent",
  ]
    .join(" ")
    .split(" "),
);

/** Take away everything else, from the global object and from what it inherits. */
export function closeRealm(): void {
  for (
    let object: object | null = globalThis;
    object && object !== Object.prototype;
    object = Object.getPrototypeOf(object) as object | null
  ) {
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === "string" && !KEPT.has(key)) Reflect.deleteProperty(object, key);
    }
  }
  for (const key of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(URL, key);
}
