const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

export const OPENING = DAYS.map((day) => ({ day, from: "09:00", to: day === "Friday" ? "16:00" : "18:00" }));

export function home(view) {
  document.title = "Tallow Street Repairs";
  view.innerHTML = `
    <h1>We mend clocks, radios and lamps</h1>
    <table><caption>Open</caption>
      <tbody>${OPENING.map(({ day, from, to }) => `<tr><th scope="row">${day}</th><td>${from} to ${to}</td></tr>`).join("")}</tbody>
    </table>
    <p>Repairs are handed out on Tuesdays and Fridays. <a href="/prices">What does a repair cost?</a></p>`;
}
