// The page "Preparing metric scripts" works without this: it presses the button when nothing is
// under way any more, and keeps it from being pressed twice.
"use strict";

const save = document.getElementById("save");

function saveWhenSettled() {
  if (document.querySelector("[data-done]") && !save.dataset.posted) save.requestSubmit();
}

save.addEventListener("submit", (event) => {
  if (save.dataset.posted) event.preventDefault();
  save.dataset.posted = "yes";
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) delete save.dataset.posted;
});
document.addEventListener("htmx:afterSettle", saveWhenSettled);
saveWhenSettled();
