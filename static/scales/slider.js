/* The line beside the number field of a slider. It has a place for its handle only once there is an
   answer: until then the field is empty, and nothing is sent. The page works without it. */
for (const slider of document.querySelectorAll(".slider")) {
  const field = slider.querySelector(".value");
  const line = slider.querySelector(".line");

  const isAnswered = () => /^\d+(\.0+)?$/.test(field.value.trim()) && Number(field.value) <= Number(line.max);

  function draw() {
    line.value = isAnswered() ? field.value : line.defaultValue;
    slider.classList.toggle("untouched", !isAnswered());
    if (isAnswered()) line.removeAttribute("aria-valuetext");
    else line.setAttribute("aria-valuetext", line.dataset.untouched);
  }

  function take() {
    field.value = line.value;
    draw();
  }

  // Touched where the handle would stand, the line does not move, and the browser says nothing.
  function touch() {
    if (isAnswered()) return;
    take();
    line.dispatchEvent(new Event("change", { bubbles: true }));
  }

  line.addEventListener("input", take);
  line.addEventListener("click", touch);
  line.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    touch();
  });
  field.addEventListener("input", draw);
  slider.closest(".question").addEventListener("shown", draw);
  window.addEventListener("pageshow", draw);
  line.hidden = false;
  slider.classList.add("with-line");
  draw();
}
