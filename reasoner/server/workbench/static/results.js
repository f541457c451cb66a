// Answers to queries: as a table, a simple chart and a graph.

import { count, h, svg } from "./dom.js";
import { address, literalParts, nameOf, shortName, shown } from "./terms.js";

const ROWS = 200, BARS = 40, NODES = 120;

/** Write a term of the JSON format as N-Triples. */
export function termText(value) {
  if (value.type === "uri") return `<${value.value}>`;
  if (value.type === "bnode") return `_:${value.value}`;
  const text = JSON.stringify(value.value).slice(1, -1);
  return `"${text}"${value["xml:lang"] ? `@${value["xml:lang"]}` : value.datatype ? `^^<${value.datatype}>` : ""}`;
}

/** Show rows as a table, some at a time. */
export function table(names, rows) {
  const body = h("tbody");
  let at = 0;
  const more = h("button", { type: "button", onclick: next });
  function next() {
    body.append(...rows.slice(at, at + ROWS).map((row) => h("tr", {}, names.map((name) => h("td", {}, row[name] ? shown(row[name]) : "")))));
    at = Math.min(at + ROWS, rows.length);
    more.hidden = at >= rows.length;
    more.textContent = `Next ${count(Math.min(ROWS, rows.length - at))} of ${count(rows.length - at)} more`;
  }
  next();
  return h("div", {}, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers" },
    h("table", { class: "answers" }, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, `?${name}`)))), body)), more);
}

function numberOf(term) {
  if (!term?.startsWith('"')) return NaN;
  const { text, datatype } = literalParts(term);
  return /#(integer|decimal|double|float|int|long|short|byte|nonNegativeInteger|positiveInteger|unsigned\w+)>$/.test(datatype) ? Number(text) : NaN;
}

/** Show a column of numbers as bars, with the first other column as their names; null if there is no such column. */
export function chart(names, rows) {
  const values = names.find((name) => rows.length && rows.every((row) => !row[name] || Number.isFinite(numberOf(row[name]))) && rows.some((row) => row[name]));
  if (!values) return null;
  const label = names.find((name) => name !== values);
  const shownRows = rows.slice(0, BARS).map((row) => ({ name: label && row[label] ? nameOf(row[label]) : "", value: numberOf(row[values]) || 0 }));
  const most = Math.max(...shownRows.map((row) => Math.abs(row.value)), 1e-9);
  const height = shownRows.length * 26 + 8;
  const cut = (text) => (text.length > 34 ? `${text.slice(0, 33)}…` : text);
  const bars = shownRows.flatMap((row, place) => {
    const width = Math.max(1, (420 * Math.abs(row.value)) / most), y = place * 26 + 6;
    return [svg("text", { x: 250, y: y + 14, "text-anchor": "end" }, cut(row.name)),
      svg("rect", { class: row.value < 0 ? "bar negative" : "bar", x: 260, y, width, height: 18, rx: 2 }, svg("title", {}, `${row.name}: ${row.value}`)),
      svg("text", { x: 266 + width, y: y + 14, class: "small" }, row.value.toLocaleString("en"))];
  });
  return h("figure", {}, h("figcaption", {}, `?${values}${label ? ` by ?${label}` : ""}${rows.length > BARS ? `, the first ${BARS} of ${count(rows.length)}` : ""}`),
    h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Chart" }, svg("svg", { width: 800, height, viewBox: `0 0 800 ${height}`, role: "img", "aria-label": `Bars of ?${values}, the largest ${most.toLocaleString("en")}` }, bars)));
}

/** Return the links between terms that rows tell: three columns are triples, two are pairs. */
export function edgesOf(names, rows) {
  if (names.length >= 3) return rows.filter((row) => row[names[0]] && row[names[2]]).map((row) => [row[names[0]], row[names[1]] ?? "", row[names[2]]]);
  if (names.length === 2) return rows.filter((row) => row[names[0]] && row[names[1]]).map((row) => [row[names[0]], "", row[names[1]]]);
  return [];
}

/** Draw links as a graph: nodes repel each other, links hold them together; the same picture every time. */
export function network(edges) {
  const nodes = new Map();
  const kept = [];
  for (const [s, p, o] of edges) {
    const fresh = (nodes.has(s) ? 0 : 1) + (nodes.has(o) ? 0 : 1);
    if (nodes.size + fresh > NODES) continue;
    for (const term of [s, o]) if (!nodes.has(term)) {
      const angle = nodes.size * 2.39996, radius = 24 * Math.sqrt(nodes.size + 1);
      nodes.set(term, { term, x: radius * Math.cos(angle), y: radius * Math.sin(angle), dx: 0, dy: 0 });
    }
    kept.push([s, p, o]);
  }
  if (!nodes.size) return h("p", {}, "There are no links to draw: a graph takes two or three columns, or the triples of CONSTRUCT.");
  const all = [...nodes.values()], ideal = 110;
  for (let round = 0; round < 160; round += 1) {
    const heat = 14 * (1 - round / 160) + 0.5;
    for (const node of all) { node.dx = -node.x * 0.01; node.dy = -node.y * 0.015; }
    for (let i = 0; i < all.length; i += 1) for (let j = i + 1; j < all.length; j += 1) {
      const a = all[i], b = all[j], x = a.x - b.x || 0.1, y = a.y - b.y || 0.1, square = x * x + y * y, push = (ideal * ideal) / square;
      a.dx += x * push * 0.1; a.dy += y * push * 0.1; b.dx -= x * push * 0.1; b.dy -= y * push * 0.1;
    }
    for (const [s, , o] of kept) {
      const a = nodes.get(s), b = nodes.get(o), x = b.x - a.x, y = b.y - a.y, far = Math.hypot(x, y) || 1, pull = ((far - ideal) / far) * 0.08;
      a.dx += x * pull; a.dy += y * pull; b.dx -= x * pull; b.dy -= y * pull;
    }
    for (const node of all) { const far = Math.hypot(node.dx, node.dy) || 1, step = Math.min(far, heat); node.x += (node.dx / far) * step; node.y += (node.dy / far) * step; }
  }
  const left = Math.min(...all.map((node) => node.x)) - 90, top = Math.min(...all.map((node) => node.y)) - 30;
  const width = Math.max(...all.map((node) => node.x)) - left + 90, height = Math.max(...all.map((node) => node.y)) - top + 30;
  const cut = (text) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);
  const lines = kept.map(([s, p, o]) => {
    const a = nodes.get(s), b = nodes.get(o);
    return svg("g", {}, svg("line", { class: "edge", x1: a.x, y1: a.y, x2: b.x, y2: b.y, "marker-end": "url(#arrow)" }, svg("title", {}, `${shortName(s)} ${p ? shortName(p) : "–"} ${shortName(o)}`)),
      kept.length <= 40 && p && svg("text", { class: "small", x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 3, "text-anchor": "middle" }, cut(shortName(p))));
  });
  const dots = all.map((node) => {
    const text = svg("text", { x: node.x + 8, y: node.y + 4 }, cut(nameOf(node.term)));
    const dot = svg("circle", { class: node.term.startsWith('"') ? "node literal" : "node", cx: node.x, cy: node.y, r: 5 });
    return node.term.startsWith('"') ? svg("g", {}, svg("title", {}, node.term), dot, text) : svg("a", { href: address(node.term), "aria-label": nameOf(node.term) }, svg("title", {}, node.term), dot, text);
  });
  const picture = svg("svg", { width, height, viewBox: `${left} ${top} ${width} ${height}`, role: "group", "aria-label": "Graph of the answers" },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 14, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" }))), lines, dots);
  return h("div", {}, kept.length < edges.length && h("p", {}, `The first ${NODES} nodes of a larger graph.`), h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Graph" }, picture));
}

/** Read N-Triples, as CONSTRUCT gives them. */
export function triplesOf(text) {
  const term = String.raw`(<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?)`;
  return [...text.matchAll(new RegExp(`^${term} ${term} ${term} \\.$`, "gm"))].map((match) => [match[1], match[2], match[3]]);
}

