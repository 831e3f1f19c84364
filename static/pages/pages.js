// Pages work without this: it adds a button that copies to blocks of code.
"use strict";

const { copy, copied } = document.body.dataset;

for (const block of document.querySelectorAll(".code")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = copied;
    setTimeout(() => (button.textContent = copy), 1500);
  });
  block.append(button);
}
