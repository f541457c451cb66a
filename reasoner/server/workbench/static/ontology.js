// Panel 5: the ontology, what is outside its profile, and its evolution by scripts.

import { access, get, mayWrite, post } from "./api.js";
import { count, fill, foldable, h, plural, problem, say, section, tabs } from "./dom.js";
import { violationList } from "./overview.js";
import { shown } from "./terms.js";

const DRAFT = "reasoner-script";
const FIRST = 'prefix : <http://example.org/>\nstep "what this step is for"\n  add SubClassOf(:Dog :Animal)\n';

export async function ontology(main) {
  document.title = "Ontology – workbench";
  fill(main, h("h1", {}, "Ontology"), h("p", { class: "loading" }, "Loading …"));
  let told;
  try {
    told = await get("ontology");
  } catch (error) {
    fill(main, h("h1", {}, "Ontology"), problem(error));
    return;
  }
  const outside = told.outside_count ? `Outside the profile (${count(told.outside_count)})` : "Outside the profile";
  const views = tabs("Views of the ontology", {
    Classes: () => hierarchy(told.classes, "class"),
    Properties: () => hierarchy(told.properties, "property"),
    [outside]: () => leftOut(told),
    Evolution: () => evolution(),
  });
  fill(main, h("h1", {}, "Ontology"), h("p", {}, `Profile ${told.profile}; axioms are stated by ${plural(told.axiom_triples, "triple")}.`), views);
  views.show("Classes");
}

function hierarchy(rows, kind) {
  if (!rows.length) return h("p", {}, `There is no ${kind}.`);
  const byName = new Map(rows.map((row) => [row.term, row]));
  const below = new Map();
  for (const row of rows) for (const above of row.above) if (byName.has(above)) below.set(above, [...(below.get(above) ?? []), row.term]);
  const seen = new Set();
  function item(term, path) {
    const row = byName.get(term), children = path.has(term) ? [] : below.get(term) ?? [];
    seen.add(term);
    const name = shown(term, row.label ? { [term]: row.label } : {});
    const line = [name, h("small", {}, ` ${count(row.facts)}: ● ${count(row.asserted)} ◇ ${count(row.facts - row.asserted)}`)];
    if (!children.length) return h("li", {}, line);
    return foldable(name.textContent, line, h("ul", {}, children.sort().map((child) => item(child, new Set([...path, term])))), path.size < 1);
  }
  const roots = rows.filter((row) => !row.above.some((above) => byName.has(above) && above !== row.term));
  const items = roots.map((row) => item(row.term, new Set()));
  // What is only below itself, in a circle, has no root.
  const circle = rows.filter((row) => !seen.has(row.term)).map((row) => item(row.term, new Set([row.term])));
  return h("ul", { class: "hierarchy" }, items, circle);
}

function leftOut(told) {
  if (!told.outside.length) return h("p", {}, `Everything that the ontology says is inside ${told.profile}.`);
  return h("div", {}, h("p", {}, "The rules of the profile do not cover these, so that something may not be inferred."),
    h("dl", { class: "outside" }, told.outside.map((part) => [h("dt", {}, h("code", {}, part.axiom)), h("dd", {}, part.reason)])), told.outside_count > told.outside.length && h("p", {}, `… ${count(told.outside_count - told.outside.length)} more`));
}

function evolution() {
  const area = h("textarea", { id: "script", rows: "10", spellcheck: "false", class: "script", oninput: () => sessionStorage.setItem(DRAFT, area.value) });
  area.value = sessionStorage.getItem(DRAFT) ?? FIRST;
  const report = h("div", { "aria-live": "polite" }), journal = h("div");
  const bears = h("input", { type: "checkbox", id: "bears" });
  const apply = h("button", { type: "button", class: "danger", disabled: !mayWrite(), onclick: () => send("evolution", { script: area.value, dry_run: false, allow_inconsistent: bears.checked }) }, "Apply");
  async function send(path, body) {
    fill(report, h("p", { class: "loading" }, body.dry_run ? "Rehearsing …" : "Applying …"));
    try {
      const told = await post(path, body);
      fill(report, reportOf(told));
      if (told.applied) { say(told.undo ? "Taken back." : "Applied."); show(); dispatchEvent(new Event("changed")); }
    } catch (error) { fill(report, problem(error)); }
  }
  async function show() {
    try { fill(journal, journalOf(await get("evolution"), send)); } catch (error) { fill(journal, problem(error)); }
  }
  show();
  return h("div", {},
    section("Script", h("label", { for: "script" }, "Evolution script"), area,
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => send("evolution", { script: area.value, dry_run: true, allow_inconsistent: bears.checked }) }, "Rehearse"), apply,
        h("label", { for: "bears" }, bears, " bear with violations"),
        h("label", { for: "file" }, "Open ", h("input", { type: "file", id: "file", accept: ".evolve,.txt", onchange: async (event) => { area.value = (await event.target.files[0]?.text()) ?? area.value; } }))),
      !mayWrite() && h("p", {}, access.updates ? "To apply scripts, give the token at the top right." : "The server takes no updates: scripts can be rehearsed, and not applied. Start it with --update.")),
    report, journal);
}

function reportOf(told) {
  const verdict = told.applied ? (told.undo ? "Taken back." : "Applied.") : told.refused ? "Refused: it would make the store inconsistent. Nothing was changed." : `Rehearsed; nothing was changed. ${told.consistent ? "It brings no violation." : "It would bring violations."}`;
  return section("Report", h("p", { class: told.consistent ? "good" : "problem", role: "status" }, verdict), told.steps.map(stepOf));
}

function stepOf(step) {
  const names = { axioms: "axioms", rules: "rules", asserted: "● asserted facts", inferred: "◇ inferred facts", classes: "equality classes", violations: "violations" };
  const sign = (number) => (number > 0 ? `+${count(number)}` : number < 0 ? `−${count(-number)}` : "");
  const list = (title, gained, lost) => (gained.length || lost.length) && [h("h3", {}, title), h("ul", { class: "changes" }, gained.map((text) => h("li", {}, h("b", {}, "+ "), h("code", {}, text))), lost.map((text) => h("li", {}, h("b", {}, "− "), h("code", {}, text))))];
  return h("details", { open: true }, h("summary", {}, h("b", {}, step.step), ` (${(step.seconds * 1000).toFixed(0)} ms)`),
    h("table", {}, h("thead", {}, h("tr", {}, h("td"), ["before", "after", "change"].map((name) => h("th", { scope: "col", class: "number" }, name)))),
      h("tbody", {}, Object.entries(names).map(([key, name]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, count(step.before[key])), h("td", { class: "number" }, count(step.after[key])), h("td", { class: "number" }, sign(step.after[key] - step.before[key])))))),
    list("Axioms", step.axioms.gained, step.axioms.lost), list("Rules", step.rules.gained, step.rules.lost), list("What rules read in axioms", step.readings.gained, step.readings.lost),
    step.facts.length > 0 && [h("h3", {}, "Facts by class and property"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Facts that change" }, h("table", {}, h("thead", {}, h("tr", {}, ["of", "● +", "● −", "◇ +", "◇ −"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, step.facts.slice(0, 100).map((fact) => h("tr", {}, h("th", { scope: "row" }, shown(fact.name)), ["asserted_added", "asserted_removed", "inferred_added", "inferred_removed"].map((key) => h("td", { class: "number" }, fact[key] ? count(fact[key]) : "")))))))],
    step.violations.appeared.length > 0 && [h("h3", {}, `Violations that appear (${count(step.violations.appeared.length)})`), violationList(step.violations.appeared.slice(0, 50))]);
}

function undoButton(step, place, onclick) {
  const text = place ? `undo, and the ${plural(place, "step")} after it` : "undo";
  return h("button", { type: "button", class: "small danger", onclick, "aria-label": `${text}: ${step.name}` }, text);
}

function journalOf(told, send) {
  const undo = (last, dry_run) => () => send("evolution/undo", { last, dry_run });
  return [section("Journal", told.steps.length
    ? h("ol", { class: "journal", reversed: true }, [...told.steps].reverse().map((step, place) => h("li", {}, h("b", {}, step.name), ` ${new Date(step.time).toLocaleString()} · +${count(step.added)} −${count(step.removed)} facts `,
      h("button", { type: "button", class: "small", onclick: undo(place + 1, true), "aria-label": `rehearse undo: ${step.name}` }, "rehearse undo"), " ",
      mayWrite() && undoButton(step, place, undo(place + 1, false)))))
    : h("p", {}, "No step was applied, or all were taken back.")),
  told.versions.length > 0 && section("Versions on disk", h("ul", {}, [...told.versions].reverse().slice(0, 30).map((version) => h("li", {}, h("b", {}, version.number), ` ${new Date(version.created).toLocaleString()}`))))];
}
