// Forms for files work without this: a chosen file is looked at once, and the place shows that it
// takes what is dragged over it.
"use strict";

const over = (event) => event.target.closest?.(".drop");

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

document.addEventListener("change", (event) => {
  if (event.target.matches(".drop input") && event.target.files.length) {
    event.target.form.requestSubmit();
  }
});
