// Terms in N-Triples, and how they are shown: short names, with all there is to say about them under the pointer.

import { h } from "./dom.js";

const PREFIXES = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#", rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#", xsd: "http://www.w3.org/2001/XMLSchema#",
};
export const TYPE = `<${PREFIXES.rdf}type>`;
export const SAME = `<${PREFIXES.owl}sameAs>`;
export const LABEL = `<${PREFIXES.rdfs}label>`;
let prefixes = { ...PREFIXES };

export function setPrefixes(found) { prefixes = { ...PREFIXES, ...found }; }
export function knownPrefixes() { return prefixes; }

/** Take a literal apart: its text, and its language or datatype. */
export function literalParts(term) {
  const end = term.lastIndexOf('"');
  const text = term.slice(1, end).replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/g, (_, code) =>
    code.length > 1 ? String.fromCodePoint(parseInt(code.slice(1), 16)) : { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }[code] ?? code);
  const rest = term.slice(end + 1);
  return { text, language: rest.startsWith("@") ? rest.slice(1) : "", datatype: rest.startsWith("^^") ? rest.slice(2) : "" };
}

/** Write an IRI with a prefix if there is one for it. */
export function prefixed(term) {
  if (!term.startsWith("<")) return null;
  const iri = term.slice(1, -1);
  let best = null;
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    const local = iri.slice(namespace.length);
    if (iri.startsWith(namespace) && /^[A-Za-z0-9_][\w-]*$/.test(local)) {
      const name = `${prefix}:${local}`;
      if (best === null || name.length < best.length) best = name;
    }
  }
  return best;
}

/** Return a short name of a term, for people. */
export function shortName(term) {
  if (term.startsWith('"')) return `"${literalParts(term).text}"`;
  if (!term.startsWith("<")) return term;
  const name = prefixed(term);
  if (name) return name;
  const iri = term.slice(1, -1);
  const local = /[^/#:]+[/#:]?$/.exec(iri)?.[0];
  return local && local !== iri ? `…${iri.at(-local.length - 1) ?? ""}${local}` : iri;
}

/** Return the label of a term, or its short name. */
export function nameOf(term, labels = {}) {
  return labels[term] ? literalParts(labels[term]).text : shortName(term);
}

/** Return the shortest name there is, where there is little room: the label, or the name without its prefix. */
export function briefName(term, labels = {}) {
  const name = nameOf(term, labels);
  return labels[term] || !term.startsWith("<") ? name : name.replace(/^[\w-]*:(?=\w)|^….?/, "");
}

/** Return the address of the page of a term. */
export function address(term) { return `#/resource?term=${encodeURIComponent(term)}`; }
export function whyAddress([s, p, o]) { return `#/why?${new URLSearchParams({ s, p, o })}`; }

/** Show a term: a link to its page, or a literal with its language or datatype. */
export function shown(term, labels = {}, attributes = {}) {
  if (term.startsWith('"')) {
    const { text, language, datatype } = literalParts(term);
    const isNumber = /XMLSchema#(integer|decimal|double|float|int|long|boolean|date|dateTime|nonNegativeInteger)>$/.test(datatype);
    if (isNumber) return h("span", { class: "literal", title: term, ...attributes }, text);
    const kind = language ? `@${language}` : datatype && !datatype.endsWith("#string>") ? shortName(datatype) : "";
    return h("span", { class: "literal", title: term, ...attributes }, h("q", { lang: language || null }, text), kind && h("small", {}, ` ${kind}`));
  }
  const label = labels[term] ? literalParts(labels[term]).text : null;
  return h("a", { class: term.startsWith("_:") ? "blank" : "iri", href: address(term), title: term, ...attributes },
    label ?? shortName(term), label && h("small", {}, ` ${shortName(term)}`));
}

/** Tell at a glance, and not by colour alone, whether a statement was asserted or is inferred. */
export function mark(asserted) {
  return asserted
    ? h("span", { class: "mark asserted", title: "asserted: somebody said so" }, "● asserted")
    : h("span", { class: "mark inferred", title: "inferred: it follows from what was asserted" }, "◇ inferred");
}

/** The link to the proof of a statement. */
export function whyLink(triple, text = "why?") {
  return h("a", { class: "why", href: whyAddress(triple), "aria-label": `${text} ${triple.map(shortName).join(" ")}` }, text);
}
