/* The rater's page: saves that outlive a lost network, keys, gaps. The page works without it. */
"use strict";

(() => {
  const HEARD = [200, 404, 409, 422]; // what else comes is of a proxy or a fault: nobody kept the answer
  const form = document.getElementById("rate");
  if (form) rate(form);
  const stimulus = document.getElementById("stimulus");
  if (stimulus) keepInReach(stimulus, document.querySelector("[data-stimulus-bar]"));
  document.querySelectorAll("form").forEach(sendOnce);
  document.querySelectorAll("form[data-width]").forEach((one) => {
    one.addEventListener("formdata", (event) => event.formData.set("width", screen.width));
  });
  if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach(offerCopy);

  // A frame of another site may have no storage at all: even asking for it fails there.
  function storage() {
    try {
      return sessionStorage;
    } catch {
      return { getItem: () => null, setItem() {}, removeItem() {} };
    }
  }

  function channel(name) {
    try {
      return new BroadcastChannel(name);
    } catch {
      return { postMessage() {} };
    }
  }

  // What a link of the page leads to opens over it instead.
  document.querySelectorAll("[data-dialog]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    show(document.querySelector(link.hash));
  }));

  function show(dialog) {
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  document.querySelectorAll("dialog").forEach((dialog) => {
    dialog.addEventListener("click", (event) => { // beside it, not between the words within it
      const box = dialog.getBoundingClientRect();
      const isInside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
      if (event.target === dialog && !isInside) dialog.close();
    });
  });

  // Where the text has left the screen, a bar stays on top that unfolds it over the page.
  function keepInReach(text, bar) {
    const [pane, over] = [text.firstElementChild, document.getElementById("over")];
    let isAway = false;
    new IntersectionObserver((entries) => {
      const { isIntersecting, boundingClientRect } = entries.at(-1);
      isAway = !isIntersecting && boundingClientRect.bottom < 45;
      if (!over.open) bar.classList.toggle("stuck", isAway);
    }, { rootMargin: "-44px 0px 0px" }).observe(text);
    bar.querySelector("button").addEventListener("click", () => {
      text.style.minHeight = `${text.offsetHeight}px`; // its place is kept: nothing moves below it
      over.append(pane);
      show(over);
    });
    over.addEventListener("close", () => {
      text.append(pane);
      text.style.minHeight = "";
      bar.classList.toggle("stuck", isAway);
    });
  }

  function sendOnce(plain) {
    if (plain === form || plain.method === "dialog") return;
    let sent = false;
    plain.addEventListener("submit", (event) => {
      if (sent) return event.preventDefault();
      sent = true;
      setTimeout(() => (sent = false), 5000); // where nothing came of it, it can be tried again
    });
    window.addEventListener("pageshow", () => (sent = false));
  }

  function offerCopy(button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = button.dataset.done;
      } catch { // not allowed in another site's frame
        getSelection().selectAllChildren(source);
        button.textContent = button.dataset.select;
      }
    });
  }

  function rate(form) {
    const questions = [...form.querySelectorAll(".question")];
    const status = document.getElementById("saving");
    const notice = document.getElementById("missing");
    const unusable = document.getElementById("unusable"); // answers that the server refused
    const next = form.querySelector("[name=go][value=next]");
    const onTheirWay = new Set();
    const lost = new Set();
    let leaving = null; // the button pressed, while answers are still on their way
    let gone = false; // the page is being left: a second click does nothing
    let held = false; // a mouse button or a finger is down
    let retry = 0;
    const kept = storage();
    const touched = new Map(); // question: when its answer was given, in this tab or another
    const sent = new Map(); // question: what is on its way, for the other tabs
    const others = channel("answers");

    const inputs = (question) => [...question.querySelectorAll("input, textarea")];
    const radios = (question) => inputs(question).filter((input) => input.type === "radio");
    const boxes = (question) => inputs(question).filter((input) => input.type === "checkbox");
    const holder = (question) =>
      radios(question).length ? radios(question).find((radio) => radio.checked) : inputs(question)[0];
    const valueOf = (question) =>
      boxes(question).length
        ? boxes(question).filter((box) => box.checked).map((box) => box.value).join(" | ")
        : holder(question)?.value.trim() ?? "";
    const shelf = (question) => "unsent " + question.getAttribute("hx-post");
    const why = (question) => question.querySelector(".why textarea"); // null: it is not asked
    const whyOf = (question) => why(question)?.value.trim() ?? "";
    const isTyping = () => document.activeElement?.matches("textarea, input:not([type=radio], [type=checkbox])");
    const lacksWhy = (question) => why(question)?.required && valueOf(question) && !whyOf(question);
    // A reason without an answer could not be kept.
    const lacksAnswer = (question) => !valueOf(question) && ("required" in question.dataset || whyOf(question));
    const isGap = (question) => lacksAnswer(question) || lacksWhy(question);
    const stay = () => (leaving = null);
    const ways = { questions, next, isGap, valueOf, stay, mark, focusOn };
    const steps = questions.length > 1 ? window.oneAtATime?.(form, ways) : null; // static/layouts.js

    function say(word) {
      status.textContent = form.dataset[word] ?? "";
      status.classList.toggle("lost", word === "lost" || word === "outdated");
    }

    // Saves. What could not be sent is kept in this tab only, and forgotten once it is sent.
    document.addEventListener("htmx:beforeRequest", (event) => {
      const question = event.target;
      onTheirWay.add(question);
      const values = [valueOf(question), whyOf(question)];
      sent.set(question, [shelf(question), ...values, touched.get(question) ?? 0]);
      if (!lost.size) say("saving");
    });
    document.addEventListener("htmx:afterRequest", (event) => {
      const question = event.target;
      const code = event.detail.xhr.status;
      onTheirWay.delete(question);
      lost.delete(question);
      if (!HEARD.includes(code)) return keep(question);
      forget(question);
      if (code === 404 || code === 409) return outdated();
      if (code === 200) others.postMessage(sent.get(question));
      if (code === 422) leaving = null;
      if (code === 422 && steps && !isTyping()) focusOn(question);
      if (lost.size) return;
      say(code === 422 ? "" : "saved");
      setTimeout(leave); // later: a newer answer to the same question may be sent first
      if (question.classList.contains("gap")) mark(question, isGap(question)); // over the new mark
    });

    function keep(question) {
      lost.add(question);
      kept.setItem(shelf(question), valueOf(question));
      keepWhy(question);
      question.querySelector(".mark").replaceChildren(); // it may say "saved" of the answer before
      say("lost");
      clearTimeout(retry);
      if (navigator.onLine) retry = setTimeout(sendLost, 3000);
    }

    function forget(question) {
      kept.removeItem(shelf(question));
      kept.removeItem(shelf(question) + " why");
    }

    function keepWhy(question) {
      if (why(question)) kept.setItem(shelf(question) + " why", why(question).value);
    }

    // A reason comes to its answer: what is typed before waits on the page until there is one.
    ["input", "change"].forEach((type) => form.addEventListener(type, (event) => {
      const question = event.target.closest(".question");
      if (!event.target.closest(".why") || valueOf(question)) return;
      keepWhy(question);
      event.stopPropagation();
    }, true));

    function outdated() {
      leaving = null;
      say("outdated");
    }

    function sendLost() {
      lost.forEach((question) => window.htmx.trigger(question, "change"));
      if (!lost.size) leave();
    }

    function show(question, value, words) {
      if (words !== null && why(question)) why(question).value = words;
      if (value === null) return;
      setValue(question, value);
      question.dispatchEvent(new Event("shown")); // for a control that draws its value
    }

    function setValue(question, value) {
      const [first] = inputs(question);
      if (first.type === "checkbox") {
        boxes(question).forEach((box) => (box.checked = value.split(" | ").includes(box.value)));
      } else if (first.type === "radio") radios(question).forEach((radio) => (radio.checked = radio.value === value));
      else first.value = value;
    }

    function restore() {
      for (const question of questions) {
        const unsent = kept.getItem(shelf(question));
        show(question, unsent, kept.getItem(shelf(question) + " why"));
        if (unsent !== null) window.htmx.trigger(question, "change");
      }
    }

    // What is saved in one tab is shown in every other: at *Next* an older answer would win there.
    ["input", "change"].forEach((type) => form.addEventListener(type, (event) => {
      const question = event.target.closest(".question");
      if (question && event.target !== question) touched.set(question, Date.now());
    }, true));
    others.onmessage = ({ data: [name, value, words, at] }) => {
      const question = questions.find((own) => shelf(own) === name);
      if (!question || at <= (touched.get(question) ?? 0)) return;
      touched.set(question, at);
      if (lost.delete(question) && !lost.size) say("saved");
      const waits = !words && !valueOf(question) && whyOf(question); // a reason typed before its answer
      if (!waits) forget(question);
      show(question, value, waits ? null : words);
      countDone();
      mark(question, false);
      question.querySelector(".mark").replaceChildren(); // it may ask for the answer that is there now
      countAgain();
    };

    // Going on: never with a gap, never before the last answer has arrived.
    const isReady = () => !onTheirWay.size && !lost.size && navigator.onLine;

    function leave() {
      if (leaving && isReady()) form.requestSubmit(leaving);
      else if (leaving && !onTheirWay.size) say("lost");
    }

    form.addEventListener("submit", (event) => {
      const button = event.submitter ?? next;
      if (steps && button === next && !leaving && steps.goOn()) return event.preventDefault();
      if (gone || (!leaving && button === next && showGaps())) return event.preventDefault();
      leaving = leaving ?? button;
      gone = isReady();
      if (gone) return setTimeout(() => (gone = false), 5000);
      event.preventDefault();
      if (!onTheirWay.size) say("lost");
    });

    function showGaps() {
      const gaps = questions.filter(isGap);
      countGaps(gaps);
      questions.forEach((question) => mark(question, gaps.includes(question)));
      if (gaps.length) focusOn(gaps[0], "center");
      return gaps.length > 0;
    }

    function countGaps(gaps) {
      notice.hidden = !gaps.length;
      // The words for 1, for 2 and so on: how many forms there are depends on the language.
      notice.textContent = notice.dataset.words.split("|")[gaps.length - 1] ?? "";
    }

    function mark(question, gap) {
      question.classList.toggle("gap", gap);
      const words = lacksWhy(question) ? form.dataset.why : form.dataset.gap;
      const place = question.querySelector(".mark");
      if (gap) place.classList.add("kept"); // its line stays when it is answered: nothing moves
      if (gap) place.replaceChildren(wrong(words));
    }

    function wrong(text) {
      const span = document.createElement("span");
      span.className = "wrong";
      span.textContent = text;
      return span;
    }

    // How far one has come: the pages before this one, and of this one what is answered.
    const bar = document.querySelector("progress[data-before]");

    const isDone = (question) => valueOf(question) && !lacksWhy(question);

    function countDone() {
      if (bar && questions.length) bar.value = Number(bar.dataset.before) + questions.filter(isDone).length / questions.length;
    }

    form.addEventListener("change", (event) => {
      countDone();
      const question = event.target.closest(".question");
      question?.classList.remove("gap");
      if (steps && pressed && event.isTrusted && event.target.type === "radio" && !why(question)) steps.goOn();
      else if (tapped && event.isTrusted && event.target.type === "radio") showAfter(question);
      // A button that is being pressed ends the typing: it must not move away before it is let go.
      if (held) document.addEventListener("pointerup", () => setTimeout(countAgain), { once: true });
      else countAgain();
    });

    function countAgain() {
      const isRefused = (question) => question.classList.contains("gap") && !isGap(question);
      if (!questions.some(isRefused)) unusable?.remove();
      if (!notice.hidden) countGaps(questions.filter(isGap));
    }

    for (const [type, value] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
      document.addEventListener(type, () => (held = value), true);
    }

    // A tap leaves the focus where it is; what is seen already does not move.
    let [pressed, tapped] = [false, false];
    document.addEventListener("pointerdown", (event) => {
      pressed = true;
      tapped = event.pointerType !== "mouse";
    }, true);
    document.addEventListener("keydown", () => (pressed = tapped = false), true);

    function showAfter(question) {
      if (lacksWhy(question)) return; // its reason comes first
      const following = questions.slice(questions.indexOf(question) + 1).find((other) => !valueOf(other));
      const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
      (following ?? next).scrollIntoView({ block: "nearest", behavior });
    }

    // Keys. The focus goes to a question, not to an option of it: that would look like an answer.
    function focusOn(question, block = "nearest") {
      if (steps) steps.show(question);
      const field = lacksWhy(question) ? why(question) : inputs(question)[0];
      (field.matches("[type=radio], [type=checkbox]") ? question : field).focus({ preventScroll: true });
      question.scrollIntoView({ block });
    }

    const chosenBy = (question, key) =>
      inputs(question).find((input) => input.getAttribute("aria-keyshortcuts")?.split(" ").includes(key));

    function answer(question, input) {
      input.checked = input.type === "radio" || !input.checked;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      if (steps && why(question)) return why(question).focus();
      if (input.type === "checkbox") return input.focus({ preventScroll: true }); // more may follow
      const following = questions[questions.indexOf(question) + 1];
      if (following) focusOn(following);
      else next.focus();
    }

    document.addEventListener("keydown", (event) => {
      const target = event.target;
      const types = target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
      if (types || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "Enter" && !target.matches("button, a, summary, audio")) {
        event.preventDefault();
        return form.requestSubmit(next);
      }
      const near = target.closest(".question") ?? target.closest(".part")?.querySelector(".question");
      const question = near ?? steps?.shown() ?? questions.find((one) => !valueOf(one));
      // Digits of Arabic, Persian and Chinese keyboards mean the same.
      const key = /^[٠-٩۰-۹０-９]$/.test(event.key) ? String(event.key.charCodeAt(0) & 15) : event.key.toLowerCase();
      const input = question && chosenBy(question, key);
      if (!input) return;
      event.preventDefault(); // the focus may move into a text, where the key would be typed
      answer(question, input);
    });

    window.addEventListener("online", sendLost);
    window.addEventListener("offline", () => say("lost"));
    window.addEventListener("pageshow", () => ((leaving = null), (gone = false)));
    if (matchMedia("(hover: hover) and (pointer: fine)").matches) {
      form.querySelectorAll(".hint").forEach((hint) => (hint.hidden = false));
    }
    if (steps) steps.start();
    document.querySelector(".question.gap")?.scrollIntoView({ block: "center" });
    window.addEventListener("load", () => { // htmx is ready by then
      restore();
      if (steps) steps.start();
    });
  }
})();
