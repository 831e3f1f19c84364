// Forms work without this: it puts a slider beside each weight. The slider has no name, so only the
// field is sent, and it is hidden from screen readers, for which the field is enough.
"use strict";

for (const field of document.querySelectorAll(".weight input[type=number]")) {
  const slider = document.createElement("input");
  const unit = Number(field.dataset.official) || 1;
  Object.assign(slider, { type: "range", min: 0, max: 3 * unit, step: unit / 20, tabIndex: -1 });
  slider.value = field.value;
  slider.setAttribute("aria-hidden", "true");
  slider.addEventListener("input", () => (field.value = slider.value));
  field.addEventListener("input", () => (slider.value = field.value));
  field.after(slider);
}
