// Names the parts of Django's widgets that have no label of their own, for screen readers.
"use strict";

function nameParts() {
  for (const row of document.querySelectorAll(".form-row")) {
    const label = row.querySelector("label, legend");
    if (!label) continue;
    const name = label.textContent.replace(/:\s*$/, "");
    for (const part of row.querySelectorAll(".select2-selection, .select2-selection__rendered")) {
      part.setAttribute("aria-label", name);
    }
    for (const part of row.querySelectorAll(".datetime input")) {
      const kind = part.previousSibling?.textContent.trim().replace(/:$/, "") ?? "";
      part.setAttribute("aria-label", `${name} ${kind}`.trim());
    }
  }
}

// jQuery builds the widgets in a task of its own.
window.addEventListener("load", () => setTimeout(nameParts));
