let bikes;

export async function allBikes() {
  bikes ??= fetch("/data/bikes.json").then((answer) => answer.json());
  return bikes;
}

export const basket = [];
