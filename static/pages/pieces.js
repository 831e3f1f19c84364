// The form works without this: a large file goes in pieces and, after a lost connection or a reload,
// on from the piece that arrived last.
"use strict";

{
  const LARGE = 8 * 2 ** 20; // smaller files go with the form
  const PIECE = 8 * 2 ** 20;
  const LONGEST = 30_000;
  const MIB = 2 ** 20;

  class Refused extends Error {}

  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  // Sends a request of the API; the answer as JSON, or null where there is no such upload or the
  // piece begins elsewhere by now.
  const ask = async (form, path, options = {}) => {
    const token = form.elements.csrfmiddlewaretoken.value;
    const headers = { Accept: "application/json", "X-CSRFToken": token, ...options.headers };
    const answer = await fetch(path, { ...options, headers, cache: "no-store" });
    if (answer.ok) return answer.json();
    if (answer.status === 404 || answer.status === 409) return null;
    const isTemporary = answer.status >= 500 || answer.status === 429;
    const error = isTemporary ? null : (await answer.json().catch(() => null))?.error;
    throw isTemporary ? new Error(answer.statusText) : new Refused(error?.message ?? answer.statusText);
  };

  const digestOf = async (piece) => {
    if (!crypto.subtle) return {}; // not over plain http
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", piece));
    return { "Content-Digest": `sha-256=:${btoa(String.fromCharCode(...digest))}:` };
  };

  const begin = (form, file) => {
    const body = JSON.stringify({ name: file.name, size: file.size });
    const headers = { "Content-Type": "application/json" };
    return ask(form, form.dataset.uploads, { method: "POST", body, headers });
  };

  const add = async (form, file, { id, offset }) => {
    const body = await file.slice(offset, offset + PIECE).arrayBuffer();
    const type = { "Content-Type": "application/octet-stream", "Upload-Offset": offset };
    const headers = { ...type, ...(await digestOf(body)) };
    return ask(form, `${form.dataset.uploads}${id}/`, { method: "PATCH", body, headers });
  };

  // The same file of the same page is the same upload, also after a reload.
  const remembered = (form, file) => {
    const key = `upload:${form.dataset.uploads}:${file.name}:${file.size}:${file.lastModified}`;
    const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
    const write = (id) => { try { localStorage.setItem(key, id); } catch { /* not kept, then */ } };
    return { read, write };
  };

  const stateOf = (form, id) => ask(form, `${form.dataset.uploads}${id}/`);

  const send = async (form, file, tell) => {
    const kept = remembered(form, file);
    let id = kept.read();
    let state = null;
    let wait = 1000;
    while (!state || state.offset < state.size) {
      try {
        state ??= id && (await stateOf(form, id));
        if (!state) {
          state = await begin(form, file);
          kept.write((id = state.id));
        }
        tell("sending", state.offset);
        if (state.offset < state.size) state = await add(form, file, state);
        wait = 1000;
      } catch (error) {
        if (error instanceof Refused) throw error;
        tell("waiting");
        await pause(wait);
        wait = Math.min(2 * wait, LONGEST);
        state = null;
      }
    }
    return id;
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const file = form.elements.file?.files?.[0];
    if (!form.dataset.uploads || !file || file.size <= LARGE) return;
    event.preventDefault();
    const at = (selector) => form.querySelector(selector);
    const [place, text, bar] = [".sending", ".sending [role=status]", ".sending progress"].map(at);
    const [button, refused] = ["[type=submit]", "[data-when=refused]"].map(at);
    const number = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 0 });
    const tell = (what, done = 0) => {
      const values = { name: file.name, done: number.format(done / MIB), total: number.format(file.size / MIB) };
      text.textContent = text.dataset[what].replace(/{(\w+)}/g, (_, name) => values[name]);
      if (what === "sending") bar.value = done / file.size;
    };
    button.disabled = refused.hidden = true;
    place.hidden = false;
    try {
      form.elements.upload.value = await send(form, file, tell);
      bar.value = 1;
      tell("checking");
      form.elements.file.disabled = true; // it is there already
      form.submit();
    } catch (error) {
      button.disabled = false;
      place.hidden = true;
      refused.textContent = error.message;
      refused.hidden = false;
    }
  });

  // Back from the next page, the form can be sent again.
  addEventListener("pageshow", ({ persisted }) => {
    for (const form of persisted ? document.querySelectorAll("form[data-uploads]") : []) {
      form.elements.file.disabled = form.querySelector("[type=submit]").disabled = false;
      form.querySelector(".sending").hidden = true;
    }
  });
}
