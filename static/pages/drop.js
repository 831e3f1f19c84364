// Forms for files work without this: a chosen file is looked at once, and the place shows that it
// takes what is dragged over it.
"use strict";

const over = (event) => event.target.closest?.(".drop");

// Says what the server cannot say, because it was not asked or did not answer; "" takes it away.
const tell = (form, what) => {
  for (const each of form.querySelectorAll("[data-when]")) each.hidden = each.dataset.when !== what;
};

for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => over(event)?.classList.add("over"));
}
for (const name of ["dragleave", "drop", "dragend"]) {
  document.addEventListener(name, (event) => over(event)?.classList.remove("over"));
}

// A file that misses the place would be opened instead of this page.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (document.querySelector(".drop") && !over(event)) event.preventDefault();
  });
}

document.addEventListener("drop", (event) => {
  const place = over(event);
  if (!place || event.dataTransfer.files.length < 2) return;
  event.preventDefault();
  tell(place.closest("form"), "several");
});

document.addEventListener("change", (event) => {
  const input = event.target;
  if (!input.matches(".drop input") || !input.files.length) return;
  const isLarge = input.files[0].size > Number(input.dataset.most);
  tell(input.form, isLarge ? "large" : "");
  if (isLarge) input.value = "";
  else input.form.requestSubmit();
});

for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, () => {
    const form = document.querySelector("form.files");
    if (form) tell(form, "lost");
  });
}
