// The search box: answers as one types, chosen with the arrow keys.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { address, nameOf, shortName } from "./terms.js";

/** Let the server make its index before somebody waits for it. */
export function prepareSearch() {
  get("search", { q: "" }).catch(() => {});
}

export function startSearch() {
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  let chosen = -1, timer = 0, running = null, results = [];

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    chosen = -1;
  }
  function choose(place) {
    chosen = results.length ? (place + results.length) % results.length : -1;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    if (chosen >= 0) {
      input.setAttribute("aria-activedescendant", `found-${chosen}`);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    }
  }
  function go(result) {
    close();
    input.value = "";
    location.hash = address(result.term);
  }
  async function look() {
    running?.abort();
    running = new AbortController();
    const text = input.value.trim();
    if (!text) return close();
    try {
      const told = await get("search", { q: text, limit: 20 }, running.signal);
      results = told.results;
    } catch (error) {
      if (error.name !== "AbortError") { fill(list, h("li", { role: "option", "aria-selected": "false" }, error.message)); list.hidden = false; }
      return;
    }
    fill(list, results.length
      ? results.map((result, place) => h("li", { role: "option", id: `found-${place}`, "aria-selected": "false", title: result.term, onmousedown: (event) => { event.preventDefault(); go(result); } },
        nameOf(result.term, result.label ? { [result.term]: result.label } : {}), h("small", {}, ` ${shortName(result.term)}`)))
      : h("li", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, "nothing is called so"));
    list.dataset.for = text;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
  }
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 60); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(chosen + (event.key === "ArrowDown" ? 1 : -1)); }
    else if (event.key === "Escape") { close(); input.value = ""; }
  });
  document.getElementById("find").addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(timer);
    if (list.hidden || list.dataset.for !== input.value.trim()) await look();
    if (results[Math.max(chosen, 0)]) go(results[Math.max(chosen, 0)]);
  });
}
