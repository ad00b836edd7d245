export async function home(view) {
  document.title = "Spoke & Wheel";
  view.innerHTML = `
    <h1>Bicycles by the day</h1>
    <p>Open from April to October.</p>
    <button type="button" aria-haspopup="dialog">Write to us</button>`;
  view.querySelector("button").addEventListener("click", () => {
    const dialog = document.createElement("dialog");
    dialog.innerHTML = `
      <form id="contactForm">
        <h2>Write to us</h2>
        <label>E-mail <input type="email" name="email" required></label>
        <label>Message <textarea name="message" required></textarea></label>
        <button>Send message</button>
      </form>`;
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close();
      view.querySelector("p").textContent = "Thank you, we will write back.";
    });
    view.append(dialog);
    dialog.showModal();
  });
}
