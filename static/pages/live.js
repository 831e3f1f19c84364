// The page works without this: it asks whether the board has changed, and offers to show the changes
// instead of moving rows under the pointer.
"use strict";

const USUAL = 10_000;
const LONGEST = 300_000;
const GONE = new Set([401, 403, 404, 410]);

let wait = USUAL;
let timer = 0;
let isAsking = false;

const place = () => document.querySelector("[data-live]:empty");

// A hidden page does not ask. Readers ask at different times, by up to a tenth.
const plan = () => {
  clearTimeout(timer);
  if (place() && !document.hidden) timer = setTimeout(ask, wait * (0.9 + Math.random() / 5));
};

const tell = (where, text) => {
  // Nobody presses a link on a screen in a hall.
  if (document.querySelector("main.screen")) return location.reload();
  const link = document.createElement("a");
  link.href = location.pathname + location.search;
  link.textContent = text;
  where.append(link);
};

const ask = async () => {
  const where = place();
  if (!where || isAsking) return;
  const { live, results, page, newResults, newPage } = where.dataset;
  let goesOn = true;
  isAsking = true;
  try {
    // The browser sends the ETag that it has, and gets a 304 while nothing has changed.
    const answer = await fetch(live, { cache: "no-cache" });
    goesOn = !GONE.has(answer.status);
    if (!answer.ok) throw new Error(answer.statusText);
    const now = await answer.json();
    goesOn = !now.final;
    wait = USUAL;
    if (now.results && now.results !== results) tell(where, now.text || newResults);
    else if (now.page && now.page !== page) tell(where, newPage);
  } catch {
    wait = Math.min(wait * 2, LONGEST);
  }
  isAsking = false;
  if (goesOn) plan();
};

plan();
document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : ask()));
document.addEventListener("htmx:afterSettle", plan);
addEventListener("pageshow", (event) => event.persisted && ask());
