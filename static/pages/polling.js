// Parts that update by themselves work without this: a hidden page does not ask, it asks less often
// where the server refuses or is away, and no more where the page is gone or another one answers.
"use strict";

const FIRST = 4_000;
const LONGEST = 300_000;
const GONE = new Set([401, 403, 404, 410]);

let pause = 0;
let next = 0;

const asksAgain = (element) => element.dataset.hxTrigger?.startsWith("every ");

document.addEventListener("htmx:beforeRequest", (event) => {
  if (asksAgain(event.detail.elt) && (document.hidden || Date.now() < next)) event.preventDefault();
});

// Whoever is signed out meanwhile is led to another page: it is not put into this one.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const [asked, answered] = [detail.pathInfo.requestPath, detail.xhr.responseURL];
  const isOther = new URL(asked, location).pathname !== new URL(answered).pathname;
  if (!asksAgain(detail.elt) || !isOther) return;
  detail.shouldSwap = false;
  next = Infinity;
});

// What a reader has opened or closed, and how far a log was read, stays through an update.
let parts = [];

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!asksAgain(detail.elt)) return;
  parts = [...detail.elt.querySelectorAll("details[id]")].map((part) => {
    const log = part.querySelector("pre");
    const isAtEnd = log && log.scrollHeight - log.scrollTop - log.clientHeight < 4;
    return { id: part.id, open: part.open, top: isAtEnd ? Infinity : log?.scrollTop };
  });
});

document.addEventListener("htmx:afterSwap", () => {
  for (const { id, open, top } of parts.splice(0)) {
    const part = document.getElementById(id);
    if (!part) continue;
    part.open = open;
    const log = part.querySelector("pre");
    if (log) log.scrollTop = Math.min(top ?? 0, log.scrollHeight);
  }
});

document.addEventListener("htmx:afterRequest", ({ detail: { elt, successful, xhr } }) => {
  if (!asksAgain(elt) || next === Infinity) return;
  if (successful) {
    pause = 0;
  } else if (GONE.has(xhr.status)) {
    next = Infinity;
  } else {
    pause = Math.min(pause * 2 || FIRST, LONGEST);
    next = Date.now() + Math.max(pause, 1000 * (Number(xhr.getResponseHeader("Retry-After")) || 0));
  }
});
