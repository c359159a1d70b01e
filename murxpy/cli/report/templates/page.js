"use strict";
// Adds what the page can do without: buttons that copy a text, and a field that finds defects.
function selectText(box) {
  const range = document.createRange();
  range.selectNodeContents(box);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}
async function copyText(box, button) {
  try {
    await navigator.clipboard.writeText(box.textContent);
    button.textContent = "copied";
  } catch {
    selectText(box);
    button.textContent = document.execCommand("copy") ? "copied" : "selected";
  }
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}
function addButtons() {
  for (const box of document.querySelectorAll("pre.copy:not(.ready)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-button";
    button.textContent = "copy";
    button.addEventListener("click", () => copyText(box, button));
    box.classList.add("ready");
    box.before(button);
  }
}
function findDefects(word) {
  for (const row of document.querySelectorAll("[data-defect]")) {
    row.hidden = !row.textContent.toLowerCase().includes(word);
  }
  for (const group of document.querySelectorAll("details.rest")) {
    if (word) group.open = true;
    group.hidden = word !== "" && !group.querySelector("[data-defect]:not([hidden])");
  }
}
function addSearch() {
  const place = document.querySelector("#find");
  if (!place || place.firstChild) return;
  const label = document.createElement("label");
  const field = document.createElement("input");
  label.textContent = "Find: ";
  field.type = "search";
  field.placeholder = "kind, operator, key, text";
  field.addEventListener("input", () => findDefects(field.value.trim().toLowerCase()));
  label.append(field);
  place.append(label);
}
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
}
function dress() { addButtons(); addSearch(); }
dress();
openNamed();
window.addEventListener("hashchange", openNamed);
