// The page works without this: the code in the address, behind the #, can be typed as well.
"use strict";

const code = decodeURIComponent(location.hash.slice(1));
const field = document.querySelector("input[name=code]");
if (code && field) {
  field.value = code;
  history.replaceState(null, "", location.pathname); // out of the address and of the history
  field.form.querySelector("button").focus();
}
