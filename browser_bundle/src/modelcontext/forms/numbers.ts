/** Numbers as attributes have them: written in decimals, so that a step of 0.1 divides 0.3. */

/** Digits that a decimal keeps on its way through a browser's forms. */
const DIGITS = 15;
/** How far a quotient may be from a whole number, in relation to it, and still count as one. */
const TOLERANCE = 1e-14;

/** The number of an attribute; null when it is none. */
export function numberOf(text: string | null): number | null {
  const number = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i.test(text ?? "") ? Number(text) : NaN;
  if (!Number.isFinite(number)) return null;
  return Number.isInteger(number) ? number : Number(number.toPrecision(DIGITS));
}

/** Whether a number is a whole multiple of the step. */
export function isMultiple(number: number, step: number): boolean {
  const quotient = Math.abs(number / step);
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.max(1, quotient) || number === 0;
}
