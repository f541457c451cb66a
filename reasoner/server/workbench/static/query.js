// Panel 4: asking in SPARQL.

import { get, mayWrite, query as ask, update, vocabulary } from "./api.js";
import { count, fill, h, plural, problem, say, tabs } from "./dom.js";
import { editor } from "./editor.js";
import { chart, edgesOf, network, table, termText, triplesOf } from "./results.js";
import { setPrefixes } from "./terms.js";

const HISTORY = "reasoner-history", MOST = 50, FEW = 10_000;
const FIRST = "# Ctrl+Enter runs the query, Ctrl+Space completes a word.\nSELECT ?class (COUNT(*) AS ?members) {\n  ?x a ?class\n}\nGROUP BY ?class\nORDER BY DESC(?members)\nLIMIT 20";
const FORMATS = { CSV: ["text/csv", "csv"], JSON: ["application/sparql-results+json", "json"], XML: ["application/sparql-results+xml", "xml"], TSV: ["text/tab-separated-values", "tsv"] };
const GRAPHS = { Turtle: ["text/turtle", "ttl"], "N-Triples": ["application/n-triples", "nt"], "JSON-LD": ["application/ld+json", "jsonld"], "RDF/XML": ["application/rdf+xml", "rdf"] };

function history() {
  try { return JSON.parse(localStorage.getItem(HISTORY) ?? "[]").filter((text) => typeof text === "string"); } catch { return []; }
}

function remember(text) {
  try { localStorage.setItem(HISTORY, JSON.stringify([text, ...history().filter((other) => other !== text)].slice(0, MOST))); } catch { /* full, or forbidden */ }
}

/** Tell what a text asks for, its first word after prefixes and comments. */
export function formOf(text) {
  const bare = text.replace(/#[^\n]*(?=\n|$)|<[^>]*>|"(?:[^"\\]|\\.)*"/g, (part) => (part.startsWith("#") ? "" : part)).replace(/^\s*(?:(?:PREFIX\s+[\w.-]*:\s*<[^>]*>|BASE\s*<[^>]*>)\s*)*/i, "");
  return (/^[A-Za-z]+/.exec(bare)?.[0] ?? "").toUpperCase();
}

export async function query(main, parameters) {
  document.title = "Query – workbench";
  let words = null, running = null;
  vocabulary().then((told) => { words = told; setPrefixes(told.prefixes); }, () => {});
  const text = parameters.get("q") ?? history()[0] ?? FIRST;
  const box = editor("SPARQL", text, () => words, run);
  const answer = h("div", { class: "answer", "aria-live": "off" });
  const runButton = h("button", { type: "button", class: "primary", onclick: run, title: "Ctrl+Enter" }, "Run");
  const stop = h("button", { type: "button", hidden: true, onclick: () => running?.abort() }, "Stop");
  const past = h("select", { id: "history", onchange: () => { if (past.value) { box.value = history()[Number(past.value)]; box.focusEditor(); past.value = ""; } } });
  function showHistory() {
    fill(past, h("option", { value: "" }, "History"), history().map((each, place) => h("option", { value: place }, each.replace(/\s+/g, " ").slice(0, 80))));
  }
  showHistory();
  const share = h("button", { type: "button", onclick: async () => {
    const link = `${location.origin}${location.pathname}#/query?q=${encodeURIComponent(box.value)}`;
    window.history.replaceState(null, "", link);
    try { await navigator.clipboard.writeText(link); say("The link is copied."); } catch { say("The link is in the address bar."); }
  } }, "Link");

  async function run() {
    const asked = box.value, form = formOf(asked);
    running?.abort();
    running = new AbortController();
    remember(asked);
    showHistory();
    window.history.replaceState(null, "", `#/query?q=${encodeURIComponent(asked)}`);
    fill(answer, h("p", { class: "loading" }, "Running …"));
    runButton.disabled = true;
    stop.hidden = false;
    const began = performance.now();
    try {
      if (["INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"].includes(form)) fill(answer, await change(asked));
      else fill(answer, await answered(asked, form, began, running.signal));
    } catch (error) {
      fill(answer, error.name === "AbortError" ? h("p", {}, "Stopped.") : problem(error));
    } finally {
      runButton.disabled = false;
      stop.hidden = true;
    }
  }
  fill(main, h("h1", {}, "Query"), box,
    h("div", { class: "row" }, runButton, stop, h("label", { class: "hidden", for: "history" }, "History"), past, share), answer);
  box.focusEditor();
  if (parameters.get("q")) run();
}

async function change(text) {
  if (!mayWrite()) throw new Error("This would change the store. The workbench is read-only until updates are on, and the token is given if there is one: see the button at the top right.");
  const told = await update(text);
  dispatchEvent(new Event("changed"));
  return h("p", { role: "status" }, `Done: version ${told.version}, ${plural(told.explicit, "asserted fact")} (${told.strategy}).`);
}

async function answered(text, form, began, signal) {
  const isGraph = form === "CONSTRUCT" || form === "DESCRIBE";
  const came = await ask(text, isGraph ? "application/n-triples" : "application/sparql-results+json", signal);
  let names, rows, views, total;
  if (isGraph) {
    const triples = triplesOf(await came.text());
    names = ["subject", "predicate", "object"];
    rows = triples.map(([subject, predicate, object]) => ({ subject, predicate, object }));
  } else {
    const told = await came.json();
    if (typeof told.boolean === "boolean") return h("p", { class: "truth", role: "status" }, told.boolean ? "✓ yes" : "✗ no");
    names = told.head.vars;
    total = told.results.bindings.length;
    rows = told.results.bindings.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, termText(value)])));
  }
  total ??= rows.length;
  const seconds = (performance.now() - began) / 1000;
  views = {
    Table: () => (rows.length ? table(names, rows) : h("p", {}, "No answer.")),
    Chart: () => chart(names, rows) ?? h("p", {}, "There is no column of numbers to draw: a chart takes one, and another column for the names."),
    Graph: () => network(edgesOf(names, rows.slice(0, FEW))),
    Plan: () => plan(text),
  };
  const shownAs = tabs("Views of the answers", views);
  shownAs.show("Table");
  return h("div", {}, h("div", { class: "row" }, h("p", { role: "status" }, `${plural(total, "row")} in ${seconds.toFixed(2)} s`), downloads(text, isGraph ? GRAPHS : FORMATS)), shownAs);
}

function downloads(text, formats) {
  return h("span", { class: "row", role: "group", "aria-label": "Downloads" }, Object.entries(formats).map(([name, [media, ending]]) =>
    h("button", { type: "button", class: "small", onclick: async () => {
      try {
        const data = await (await ask(text, media)).blob();
        const link = h("a", { href: URL.createObjectURL(data), download: `answers.${ending}` });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
        say(`${name}: ${count(data.size)} bytes.`);
      } catch (error) { say(error.message, true); }
    } }, `↓ ${name}`)));
}

function plan(text) {
  const place = h("div", {}, h("p", { class: "loading" }, "Running it once more to see what it does …"));
  get("plan", { query: text }).then((told) => {
    const most = Math.max(...told.steps.map((step) => step.seconds), 1e-9);
    fill(place, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Plan" }, h("table", {}, h("thead", {}, h("tr", {}, ["operator", "rows", "solutions", "time, with what is below"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, told.steps.map((step) => {
        const bar = h("span", { class: "meter", "aria-hidden": "true" }, h("i", { class: step.vectorised ? "asserted" : "inferred" }));
        bar.firstChild.style.width = `${(100 * step.seconds) / most}%`;
        const name = h("th", { scope: "row" }, h("b", {}, step.name), " ", h("code", {}, step.detail), !step.vectorised && h("small", {}, ` ⚠ ${step.ways.join("; ")}`));
        name.style.paddingInlineStart = `${0.6 + step.depth * 1.2}em`;
        return h("tr", {}, name, h("td", { class: "number" }, count(step.rows)), h("td", { class: "number" }, count(step.solutions)), h("td", {}, `${(step.seconds * 1000).toFixed(1)} ms `, bar));
      })))));
  }, (error) => fill(place, problem(error)));
  return place;
}
