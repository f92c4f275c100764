/* One question at a time, where the study wants it: the others wait until their turn. */
"use strict";

window.oneAtATime = (form, { questions, next, isGap, valueOf, stay, mark, focusOn }) => {
  const [back, earlier] = [form.querySelector("[name=go][value=back]"), form.querySelector(".earlier")];
  const words = next.textContent;
  let now = 0;

  function show(question) {
    now = questions.indexOf(question);
    questions.forEach((other) => (other.hidden = other !== question));
    earlier.hidden = !now;
    if (back) back.hidden = now > 0;
    next.textContent = now === questions.length - 1 ? words : earlier.dataset.onward;
  }

  // Returns whether it stays on this page: at the next question, or at this one if it is a gap.
  function goOn() {
    const question = questions[now];
    if (now === questions.length - 1) return false;
    mark(question, isGap(question));
    focusOn(isGap(question) ? question : questions[now + 1]);
    return true;
  }

  function start() {
    const refused = questions.find((question) => question.classList.contains("gap"));
    show(refused ?? questions.find((question) => !valueOf(question)) ?? questions[0]);
    questions.forEach((question, i) => (question.querySelector(".no").textContent = `${i + 1} / ${questions.length}`));
  }

  earlier.addEventListener("click", () => {
    stay();
    focusOn(questions[now - 1]);
  });
  // The second click of a double click would answer the question that has come meanwhile.
  form.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest(".options")) event.preventDefault();
  }, true);
  return { show, goOn, start, shown: () => questions[now] };
};
