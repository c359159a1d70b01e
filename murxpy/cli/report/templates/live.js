
// Puts what the server sends in the place of the parts of the page, and keeps what the reader has opened.
function nameOf(box) {
  const around = box.parentElement.closest("[id]");
  return `${around ? around.id : ""} ${box.id || box.querySelector("summary").textContent.replace(/[\d,]+/g, "")}`;
}
function replacePart(name, html) {
  const part = document.getElementById(name);
  if (!part) return;
  const open = new Map();
  for (const box of part.querySelectorAll("details")) open.set(nameOf(box), box.open);
  const field = document.querySelector("#find input");
  const word = field ? field.value : "";
  const focused = field !== null && document.activeElement === field;
  part.innerHTML = html;
  for (const box of part.querySelectorAll("details")) {
    const before = open.get(nameOf(box));
    if (before !== undefined) box.open = before;
  }
  dress();
  const again = document.querySelector("#find input");
  if (again && again !== field) {
    again.value = word;
    if (word) findDefects(word.trim().toLowerCase());
    if (focused) again.focus();
  }
}
function say(text) {
  const place = document.getElementById("connection");
  if (place) place.textContent = text;
}
const main = document.getElementById("live");
const token = new URLSearchParams(location.search).get("token");
const source = new EventSource(`/events?token=${encodeURIComponent(token)}&since=${main.dataset.version}`);
source.addEventListener("part", (event) => {
  const { name, html } = JSON.parse(event.data);
  replacePart(name, html);
});
source.addEventListener("open", () => say(""));
source.addEventListener("error", () => say(" (no connection to murxpy watch)"));
