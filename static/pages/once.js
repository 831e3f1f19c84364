// Forms work without this: whoever presses a button twice while the server is slow sends the form once.
"use strict";

{
  const LONGEST = 10_000; // after this, a page whose request was stopped sends the form again
  let sent = new WeakMap();

  document.addEventListener("submit", (event) => {
    const { target, submitter } = event;
    if (event.defaultPrevented || !target.matches("[method=post]")) return;
    const last = sent.get(target);
    const isAgain = last?.submitter === submitter && Date.now() - last.at < LONGEST;
    if (isAgain) event.preventDefault();
    else sent.set(target, { submitter, at: Date.now() });
  });

  addEventListener("pageshow", (event) => {
    if (event.persisted) sent = new WeakMap();
  });
}
