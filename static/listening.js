/* What was heard of the page's recordings and which descriptions were unfolded; watching.js tells it. */
"use strict";

(() => {
  const unfolded = new Set(); // contents
  const rounded = (seconds) => Math.round(seconds * 10) / 10;

  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.dataset.about) unfolded.add(target.dataset.about);
  }, true);

  // Of each content: which parts of its recording were played (null: none can be), its length,
  // whether its description was unfolded. The same content may stand in two lists.
  window.heard = () => {
    const reports = {};
    for (const { dataset } of document.querySelectorAll("details[data-about]")) {
      reports[dataset.about] = [null, null, unfolded.has(dataset.about)];
    }
    for (const audio of document.querySelectorAll("audio[data-content]:not([hidden])")) {
      const [parts, length, isUnfolded] = reports[audio.dataset.content] ?? [null, null, null];
      const part = (_, n) => [audio.played.start(n), audio.played.end(n)].map(rounded);
      const played = Array.from({ length: audio.played.length }, part);
      const own = Number.isFinite(audio.duration) ? rounded(audio.duration) : length;
      reports[audio.dataset.content] = [[...(parts ?? []), ...played], own, isUnfolded];
    }
    return Object.keys(reports).length ? { heard: JSON.stringify(reports) } : {};
  };
})();
