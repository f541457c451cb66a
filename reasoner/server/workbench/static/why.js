// Panel 3: why a triple holds, as a tree and as a graph, and what would go with an explicit fact.

import { get, mayWrite, update } from "./api.js";
import { count, fill, foldable, h, openDialog, plural, problem, say, svg, tabs } from "./dom.js";
import { violationList } from "./overview.js";
import { briefName, nameOf, shown } from "./terms.js";

const KINDS = { explicit: "● asserted", rule: "◇ by rule", equality: "= by equality" };

export async function why(main, parameters) {
  const [s, p, o] = ["s", "p", "o"].map((name) => parameters.get(name) ?? "");
  document.title = "Why? – workbench";
  fill(main, h("h1", {}, "Why?"), h("p", { class: "loading" }, "Looking for the shortest proof …"));
  let told;
  try {
    told = await get("why", { s, p, o });
  } catch (error) {
    fill(main, h("h1", {}, "Why?"), h("p", {}, [s, p, o].map((term) => [shown(term), " "])), problem(error));
    return;
  }
  const head = h("p", { class: "triple" }, told.triple.map((term) => [shown(term, told.labels), " "]));
  const place = h("div");
  const others = h("div", { class: "row" });
  let proofs = told.proofs, labels = told.labels, view = "Tree";
  function show(number) {
    const proof = proofs[number];
    const views = tabs("Views of the proof", { Tree: () => tree(proof, labels), Graph: () => graph(proof, labels) }, (name) => { view = name; });
    fill(place, h("p", {}, summary(proof)), views);
    views.show(view);
  }
  const more = h("button", { type: "button", onclick: async () => {
    more.disabled = true;
    try {
      const found = await get("why", { s, p, o, most: 5 });
      proofs = found.proofs;
      labels = found.labels;
      if (proofs.length < 2) return fill(others, h("p", {}, "There is no other proof of about this length."));
      const choice = h("select", { id: "proof", onchange: () => show(Number(choice.value)) },
        proofs.map((proof, number) => h("option", { value: number }, `proof ${number + 1}: ${summary(proof)}`)));
      fill(others, h("label", { for: "proof" }, "Other proofs "), choice);
      choice.focus();
    } catch (error) { fill(others, problem(error)); }
  } }, "Other proofs");
  fill(others, more);
  fill(main, h("h1", {}, "Why?"), head, others, place);
  show(0);
}

function summary(proof) {
  const explicit = proof.steps.filter((step) => step.kind === "explicit").length;
  return `${plural(explicit, "asserted fact")}, ${plural(proof.size, "further step")}, ${plural(proof.height, "rule")} deep`;
}

function reason(step) {
  return h("span", { class: `kind ${step.kind}` }, KINDS[step.kind], step.rule && [" ", h("b", {}, step.rule)]);
}

function tree(proof, labels) {
  const steps = new Map(proof.steps.map((step) => [step.id, step]));
  const seen = new Set();
  function line(step) {
    return [step.triple.map((term) => [shown(term, labels), " "]), reason(step)];
  }
  function node(id) {
    const step = steps.get(id);
    const again = seen.has(id) && step.premises?.length;
    seen.add(id);
    if (step.kind === "explicit") return h("li", { class: "leaf" }, line(step), " ", goneButton(step.triple, labels));
    if (again) return h("li", { class: "leaf" }, line(step), h("small", {}, " shown above"));
    const notes = [...(step.absent ?? []).map((triple) => h("li", { class: "note" }, "does not hold: ", triple.map((term) => [shown(term, labels), " "]))),
      ...(step.conditions ?? []).map((text) => h("li", { class: "note" }, "condition: ", h("code", {}, text)))];
    const sources = step.sources?.length ? h("li", { class: "note" }, step.sources.map((source) => h("code", {}, source))) : null;
    return foldable(step.triple.map((term) => nameOf(term, labels)).join(" "), line(step), h("ul", {}, sources, notes, [...new Set(step.premises ?? [])].map(node)));
  }
  const list = h("ul", { class: "proof" }, node(proof.goal));
  const fold = (open) => () => list.querySelectorAll(".foldable").forEach((each) => each.fold(open));
  return h("div", {}, proof.steps.length > 3 && h("p", { class: "row" }, h("button", { type: "button", onclick: fold(true) }, "Unfold all"), h("button", { type: "button", onclick: fold(false) }, "Fold all")), list);
}

/** Where steps stand: columns by distance from the conclusion, each step beside the last one that uses it. */
function layOut(proof, folded) {
  const steps = new Map(proof.steps.map((step) => [step.id, step]));
  const premises = (id) => (folded.has(id) ? [] : [...new Set(steps.get(id).premises ?? [])]);
  const visible = [];
  const visit = (id, seen) => { if (!seen.has(id)) { seen.add(id); premises(id).forEach((below) => visit(below, seen)); visible.push(id); } };
  visit(proof.goal, new Set());
  const column = new Map([[proof.goal, 0]]), owner = new Map();
  for (const id of [...visible].reverse()) for (const below of premises(id)) {
    if (column.get(id) + 1 > (column.get(below) ?? 0)) { column.set(below, column.get(id) + 1); owner.set(below, id); }
  }
  const owned = (id) => premises(id).filter((below) => owner.get(below) === id);
  const row = new Map();
  let next = 0;
  const place = (id) => {
    const below = owned(id);
    if (!below.length) { row.set(id, next); next += 1; return; }
    below.forEach(place);
    row.set(id, (row.get(below[0]) + row.get(below.at(-1))) / 2);
  };
  place(proof.goal);
  return { steps, visible, column, row, rows: next, premises };
}

const WIDTH = 256, HEIGHT = 82, GAP = 48, ROW = 96;

function graph(proof, labels) {
  const folded = new Set();
  const place = h("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "The proof as a graph" });
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  function draw() {
    const { steps, visible, column, row, rows, premises } = layOut(proof, folded);
    const columns = Math.max(...visible.map((id) => column.get(id))) + 1;
    const x = (id) => 8 + column.get(id) * (WIDTH + GAP), y = (id) => 8 + row.get(id) * ROW;
    const edges = visible.flatMap((id) => premises(id).map((below) => {
      const [x1, y1, x2, y2] = [x(id) + WIDTH, y(id) + HEIGHT / 2, x(below), y(below) + HEIGHT / 2];
      return svg("path", { class: "edge", d: `M${x1} ${y1} C${x1 + GAP / 2} ${y1} ${x2 - GAP / 2} ${y2} ${x2} ${y2}` });
    }));
    const boxes = [...visible].reverse().map((id) => {
      const step = steps.get(id), text = step.triple.map((term) => nameOf(term, labels)).join(" ");
      const hidden = folded.has(id);
      const name = `${text}, ${KINDS[step.kind]} ${step.rule ?? ""}`;
      const foldable = step.premises?.length;
      const change = () => { if (!foldable) return; hidden ? folded.delete(id) : folded.add(id); draw(); place.querySelector(`[data-step="${id}"]`)?.focus(); };
      return svg("g", { class: `step ${step.kind}`, "data-step": id, tabindex: "0", role: foldable ? "button" : "img", "aria-label": name, "aria-expanded": foldable ? String(!hidden) : null,
        onclick: change, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); change(); } } },
        svg("title", {}, [step.triple.join(" "), ...(step.sources ?? [])].join("\n")),
        svg("rect", { x: x(id), y: y(id), width: WIDTH, height: HEIGHT, rx: 6 }),
        step.triple.map((term, place) => svg("text", { x: x(id) + 10, y: y(id) + 19 + 17 * place, class: place === 1 ? null : "strong" }, cut(briefName(term, labels), 28))),
        svg("text", { x: x(id) + 10, y: y(id) + 72, class: "small" }, `${KINDS[step.kind]} ${step.rule ?? ""}${hidden ? "  ▸ folded" : ""}`));
    });
    const width = columns * (WIDTH + GAP), height = rows * ROW + 8;
    fill(place, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Steps of the proof, the conclusion first" }, edges, boxes));
  }
  draw();
  return h("div", {}, h("p", {}, "The conclusion is on the left, what it rests on to the right. Choose a step to fold what it rests on."), place);
}

function goneButton(triple, labels) {
  return h("button", { type: "button", class: "small", "aria-label": `what would go without it? ${triple.map((term) => nameOf(term, labels)).join(" ")}`, onclick: () => rehearse(triple) }, "what would go without it?");
}

/** Rehearse the removal of an explicit fact, and show what would go with it. */
export async function rehearse(triple) {
  const body = h("div", {}, h("p", { class: "loading" }, "Rehearsing the removal …"));
  const line = h("p", { class: "triple" }, triple.map((term) => [shown(term), " "]));
  const dialog = openDialog("If this were removed", line, body);
  dialog.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); }, { once: true });
  try {
    const [s, p, o] = triple;
    const told = await get("without", { s, p, o });
    const counts = told.counts;
    fill(body,
      h("p", {}, told.still_holds ? "It would still hold: it follows from other facts as well. " : "It would hold no more. ",
        h("strong", {}, counts.lost ? `${plural(counts.lost, "fact")} would go in all` : "Nothing else would go"), counts.gained ? `, and ${plural(counts.gained, "fact")} would come` : "", `. Nothing was changed; the rehearsal took ${(told.seconds * 1000).toFixed(1)} ms.`),
      told.lost.length > 0 && [h("h3", {}, "What would go"), h("ul", { class: "statements" }, told.lost.slice(0, 100).map((each) => h("li", {}, each.map((term) => [shown(term, told.labels), " "])))), counts.lost > 101 && h("p", {}, `… ${count(counts.lost - 101)} more`)],
      told.classes_split.length > 0 && [h("h3", {}, "Names that would come apart"), h("ul", {}, told.classes_split.map((each) => h("li", {}, each.before.flat().map((term) => [shown(term, told.labels), " "]))))],
      told.violations_appeared.length > 0 && [h("h3", {}, "Violations that would appear"), violationList(told.violations_appeared)],
      told.violations_went.length > 0 && h("p", {}, `${plural(told.violations_went.length, "violation")} would go.`),
      removal(triple, dialog));
  } catch (error) { fill(body, problem(error)); }
}

function removal(triple, dialog) {
  if (!mayWrite() || triple.some((term) => term.startsWith("_:"))) return null;
  return h("p", { class: "row" }, h("button", { type: "button", class: "danger", onclick: async () => {
    try {
      const told = await update(`DELETE DATA { ${triple.join(" ")} }`);
      dialog.close();
      say(`Removed; this is version ${told.version}.`);
      dispatchEvent(new HashChangeEvent("hashchange"));
    } catch (error) { say(error.message, true); }
  } }, "Remove it"));
}

