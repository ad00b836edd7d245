// The price of a parcel, from the table in ../data/delivery.js.

import { DELIVERY, WEIGHT_BANDS } from "../data/delivery.js";
import { CURRENCY } from "../data/shop.js";
import { contents } from "./basket.js";

export function quote(country, weightGrams = basketWeight()) {
  const row = findCountry(country);
  if (!Number.isFinite(weightGrams) || weightGrams <= 0) {
    throw new RangeError("`weightGrams` must be a number above 0");
  }
  const band = WEIGHT_BANDS.findIndex(({ upToGrams }) => weightGrams <= upToGrams);
  if (band < 0) {
    const most = WEIGHT_BANDS.at(-1).upToGrams;
    throw new RangeError(`no price for ${weightGrams} g: the table ends at ${most} g, so write to us for a quote`);
  }
  return {
    country: row.country,
    weightGrams,
    band: WEIGHT_BANDS[band].label,
    price: row.prices[band],
    currency: CURRENCY,
    workingDays: row.days,
  };
}

function findCountry(country) {
  const asked = String(country ?? "").trim().toLowerCase();
  const row = DELIVERY.find((each) =>
    [each.country, ...each.codes].some((name) => name.toLowerCase() === asked));
  if (!row) {
    const names = DELIVERY.map((each) => each.country).join(", ");
    throw new Error(`no delivery to \`${country}\`: we send to ${names}`);
  }
  return row;
}

function basketWeight() {
  const { weightGrams } = contents();
  if (weightGrams === 0) throw new Error("the basket is empty, so the weight is not known");
  return weightGrams;
}
