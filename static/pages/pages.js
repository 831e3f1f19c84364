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

// The address of a board holds only what is chosen.
document.querySelector(".board-form")?.addEventListener("formdata", ({ target, formData }) => {
  const boxes = [...target.querySelectorAll(".picker input")];
  if (!/[?&]columns=/.test(location.search) && boxes.every((each) => each.checked === each.defaultChecked))
    formData.delete("columns");
  const columns = formData.getAll("columns");
  if (columns.length) formData.set("columns", columns.join(","));
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});
