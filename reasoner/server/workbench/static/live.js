// Panel 6: commits as they come, with what they changed, and violations as they come and go.

import { get } from "./api.js";
import { count, fill, h, plural, problem, section } from "./dom.js";
import { violationList } from "./overview.js";
import { shown } from "./terms.js";

const MOST = 100;

export async function live(main, _, signal) {
  document.title = "Live – workbench";
  const state = h("p", { role: "status" }, "Connecting …");
  const none = h("p", {}, "None yet, since somebody first looked here.");
  const list = h("ol", { class: "commits", "aria-label": "Commits, the latest first" });
  const wrong = h("div");
  fill(main, h("h1", {}, "Live"), state, h("div", { class: "columns" }, section("Commits", none, list), section("Violations now", wrong)));
  let late = 0;
  async function violations() {
    try {
      const told = await get("violations", { limit: 50 }, signal);
      fill(wrong, told.violations.length ? violationList(told.violations) : h("p", { class: "good" }, "✓ None: the store is consistent."));
    } catch (error) { if (error.name !== "AbortError") fill(wrong, problem(error)); }
  }
  violations();
  const source = new EventSource("/api/commits?stream=1");
  source.addEventListener("open", () => { state.textContent = "● Listening. Commits appear here as they are made."; });
  source.addEventListener("error", () => { state.textContent = "○ Not connected; trying again …"; });
  source.addEventListener("commit", (event) => {
    none.hidden = true;
    list.prepend(commit(JSON.parse(event.data)));
    while (list.children.length > MOST) list.lastChild.remove();
    clearTimeout(late);
    late = setTimeout(violations, 300);
  });
  signal.addEventListener("abort", () => { source.close(); clearTimeout(late); });
}

function commit(told) {
  const moment = new Date(told.time * 1000);
  if (told.failed) return h("li", {}, `commit ${told.number}: ${told.failed}`);
  const counts = told.counts;
  const parts = [["+ ●", "asserted_added", "asserted"], ["− ●", "asserted_removed", "no more asserted"], ["+ ◇", "inferred_added", "inferred"], ["− ◇", "inferred_removed", "no more inferred"]];
  return h("li", {}, h("details", {}, h("summary", {}, h("b", {}, `commit ${told.number}`), " ", h("time", { datetime: moment.toISOString() }, moment.toLocaleTimeString()),
    ` · ● +${count(counts.asserted_added)} −${count(counts.asserted_removed)} · ◇ +${count(counts.inferred_added)} −${count(counts.inferred_removed)}`,
    told.violations_appeared.length > 0 && h("span", { class: "problem" }, ` ⚠ ${plural(told.violations_appeared.length, "violation")} came`), told.violations_went.length > 0 && h("span", { class: "good" }, ` ✓ ${plural(told.violations_went.length, "violation")} went`)),
  parts.map(([sign, part, meaning]) => told[part].length > 0 && [h("h3", {}, `${sign} ${meaning} (${count(counts[part])})`), h("ul", { class: "statements" }, told[part].map((triple) => h("li", {}, triple.map((term) => [shown(term), " "]))), counts[part] > told[part].length && h("li", {}, `… ${count(counts[part] - told[part].length)} more`))]),
  told.violations_appeared.length > 0 && [h("h3", {}, "Violations that came"), violationList(told.violations_appeared)],
  told.violations_went.length > 0 && [h("h3", {}, "Violations that went"), h("ul", {}, told.violations_went.map((each) => h("li", {}, each.rule, ": ", each.triples.map((triple) => triple.map((term) => [shown(term), " "])))))]));
}
