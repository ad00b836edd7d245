/** What a caller passed, if it is a text. */
export function text(value, name, longest = 500) {
  if (typeof value !== "string") throw new Error(`${name} has to be a text`);
  const trimmed = value.trim();
  if (trimmed.length > longest) throw new Error(`${name} has at most ${longest} characters`);
  return trimmed;
}

/** What a caller passed, if it is one of the choices. */
export function choice(value, choices, name) {
  if (!choices.includes(value)) throw new Error(`${name} has to be one of ${choices.join(", ")}`);
  return value;
}

/** What a caller passed, if it is a whole number in bounds. */
export function count(value, name, most) {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new Error(`${name} has to be a whole number from 1 to ${most}`);
  }
  return value;
}

/** The day that a caller wrote, at midnight UTC. */
export function isoDate(value, name) {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : NaN);
  if (Number.isNaN(day.getTime()) || day.getUTCFullYear() < 1958 || day.getUTCFullYear() > 2100) {
    throw new Error(`${name} has to be a date such as 2026-03-02`);
  }
  return day;
}
