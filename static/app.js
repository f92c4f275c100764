/* Small helps for researcher pages; every page works without them. */
"use strict";

function showLocalTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!isNaN(at)) time.title = at.toLocaleString() + " (your time)";
  }
}

function copyText(button) {
  const source = document.getElementById(button.dataset.copy);
  navigator.clipboard.writeText(source.value || source.textContent.trim()).then(() => {
    button.textContent = "Copied";
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copyText(button);
});
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});
// A form that makes the server ask a provider says so, and is not sent twice.
function setBusy(form, isBusy) {
  for (const part of form?.querySelectorAll("[data-busy]") ?? []) part.hidden = !isBusy;
}
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (event.target.querySelector("[data-busy]:not([hidden])")) event.preventDefault();
  else setBusy(event.target, true);
});
document.addEventListener("htmx:beforeRequest", (event) => setBusy(event.target.closest("form"), true));
document.addEventListener("htmx:afterRequest", (event) => setBusy(event.target.closest("form"), false));
window.addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => setBusy(form, false)));
document.addEventListener("htmx:beforeRequest", (event) => {
  // A page that nobody looks at asks for nothing; it asks again once it is looked at.
  const polls = event.target.getAttribute("hx-trigger")?.startsWith("every");
  if (polls && document.hidden) event.preventDefault();
});
// Number keys press the buttons of what has the focus: 1 the first, 0 the one that says so.
document.addEventListener("keydown", (event) => {
  const card = event.target.closest("[data-keys]");
  const typing = event.target.matches("input, textarea, select");
  if (!card || typing || !/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  const zero = card.querySelector("[data-key='0']");
  const plain = [...card.querySelectorAll("form button:not([data-key])")];
  (event.key === "0" ? zero : plain[event.key - 1])?.click();
});
document.addEventListener("htmx:load", (event) => showLocalTimes(event.target));
showLocalTimes(document);
for (const part of document.querySelectorAll("[data-with-script]")) part.hidden = false;
