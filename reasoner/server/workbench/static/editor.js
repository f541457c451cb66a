// A text area for SPARQL with colours behind it and completion from the vocabulary of the store.

import { fill, h } from "./dom.js";
import { literalParts, prefixed } from "./terms.js";

const KEYWORDS = ("SELECT ASK CONSTRUCT DESCRIBE WHERE FROM NAMED PREFIX BASE DISTINCT REDUCED OPTIONAL UNION MINUS FILTER BIND VALUES GRAPH SERVICE AS ORDER BY ASC DESC " +
  "GROUP HAVING LIMIT OFFSET INSERT DELETE DATA WITH USING LOAD CLEAR DROP CREATE EXISTS NOT IN UNDEF COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT STR LANG DATATYPE BOUND IRI URI " +
  "BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE CONTAINS STRSTARTS STRENDS SUBSTR REPLACE REGEX YEAR MONTH DAY NOW IF COALESCE ISIRI ISBLANK ISLITERAL ISNUMERIC SAMETERM TRUE FALSE A").split(" ");
const WORDS = new Set(KEYWORDS);
const TOKEN = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(<[^<>"{}|^`\\\s]*>)|([?$]\w+)|([A-Za-z][\w-]*:[\w.-]*|:[\w.-]+)|([A-Za-z_]\w*)|(\d+(?:\.\d+)?)/g;
const CLASSES = [null, "comment", "string", "iri", "variable", "prefixed", "word", "number"];

function coloured(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const kind = match.findIndex((group, place) => place > 0 && group !== undefined);
    if (kind === 6 && !WORDS.has(match[0].toUpperCase())) continue;
    parts.push(text.slice(at, match.index), h("span", { class: `t-${CLASSES[kind]}` }, match[0]));
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at), "\n");
  return parts;
}

/** Make an editor; ``words`` gives the vocabulary, ``run`` is called by Ctrl+Enter. */
export function editor(label, text, words, run) {
  const behind = h("pre", { class: "behind", "aria-hidden": "true" });
  const area = h("textarea", { id: "editor", "aria-label": label, spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": "completions", rows: "9" });
  const list = h("ul", { id: "completions", class: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
  area.value = text;
  let options = [], chosen = 0;

  function paint() { fill(behind, coloured(area.value)); follow(); }
  function follow() { behind.scrollTop = area.scrollTop; behind.scrollLeft = area.scrollLeft; }
  function word() {
    const before = area.value.slice(0, area.selectionStart);
    return /[?$]?[\w:-]*$/.exec(before)[0];
  }
  function close() { list.hidden = true; area.removeAttribute("aria-activedescendant"); }
  function choose(place) {
    chosen = (place + options.length) % options.length;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    list.children[chosen].scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", `completion-${chosen}`);
  }
  function complete(force = false) {
    const typed = word();
    if (!force && typed.length < 2) return close();
    options = completions(typed, area.value, words());
    if (!options.length) return close();
    fill(list, options.map((option, place) => h("li", { role: "option", id: `completion-${place}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); chosen = place; accept(); } }, option.text, h("small", {}, ` ${option.note}`))));
    list.hidden = false;
    choose(0);
  }
  function accept() {
    const option = options[chosen], end = area.selectionStart, start = end - word().length;
    area.setRangeText(option.text, start, end, "end");
    if (option.namespace && !new RegExp(`PREFIX\\s+${option.prefix}:`, "i").test(area.value)) {
      const line = `PREFIX ${option.prefix}: <${option.namespace}>\n`;
      const at = area.selectionStart;
      area.setRangeText(line, 0, 0, "preserve");
      area.setSelectionRange(at + line.length, at + line.length);
    }
    close();
    paint();
    area.dispatchEvent(new Event("change"));
  }
  area.addEventListener("input", () => { paint(); complete(); });
  area.addEventListener("scroll", follow);
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); close(); run(); }
    else if (event.key === " " && event.ctrlKey) { event.preventDefault(); complete(true); }
    else if (list.hidden) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(chosen + (event.key === "ArrowDown" ? 1 : -1)); }
    else if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); accept(); }
    else if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); close(); }
  });
  paint();
  const element = h("div", { class: "editor" }, behind, area, list);
  Object.defineProperty(element, "value", { get: () => area.value, set: (value) => { area.value = value; paint(); } });
  element.focusEditor = () => area.focus();
  return element;
}

/** Return what a typed word may become: variables of the text, names of the store, prefixes, keywords. */
export function completions(typed, text, words) {
  const start = typed.toLowerCase(), found = [];
  if (/^[?$]/.test(typed)) {
    const names = new Set([...text.matchAll(/[?$]\w+/g)].map((match) => match[0]));
    return [...names].filter((name) => name !== typed && name.toLowerCase().startsWith(start)).map((name) => ({ text: name, note: "variable" }));
  }
  const local = start.includes(":") ? start.split(":").at(-1) : start;
  for (const [kind, rows] of [["class", words?.classes ?? []], ["property", words?.properties ?? []]]) {
    for (const row of rows) {
      const name = prefixed(row.term);
      if (!name) continue;
      const [prefix, rest] = name.split(":");
      const label = row.label ? literalParts(row.label).text.toLowerCase() : "";
      const fits = start.includes(":") ? name.toLowerCase().startsWith(start) : rest.toLowerCase().startsWith(local) || label.startsWith(local);
      if (fits && local.length + start.length > 0) found.push({ text: name, note: `${kind}, ${row.facts.toLocaleString("en")}`, prefix, namespace: words.prefixes[prefix], size: row.facts });
    }
  }
  found.sort((left, right) => right.size - left.size);
  if (!start.includes(":")) {
    for (const [prefix, namespace] of Object.entries(words?.prefixes ?? {})) if (start && prefix.startsWith(start)) found.push({ text: `${prefix}:`, note: namespace, prefix, namespace });
    for (const keyword of KEYWORDS) if (start && keyword.toLowerCase().startsWith(start) && keyword.length > typed.length) found.push({ text: keyword, note: "keyword" });
  }
  return found.slice(0, 30);
}
