// The page works without this: the steps are links. Here, keys of a keyboard or of a presenter follow them.
"use strict";

const GO_ON = new Set(["ArrowRight", "PageDown", " "]);
const GO_BACK = new Set(["ArrowLeft", "PageUp"]);

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  const way = GO_ON.has(event.key) ? "next" : GO_BACK.has(event.key) ? "prev" : "";
  const link = way && document.querySelector(`a[rel=${way}]`);
  if (!link) return;
  event.preventDefault();
  location.replace(link.href); // the history keeps one entry for all steps
});
