// Pages work without this: where the server refuses what htmx asked for, or another page answers, a
// link is followed as usual, and words stand above the part that stays as it was.
"use strict";

{
  const notice = document.createElement("p");
  notice.className = "notice warning";
  notice.setAttribute("role", "alert");

  const fail = ({ detail: { elt, target } }) => {
    if (elt.matches("a[href]")) return location.assign(elt.href);
    notice.textContent = document.body.dataset.failed;
    target.before(notice);
  };

  const isOther = ({ pathInfo, xhr }) =>
    new URL(pathInfo.requestPath, location).pathname !== new URL(xhr.responseURL).pathname;

  document.addEventListener("htmx:responseError", fail);
  document.addEventListener("htmx:sendError", fail);

  // Whoever is signed out meanwhile is led to another page: it is not put into this one.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.shouldSwap || !isOther(event.detail)) return;
    event.detail.shouldSwap = false;
    fail(event);
  });

  document.addEventListener("htmx:afterSwap", () => notice.remove());
}
