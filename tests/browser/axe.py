"""axe-core on a page: what breaks WCAG 2.2 AA, and layouts that it does not measure."""

from pathlib import Path

import axe_playwright_python

SOURCE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# A colour that is on its way from one scheme to the other is nobody's. It is sent to its end: one
# of an element that was replaced meanwhile may never get there by itself.
RUN = """async tags => {
  document.getAnimations().filter(one => one.effect.getComputedTiming().endTime < Infinity)
    .forEach(one => one.finish());
  const found = await axe.run(
    {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]});
  return found.violations.flatMap(one => one.nodes.map(node =>
    `${one.id} (${one.help}): ${node.target.join(" ")} ${node.html.slice(0, 160)} ` +
    node.any.concat(node.all).map(check => check.message).join("; ").slice(0, 200)));
}"""
# What stands out of the page to the side, and text that its box cuts off.
CUT = """() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const cut = [...document.querySelectorAll("body *")].filter(one => {
    const style = getComputedStyle(one);
    const hidden = ".visually-hidden, .stacks thead, .skip, .lines, progress, audio, .cover";
    if (one.closest(hidden)) return false;
    const box = one.getBoundingClientRect();
    if (!box.width || style.position === "fixed") return false;
    const out = box.left < -1 || box.right > innerWidth + 1;
    const cuts = !["visible", "auto"].includes(style.overflowX);
    return (out && !one.closest(".scroll")) || (cuts && one.scrollWidth > one.clientWidth + 1);
  });
  return [...(wide > 0 ? [`${wide} px too wide`] : []),
          ...cut.map(one => "cut: " + one.outerHTML.slice(0, 120))];
}"""
SMALL = """() => [...document.querySelectorAll(
    "button, .button, summary, textarea, audio, label:has(input), " +
    "input:not([type=radio], [type=checkbox], [type=hidden])")]
  .filter(one => one.checkVisibility() && !one.closest(".skip"))
  .map(one => [one, one.getBoundingClientRect()])
  .filter(([one, box]) => box.height < 43.99 || box.width < 43.99)
  .map(([one, box]) => `${box.width}×${box.height}: ${one.outerHTML.slice(0, 120)}`)"""
MOVES = """() => [document.documentElement, ...document.querySelectorAll("*")].filter(one =>
    ["", "::before", "::after"].some(part => {
      const style = getComputedStyle(one, part || null);
      return style.animationName !== "none" || style.scrollBehavior === "smooth" ||
        style.transitionDuration.split(",").some(time => parseFloat(time) > 0);
    })).map(one => one.outerHTML.slice(0, 120))"""


def violations(page):
    """What axe-core finds; it is injected as the debugger does, so the policy stays as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SOURCE)
    return page.evaluate(RUN, TAGS)


def cut(page):
    """What is cut off or makes the page scroll sideways."""
    return page.evaluate(CUT)


def small(page):
    """A rater's controls under 44 × 44 px."""
    return page.evaluate(SMALL)


def moving(page):
    """What has an animation, a transition or smooth scrolling."""
    return page.evaluate(MOVES)


def report(found):
    """What was found, a line each; found: {where: its problems}."""
    return "\n".join(f"{where}: {one}" for where, problems in found.items() for one in problems)
