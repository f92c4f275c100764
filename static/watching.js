/* What an item's page tells by itself: how long it was looked at, and what could not be loaded. */
"use strict";

(() => {
  const form = document.getElementById("rate");
  if (!form) return;
  const media = () => [...document.querySelectorAll("[data-content]")];
  if (form.dataset.timeUrl) watch(); // practice, checks and repeated items are not timed
  tellMissing();
  document.addEventListener("play", ({ target }) => { // one recording at a time
    for (const one of media()) if (one !== target && one.tagName === "AUDIO") one.pause();
  }, true);

  function watch() {
    const IDLE = 30000; // ms without a sign after which nobody is there
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    const view = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    let at = performance.now(); // until when it is counted
    let sign = at; // the last sign of somebody
    let hidden = document.hidden;
    let playing = false;
    let active = 0;
    let idle = 0;

    function count() {
      const now = performance.now();
      const until = hidden ? at : playing ? now : Math.min(now, sign + IDLE);
      const seen = Math.max(until - at, 0);
      active += seen;
      idle += now - at - seen;
      at = now;
    }

    function signed() {
      count();
      sign = at;
    }

    function sums() {
      count();
      return { view, active: (active / 1000).toFixed(2), idle: (idle / 1000).toFixed(2), ...window.heard?.() };
    }

    function send() {
      navigator.sendBeacon?.(form.dataset.timeUrl, new URLSearchParams(sums()));
    }

    for (const name of ["pointerdown", "pointermove", "keydown", "input", "wheel", "touchmove"]) {
      document.addEventListener(name, signed, { passive: true, capture: true });
    }
    window.addEventListener("scroll", signed, { passive: true, capture: true });
    for (const name of ["play", "pause", "ended"]) {
      document.addEventListener(name, () => {
        signed();
        playing = media().some((one) => one.tagName === "AUDIO" && !one.paused && !one.ended);
      }, true);
    }
    document.addEventListener("visibilitychange", () => {
      signed();
      hidden = document.hidden;
      if (hidden) send();
    });
    window.addEventListener("pagehide", send);
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) at = sign = performance.now(); // it was put aside meanwhile
    });
    form.addEventListener("formdata", (event) => {
      for (const [name, value] of Object.entries(sums())) event.formData.set(name, value);
    });
  }

  // Pictures and recordings that do not load: said once for each of a page.
  function tellMissing() {
    const told = new Set();

    function missing(one) {
      const kind = one.tagName === "AUDIO" ? "audio" : "image";
      const what = kind + one.dataset.content;
      if (one.nextElementSibling?.matches(".no-audio")) {
        one.hidden = true;
        one.nextElementSibling.hidden = false;
      }
      if (told.has(what) || !navigator.onLine) return;
      told.add(what);
      const body = new URLSearchParams({ content: one.dataset.content, kind });
      fetch(form.dataset.missingUrl, { method: "POST", body, keepalive: true }).catch(() => {});
    }

    document.addEventListener("error", (event) => {
      if (event.target.matches?.("[data-content]")) missing(event.target);
    }, true);
    for (const one of media()) { // those that failed before this script ran
      if (one.tagName !== "IMG" || !one.complete || one.naturalWidth) continue;
      const again = new Image(); // a picture further down may only not have been asked for yet
      again.onerror = () => missing(one);
      again.src = one.src;
    }
  }
})();
