/** Parses dates, times, months and colours as people write them; refuses ambiguous ones. */

const MONTHS = "january february march april may june july august september october november december".split(" ");

/** The value of a field of a type for a text; null when it is ambiguous. */
export function valueFor(type: string, text: string): string | null {
  const words = text.trim();
  switch (type) {
    case "date":
      return dateOf(words);
    case "time":
      return timeOf(words);
    case "datetime-local":
      return momentOf(words);
    case "month":
      return monthOf(words);
    case "week":
      return /^(\d{4})-?w(\d{1,2})$/i.test(words)
        ? words.replace(
            /^(\d{4})-?w(\d{1,2})$/i,
            (_, year: string, week: string) => `${year}-W${week.padStart(2, "0")}`,
          )
        : null;
    case "color":
      return colourOf(words);
    case "number":
    case "range":
      return /^[-+]?(\d+(\.\d+)?|\.\d+)(e[-+]?\d+)?$/i.test(words) ? words.replace(/^\+/, "") : null;
    default:
      return text;
  }
}

/** `2027-03-05`, `5 March 2027`, `March 5th, 2027`, `5.3.2027`, `25/12/2027`; not `5/3/2027`. */
function dateOf(text: string): string | null {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (iso) return date(iso[1], iso[2], iso[3]);
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text);
  if (dotted) return date(dotted[3], dotted[2], dotted[1]);
  const slashed = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text);
  if (slashed) {
    const [, first, second, year] = slashed;
    if (first === second || Number(first) > 12) return date(year, second, first);
    return Number(second) > 12 ? date(year, first, second) : null;
  }
  const words = text.replace(/^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?,?\s+/i, "");
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i.exec(words);
  if (dayFirst) return date(dayFirst[3], month(dayFirst[2]), dayFirst[1]);
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i.exec(words);
  return monthFirst ? date(monthFirst[3], month(monthFirst[1]), monthFirst[2]) : null;
}

function month(name = ""): string | undefined {
  const index = MONTHS.findIndex((other) => other.startsWith(name.toLowerCase().replace(/^sept$/, "sep")));
  return index < 0 ? undefined : String(index + 1);
}

/** The date, if it exists in the calendar. */
function date(year: string | undefined, month: string | undefined, day: string | undefined): string | null {
  if (!year || !month || !day) return null;
  const text = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text) ? text : null;
}

/** `14:30`, `2:30 pm`, `2 pm`, `noon`. */
function timeOf(text: string): string | null {
  if (/^(noon|midnight)$/i.test(text)) return /noon/i.test(text) ? "12:00" : "00:00";
  const found = /^(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s?([ap])?\.?(m)?\.?$/i.exec(text);
  if (!found) return null;
  const [, hours, minutes, seconds, half] = found;
  if (minutes === undefined && !half) return null;
  let hour = Number(hours);
  if (half) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (/p/i.test(half) ? 12 : 0);
  }
  if (hour > 23 || Number(minutes ?? 0) > 59 || Number(seconds ?? 0) > 59) return null;
  return `${String(hour).padStart(2, "0")}:${minutes ?? "00"}${seconds ? `:${seconds}` : ""}`;
}

/** A day and a time, with a `T`, a space, a comma or `at` between them. */
function momentOf(text: string): string | null {
  const found = /^(.+?)(?:T|,? at |, | )(\d{1,2}(?:[:.]\d{2}){0,2}(?:\.\d+)?\s?(?:[ap]\.?m\.?)?|noon|midnight)$/i.exec(
    text.slice(0, 60),
  );
  const day = found && dateOf(found[1] ?? "");
  const time = found && timeOf(found[2] ?? "");
  return day && time ? `${day}T${time}` : null;
}

/** `2027-03`, `March 2027`, `03/2027`. */
function monthOf(text: string): string | null {
  const iso = /^(\d{4})-(\d{1,2})$/.exec(text);
  const named = /^([a-z]{3,9})\.?,? (\d{4})$/i.exec(text);
  const slashed = /^(\d{1,2})\/(\d{4})$/.exec(text);
  const [year, number] = iso
    ? [iso[1], iso[2]]
    : named
      ? [named[2], month(named[1])]
      : slashed
        ? [slashed[2], slashed[1]]
        : [];
  return date(year, number, "1")?.slice(0, 7) ?? null;
}

/** `#ff0000`, `#f00`, `rgb(255, 0, 0)`, `red`. */
function colourOf(text: string): string | null {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen || !CSS.supports("color", text) || /^(currentcolor|inherit|initial|unset|revert.*|transparent)$/i.test(text))
    return null;
  pen.fillStyle = text;
  const found = String(pen.fillStyle);
  return /^#[0-9a-f]{6}$/.test(found) ? found : null;
}
