import { choice } from "../checks.js";
import { offer } from "../router.js";

export async function prices(view, signal) {
  document.title = "Prices – Tallow Street Repairs";
  view.innerHTML = "<h1>Prices</h1><p>One moment …</p>";
  const list = await fetch("/data/prices.json").then((answer) => answer.json());
  if (signal.aborted) return;
  const devices = Object.keys(list);
  const works = Object.keys(list.clock);
  view.querySelector("p").outerHTML = `
    <table><thead><tr><th></th>${works.map((work) => `<th scope="col">${work}</th>`).join("")}</tr></thead>
      <tbody>${devices.map((device) => `<tr><th scope="row">${device}</th>${works.map((work) => `<td>${list[device][work].euros} €</td>`).join("")}</tr>`).join("")}</tbody>
    </table>
    <p role="status"></p>`;

  offer({
    estimateRepair: async (device, work, options = {}) => {
      const { euros, days } = list[choice(device, devices, "device")][choice(work, works, "work")];
      const express = options?.express === true;
      const estimate = { device, euros: express ? euros * 1.5 : euros, days: express ? 1 : days };
      view.querySelector("[role=status]").textContent = `${device}, ${work}: ${estimate.euros} €, ${estimate.days} days`;
      return estimate;
    },
  }, signal);
}
