// The page works without this: operations of the API are tried with a form beside their commands.
// The token stays in the page, and goes to this server only.
"use strict";

{
  const MOST = 20_000;
  const token = document.querySelector("#try-token");
  const base = token.dataset.base.replace(/\/$/, "");

  for (const part of document.querySelectorAll(".try")) part.hidden = false;

  const request = (form) => {
    let path = form.dataset.path;
    const query = new URLSearchParams(), headers = new Headers();
    for (const { name, value, dataset } of form.querySelectorAll("[data-place]")) {
      if (dataset.place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (value && dataset.place === "query") query.append(name, value);
      else if (value && dataset.place === "header") headers.set(name, value);
    }
    const options = { method: form.dataset.method, headers };
    const body = form.querySelector("textarea");
    if (body?.value.trim()) {
      options.body = body.value;
      headers.set("Content-Type", "application/json");
    }
    // With a token, the session of the reader does not count.
    if (token.value.trim()) {
      headers.set("Authorization", `Bearer ${token.value.trim()}`);
      options.credentials = "omit";
    }
    return new Request(`${base}${path}${query.size ? `?${query}` : ""}`, options);
  };

  const textOf = async (response) => {
    const kind = response.headers.get("Content-Type") ?? "";
    if (!/json|text|xml|csv/.test(kind)) return `${kind} (${(await response.blob()).size} B)`;
    const text = await response.text();
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches(".try form")) return;
    event.preventDefault();
    const [status, block] = [form.querySelector("output"), form.parentElement.querySelector("pre")];
    status.value = "…";
    try {
      const response = await fetch(request(form));
      const text = await textOf(response);
      status.value = `${response.status} ${response.statusText}`;
      block.firstElementChild.textContent = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
      block.hidden = !text;
    } catch (error) {
      status.value = document.body.dataset.failed;
      block.hidden = true;
    }
  });
}
