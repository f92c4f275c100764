"use strict";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const darken = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", darken);
darken();

// Requests that are tried here carry the token of "Authorize", never the session: it only reads.
SwaggerUIBundle({
  ...{{ settings|safe }},
  url: "{{ schema_url|escapejs }}",
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  supportedSubmitMethods: ["get", "post", "patch"],
});
