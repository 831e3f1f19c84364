// Pages work without this: it adds a button that copies to blocks of code, and says how long ago
// something was.
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

const UNITS = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]];
const MOST = 14 * 86_400_000;

const tellPast = () => {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang);
  for (const each of document.querySelectorAll("time[data-past]")) {
    const past = Math.max(Date.now() - Date.parse(each.dateTime), 60_000);
    const [unit, length] = UNITS.find(([, length]) => past >= 2 * length) ?? UNITS[2];
    if (past >= MOST) continue;
    // On paper stays the moment itself.
    if (!each.firstElementChild) {
      const [printed, shown] = [0, 1].map(() => document.createElement("span"));
      [printed.className, shown.className] = ["printed", "not-printed"];
      printed.append(...each.childNodes);
      each.append(printed, shown);
    }
    each.lastElementChild.textContent = words.format(-Math.floor(past / length), unit);
  }
};

tellPast();
document.addEventListener("htmx:afterSettle", tellPast);

// A deadline stands in the time zone of its phase and in UTC; here comes that of the reader.
const clock = new Intl.DateTimeFormat(document.documentElement.lang, {
  dateStyle: "medium", timeStyle: "short",
});
const offsetIn = (moment, timeZone) =>
  new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" }).format(moment);

const tellHere = () => {
  for (const each of document.querySelectorAll("time[data-here]")) {
    const { here, zone } = each.dataset, moment = new Date(each.dateTime);
    delete each.dataset.here;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if ([zone, "UTC"].some((known) => offsetIn(moment, known) === offsetIn(moment, own))) continue;
    const text = document.createElement("span");
    text.className = "faint not-printed";
    text.append(" (", here.replace("{moment}", clock.format(moment)), ")");
    each.parentElement.append(text);
  }
};

tellHere();
document.addEventListener("htmx:afterSettle", tellHere);
