// Forms for files work without this: a chosen file is looked at once, unless it is submitted, and the place shows that it
// takes what is dragged over it.
"use strict";

const over = (event) => event.target.closest?.(".drop");

const isSeveral = (event) => {
  const items = [...(event.dataTransfer?.items ?? [])];
  return items.filter((each) => each.kind === "file").length > 1;
};

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

// A file that misses the place would be opened instead of this page, and several of them would be
// refused by the browser, without a word.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (!document.querySelector(".drop")) return;
    if (!over(event) || isSeveral(event)) event.preventDefault();
  });
}

document.addEventListener("drop", (event) => {
  const place = over(event);
  if (place && isSeveral(event)) tell(place.closest("form"), "several");
});

document.addEventListener("change", (event) => {
  const input = event.target;
  if (!input.matches(".drop input") || !input.files.length) return;
  const isLarge = input.files[0].size > Number(input.dataset.most);
  tell(input.form, isLarge ? "large" : "");
  if (isLarge) input.value = "";
  else if (!input.form.dataset.uploads) input.form.requestSubmit();
});

// Where the session or the challenge has ended meanwhile another page answers: it is opened.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { shouldSwap, target, xhr } = event.detail;
  if (!shouldSwap || target.id !== "file" || xhr.response.includes('id="looked-at"')) return;
  event.detail.shouldSwap = false;
  location.assign(xhr.responseURL);
});

for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, () => {
    const form = document.querySelector("form.files");
    if (form) tell(form, "lost");
  });
}
