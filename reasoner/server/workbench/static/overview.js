// Panel 1: what the store holds.

import { get, vocabulary } from "./api.js";
import { count, fill, h, plural, problem, section } from "./dom.js";
import { setPrefixes, shown, whyLink } from "./terms.js";

const FIRST = 15;
// The version that was last looked at here, so that words are asked for again when there is another.
let seen = null;
const STANDARD = /^<http:\/\/www\.w3\.org\/(1999\/02\/22-rdf-syntax-ns|2000\/01\/rdf-schema|2002\/07\/owl|2001\/XMLSchema)#/;

/** Put the words of the store before those of RDF, RDFS, OWL and XSD, which every store has. */
function ownFirst(rows) {
  return [...rows.filter((row) => !STANDARD.test(row.term)), ...rows.filter((row) => STANDARD.test(row.term))];
}

export async function overview(main) {
  document.title = "Overview – workbench";
  const facts = h("div", {}, h("p", { class: "loading" }, "Counting …"));
  const words = h("div", { class: "columns" });
  const wrong = h("div");
  fill(main, h("h1", {}, "Overview"), facts, words, wrong);
  let told;
  try {
    told = await get("overview");
  } catch (error) {
    fill(facts, problem(error));
    return;
  }
  fill(facts, cards(told));
  if (told.counts.violations) violations(wrong);
  const isNew = seen !== null && seen !== told.version;
  seen = told.version;
  vocabulary(isNew).then((told) => {
    setPrefixes(told.prefixes);
    if (!told.classes.length && !told.properties.length) {
      fill(words, h("p", {}, "The store is empty. Load data with ", h("code", {}, "reasoner load"), ", or send an update in the ", h("a", { href: "#/query" }, "query panel"), "."));
      return;
    }
    fill(words, sizes("Classes", "members", ownFirst(told.classes), told.class_count), sizes("Properties", "facts", ownFirst(told.properties), told.property_count));
  }, (error) => fill(words, problem(error)));
}

function cards(told) {
  const counts = told.counts;
  const changed = new Date(told.since * 1000);
  const card = (name, value, note = "") => h("div", { class: "card" }, h("dt", {}, name), h("dd", {}, h("strong", {}, value), note && h("span", {}, note)));
  return h("dl", { class: "cards" },
    card("● asserted facts", count(counts.explicit), told.graphs ? plural(told.graphs, "named graph") : ""),
    card("◇ inferred facts", count(counts.inferred), `${count(counts.expanded)} hold in all`),
    card("terms", count(counts.terms)),
    card("equality classes", count(counts.classes), counts.classes ? `${count(counts.members)} names, the largest has ${count(counts.largest_class)}` : ""),
    card("violations", count(counts.violations), counts.violations ? "the data contradict the ontology" : "consistent"),
    card("rules", count(counts.rules), `${plural(counts.constraints, "constraint")}, profile ${told.profile}`),
    card("last change", h("time", { datetime: changed.toISOString() }, changed.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })), told.version ? `commit ${count(told.version)} since the server began` : "since then unchanged"));
}

function sizes(title, unit, rows, total) {
  const body = h("tbody");
  const most = Math.max(1, ...rows.map((row) => row.facts));
  const line = (row) => h("tr", {},
    h("th", { scope: "row" }, shown(row.term, row.label ? { [row.term]: row.label } : {})),
    h("td", { class: "number" }, count(row.facts)),
    h("td", { class: "number" }, count(row.asserted)),
    h("td", { class: "number" }, count(row.facts - row.asserted)),
    h("td", { class: "bar" }, bar(row, most)));
  fill(body, rows.slice(0, FIRST).map(line));
  const more = rows.length > FIRST && h("button", { type: "button", onclick: () => { body.append(...rows.slice(FIRST).map(line)); more.remove(); } },
    `Show ${rows.length < total ? `the first ${count(rows.length)}` : `all ${count(total)}`}`);
  return section(`${title} (${count(total)})`,
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": title }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title === "Classes" ? "class" : "property"), h("th", { scope: "col", class: "number" }, unit),
      h("th", { scope: "col", class: "number" }, "● asserted"), h("th", { scope: "col", class: "number" }, "◇ inferred"), h("td"))), body)), more);
}

function bar(row, most) {
  const whole = h("span", { class: "meter", "aria-hidden": "true" }, h("i", { class: "asserted" }), h("i", { class: "inferred" }));
  whole.children[0].style.width = `${(100 * row.asserted) / most}%`;
  whole.children[1].style.width = `${(100 * (row.facts - row.asserted)) / most}%`;
  return whole;
}

async function violations(place) {
  try {
    const told = await get("violations", { limit: 50 });
    fill(place, section("Violations", violationList(told.violations), told.more && h("p", {}, "… and more; the API lists up to 1,000.")));
  } catch (error) {
    fill(place, problem(error));
  }
}

/** List violations: the rule, and the facts that together break it, each with its proof. */
export function violationList(found) {
  return h("ul", { class: "violations" }, found.map((each) => h("li", {},
    h("strong", {}, `⚠ ${each.rule}`), each.sources.length > 0 && h("code", {}, ` ${each.sources.join("; ")}`),
    h("ul", {}, each.triples.map((triple) => h("li", {}, triple.map((term) => [shown(term), " "]), whyLink(triple)))))));
}
