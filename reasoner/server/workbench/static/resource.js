// Panel 2: everything about a term.

import { get } from "./api.js";
import { count, fill, h, plural, problem, section } from "./dom.js";
import { mark, nameOf, shortName, shown, SAME, TYPE, whyLink } from "./terms.js";

const PAGE = 50, FEW = 8;

export async function resource(main, parameters) {
  const term = parameters.get("term") ?? "";
  document.title = `${shortName(term)} – workbench`;
  fill(main, h("h1", {}, shortName(term)), h("p", { class: "loading" }, "Loading …"));
  let told;
  try {
    told = await get("resource", { term });
  } catch (error) {
    fill(main, h("h1", {}, shortName(term)), problem(error));
    return;
  }
  document.title = `${nameOf(told.term, told.labels)} – workbench`;
  fill(main,
    h("h1", {}, nameOf(told.term, told.labels)),
    h("p", { class: "term" }, h("code", {}, told.term), told.kind === "iri" && h("a", { href: `#/query?q=${encodeURIComponent(`SELECT ?p ?o {\n  ${told.term} ?p ?o\n}`)}`, class: "aside" }, "ask about it")),
    types(told),
    told.name_count > 1 && names(told),
    statements("Statements", "out", told),
    statements("Said about it by others", "in", told));
}

function types(told) {
  if (!told.types.length) return null;
  return h("ul", { class: "chips", "aria-label": "Types" }, told.types.map((type) => h("li", { class: type.asserted ? "asserted" : "inferred" },
    h("span", { "aria-label": type.asserted ? "asserted" : "inferred", role: "img" }, type.asserted ? "●" : "◇"), " ",
    shown(type.term, {}), !type.asserted && [" ", whyLink([told.term, TYPE, type.term])])));
}

function names(told) {
  const item = (name) => h("li", { "data-term": name.term },
    shown(name.term, told.labels), " ",
    name.term === told.term ? h("small", {}, "this name") : [mark(name.asserted), " ", whyLink([told.term, SAME, name.term]), " ", h("small", { class: "reason" })]);
  const items = told.names.map(item), rest = items.slice(FEW);
  const list = h("div", {}, h("ul", { class: "names" }, items.slice(0, FEW)), rest.length > 0 && h("details", {}, h("summary", {}, `${count(told.name_count - FEW)} more`), h("ul", { class: "names" }, rest)));
  get("names", { term: told.term }).then((reasons) => {
    for (const link of reasons.links) {
      const place = items.find((each) => each.dataset.term === link.term)?.querySelector(".reason");
      if (place) place.textContent = link.rules.length ? `by ${link.rules.join(", ")} from ${plural(link.leaves, "asserted fact")}` : "as asserted";
      if (place && link.sources.length) place.title = link.sources.join("\n");
    }
  }, () => {});
  return section(`Names (${count(told.name_count)})`, h("p", {}, "All of these are one and the same; what is said of one holds for all."), list);
}

function statements(title, direction, told) {
  const groups = told[direction].filter((group) => !(direction === "out" && group.predicate === SAME) && !(direction === "in" && group.predicate === SAME));
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  if (!total) return section(title, h("p", {}, "None."));
  const asserted = groups.reduce((sum, group) => sum + group.asserted, 0);
  return section(`${title} (${count(total)})`,
    h("p", {}, mark(true), ` ${count(asserted)} `, mark(false), ` ${count(total - asserted)}`),
    groups.map((group) => groupOf(group, direction, told)));
}

function groupOf(group, direction, told) {
  const list = h("ul", { class: "statements" }, group.statements.map((row) => statement(row, direction, told.labels)));
  const inferred = group.count - group.asserted;
  const note = inferred === 0 ? "all asserted" : group.asserted === 0 ? "all inferred" : `${count(group.asserted)} asserted, ${count(inferred)} inferred`;
  let at = group.statements.length;
  const more = h("button", { type: "button", onclick: async () => {
    more.disabled = true;
    try {
      const page = await get("statements", { term: told.term, direction, predicate: group.predicate, offset: at, limit: PAGE });
      const first = list.children.length;
      list.append(...page.statements.map((row) => statement(row, direction, page.labels)));
      at += page.statements.length;
      list.children[first]?.querySelector("a")?.focus();
      again();
    } catch (error) { more.after(problem(error)); }
    more.disabled = false;
  } });
  function again() {
    if (at >= group.count) more.remove();
    else more.textContent = `Next ${Math.min(PAGE, group.count - at)} of ${count(group.count - at)} more`;
  }
  again();
  return h("details", { open: true, class: "group" },
    h("summary", {}, direction === "in" ? "is " : "", h("strong", {}, nameOf(group.predicate, told.labels)), direction === "in" ? " of" : "", h("small", {}, ` ${count(group.count)} · ${note}`)),
    list, at < group.count && more);
}

function statement(row, direction, labels) {
  const [s, , o] = row.triple;
  return h("li", { class: row.asserted ? "asserted" : "inferred" }, mark(row.asserted), " ", shown(direction === "out" ? o : s, labels), " ", whyLink(row.triple, row.asserted ? "details" : "why?"));
}
