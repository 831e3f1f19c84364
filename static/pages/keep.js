// Forms work without this: where htmx replaces fields of a form, what was changed since the form was
// sent stays, and so does the field that has the focus, with what is selected in it.
"use strict";

const sent = new WeakMap();
let changed = [];
let focused = null;

const isBox = (field) => field.type === "checkbox" || field.type === "radio";
const stateOf = (field) => (isBox(field) ? field.checked : field.value);
const fieldsOf = (element) => {
  const all = [...(element.closest("form")?.elements ?? [])];
  return all.filter((each) => each.id && each.matches("input:not([type=file]), select, textarea"));
};

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  for (const field of fieldsOf(detail.elt)) sent.set(field, stateOf(field));
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { elt } = detail.requestConfig;
  const fields = elt.isConnected ? fieldsOf(elt) : [];
  changed = fields.filter((each) => sent.has(each) && sent.get(each) !== stateOf(each));
  focused = fields.find((each) => each === document.activeElement && !each.matches("select"));
});

const placeOf = (field) => {
  const fresh = document.getElementById(field.id);
  return fresh && fresh !== field && fresh.name === field.name && fresh.type === field.type ? fresh : null;
};

document.addEventListener("htmx:afterSwap", () => {
  for (const field of changed) {
    const fresh = placeOf(field);
    if (!fresh) continue;
    const hasValue = (each) => each.value === field.value;
    if (isBox(field)) fresh.checked = field.checked;
    else if (!fresh.options || [...fresh.options].some(hasValue)) fresh.value = field.value;
    // The request of the old list is lost with it. The fresh list sends it once htmx knows that list.
    if (fresh.options) setTimeout(() => fresh.dispatchEvent(new Event("change", { bubbles: true })));
  }
  const fresh = focused && placeOf(focused);
  if (!fresh) return;
  // The field itself comes back: a script cannot read what is selected in a field for numbers.
  for (const name of focused.getAttributeNames()) {
    if (!fresh.hasAttribute(name)) focused.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (focused.getAttribute(name) !== value) focused.setAttribute(name, value);
  }
  fresh.replaceWith(focused);
  focused.focus({ preventScroll: true });
});
