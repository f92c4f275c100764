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
document.addEventListener("htmx:load", (event) => showLocalTimes(event.target));
showLocalTimes(document);
