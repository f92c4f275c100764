// Looks every few seconds how far the rater's lists are, and shows it; without it there is a link.
"use strict";
(() => {
  const look = async () => {
    const card = document.getElementById("waiting");
    const seconds = Number(card.dataset.again);
    if (!seconds) return;
    await new Promise((done) => setTimeout(done, seconds * 1000));
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (answer.redirected) return location.reload();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("waiting");
      if (!answer.ok || !fresh) throw new Error("no page of the session");
      if (!fresh.dataset.again) return location.reload();
      const told = card.querySelector("[role=status]");
      const now = fresh.querySelector("[role=status]").textContent;
      if (told.textContent !== now) told.textContent = now;
    } catch {
      // Offline, or the server starts anew: the next look may find it.
    }
    look();
  };
  look();
})();
