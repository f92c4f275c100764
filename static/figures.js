/* Draws the figures of analysis pages from JSON blocks, in the colours of the style sheet. */
"use strict";
(function () {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = window.matchMedia("(max-width: 40rem)");
  const config = { displayModeBar: false, responsive: true };
  const axis = {
    gridcolor: "var(--line)",
    zerolinecolor: "var(--soft)",
    zeroline: false,
    showline: true,
    linecolor: "var(--line)",
    automargin: true,
    fixedrange: true,
  };
  /* What all figures share; a figure's own layout goes before it. */
  const template = {
    layout: {
      margin: { l: 10, r: 10, t: 30, b: 45 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: "var(--ink)", family: "system-ui, sans-serif", size: 13 },
      hoverlabel: { bgcolor: "var(--paper)", font: { color: "var(--ink)" } },
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
      xaxis: axis,
      yaxis: axis,
    },
  };

  function themed(value, style) {
    if (typeof value === "string" && value.startsWith("var(--")) {
      return style.getPropertyValue(value.slice(4, -1)).trim();
    }
    if (Array.isArray(value)) return value.map((part) => themed(part, style));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, part]) => [k, themed(part, style)]));
    }
    return value;
  }

  function merged(value, changes) {
    if (!changes || typeof changes !== "object" || Array.isArray(changes)) return changes;
    const whole = { ...value };
    for (const [key, part] of Object.entries(changes)) whole[key] = merged(whole[key], part);
    return whole;
  }

  /* On a phone: titles of axes are smaller, and their n has a line of its own. */
  function smaller(layout) {
    for (const [key, axis] of Object.entries(layout)) {
      if (/^[xy]axis/.test(key) && axis.title) {
        axis.title = { text: axis.title.text.replaceAll(" (", "<br>("), font: { size: 11 } };
      }
    }
    return layout;
  }

  function draw(plot) {
    const figure = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
    if (narrow.matches) figure.layout = smaller(merged(figure.layout, figure.narrow));
    figure.layout.template = template;
    const { data, layout } = themed(figure, getComputedStyle(document.documentElement));
    if (plot.dataset.drawn) return Plotly.react(plot, data, layout, config);
    plot.dataset.drawn = "yes";
    return Plotly.newPlot(plot, data, layout, config).then(() => lead(plot));
  }

  /* A judge's dot opens the items on which it and people differ. */
  function lead(plot) {
    const query = (event) => plot.dataset.items && event.points[0].customdata;
    plot.on("plotly_hover", (event) => plot.classList.toggle("leads", Boolean(query(event))));
    plot.on("plotly_unhover", () => plot.classList.remove("leads"));
    plot.on("plotly_click", (event) => {
      if (query(event)) window.location.assign(`${plot.dataset.items}?${query(event)}`);
    });
  }

  function save(event) {
    const button = event.target.closest("[data-picture]");
    if (!button) return;
    const plot = document.querySelector(`[data-figure="${button.dataset.figureId}"]`);
    const style = getComputedStyle(document.documentElement);
    // A picture has no page behind it.
    const layout = { paper_bgcolor: style.getPropertyValue("--paper").trim() };
    Plotly.relayout(plot, layout).then(() =>
      Plotly.downloadImage(plot, {
        format: button.dataset.picture,
        filename: plot.dataset.name,
        width: plot.clientWidth,
        height: plot.clientHeight,
        scale: button.dataset.picture === "png" ? 2 : 1,
      })
    );
  }

  const plots = [];
  const MANY = 12; // so many are drawn at once; of more, and of folded ones, those that come near the window

  function drawNear(entries, observer) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      draw(target);
    }
  }

  function take(root) {
    const found = Array.from(root.querySelectorAll("[data-figure]:not([data-taken])"));
    found.forEach((plot) => {
      plot.dataset.taken = "yes";
      plot.closest("figure").querySelector("[data-pictures]").removeAttribute("hidden");
    });
    plots.push(...found);
    const later = found.filter((plot) => found.length > MANY || plot.closest("details:not([open])"));
    found.filter((plot) => !later.includes(plot)).forEach(draw);
    if (later.length) {
      const observer = new IntersectionObserver(drawNear, { rootMargin: "100% 0px" });
      later.forEach((plot) => observer.observe(plot));
      window.addEventListener("beforeprint", () => plots.filter((plot) => !plot.dataset.drawn).forEach(draw));
    }
  }

  take(document);
  // Figures that come later, in a part of the page that is loaded by itself.
  document.addEventListener("htmx:afterSettle", () => take(document));
  const again = () => plots.filter((plot) => plot.dataset.drawn).forEach(draw);
  [dark, narrow].forEach((query) => query.addEventListener("change", again));
  document.addEventListener("click", save);
})();
