/** Decimal numbers as attributes have them: a step of 0.1 divides 0.3. */

/** Digits that are kept; a browser's own forms read no more. */
const PRECISION = 18;
const SHOWN = 15;
const SMALLEST = -1023;

/** A whole number times a power of ten. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** The number of an attribute; null when it is none, or too large for one. */
export function parseDecimal(text: string | null): Decimal | null {
  const parts = /^(-?)(\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text ?? "");
  const [, sign, whole = "", fraction = "", power = "0"] = parts ?? [];
  if (!parts || !(whole + fraction) || !Number.isFinite(Number(text))) return null;
  const integer = whole.replace(/^0+/, "");
  const digits = integer.slice(0, PRECISION) + fraction.slice(0, Math.max(0, PRECISION - integer.length));
  const exponent = Number(power) + integer.length - digits.length;
  const coefficient = exponent < SMALLEST ? 0n : BigInt(digits || 0);
  return { coefficient: sign ? -coefficient : coefficient, exponent: coefficient ? exponent : 0 };
}

export function toNumber({ coefficient, exponent }: Decimal): number {
  let [digits, power, last] = [coefficient < 0n ? -coefficient : coefficient, exponent, 0n];
  while (exponent < 0 && String(digits).length > SHOWN) {
    last = digits % 10n;
    digits /= 10n;
    power += 1;
  }
  if (last >= 5n) digits += 1n;
  return Number(`${coefficient < 0n ? "-" : ""}${digits}e${power}`);
}

/** Whether a number is a whole multiple of the step. */
export function isMultiple(number: Decimal, step: Decimal): boolean {
  const exponent = Math.min(number.exponent, step.exponent);
  const scaled = ({ coefficient, exponent: own }: Decimal) => coefficient * 10n ** BigInt(own - exponent);
  return scaled(number) % scaled(step) === 0n;
}
