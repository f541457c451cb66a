// The frame: which panel is shown, colours, access, shortcuts.

import { access, get, mayWrite, setToken, token, vocabulary } from "./api.js";
import { fill, h, openDialog, problem, say } from "./dom.js";
import { live } from "./live.js";
import { ontology } from "./ontology.js";
import { overview } from "./overview.js";
import { query } from "./query.js";
import { resource } from "./resource.js";
import { prepareSearch, startSearch } from "./search.js";
import { setPrefixes } from "./terms.js";
import { why } from "./why.js";

const PANELS = { "": overview, query, ontology, live, resource, why };
const THEMES = ["auto", "light", "dark"];
const SHORTCUTS = [["/", "search"], ["1 – 4", "overview, query, ontology, live"], ["Ctrl + Enter", "run the query"], ["Ctrl + Space", "complete a word in the editor"],
  ["↑ ↓ Enter", "choose what was found or completed"], ["← →", "move between tabs"], ["Enter", "fold or unfold a step"], ["t", "light or dark"], ["?", "this list"], ["Esc", "close"]];

let shownNow = new AbortController();
let isFirst = true;

async function show() {
  const [path, text] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const panel = PANELS[path] ?? overview;
  const main = document.getElementById("main");
  shownNow.abort();
  shownNow = new AbortController();
  document.getElementById("dialog").close();
  for (const link of document.querySelectorAll("#panels a")) {
    const isCurrent = link.dataset.panel === (path || "overview");
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.dataset.panel = path || "overview";
  try {
    const words = vocabulary().then((told) => setPrefixes(told.prefixes), () => {});
    // Names are short once prefixes are known, which takes a moment the first time.
    if (path && path !== "query") await words;
    await panel(main, new URLSearchParams(text ?? ""), shownNow.signal);
  } catch (error) {
    fill(main, h("h1", {}, "Something went wrong"), problem(error));
  }
  if (!isFirst && document.activeElement?.id !== "editor") main.focus({ preventScroll: true });
  isFirst = false;
  scrollTo(0, 0);
}

function theme(next) {
  const chosen = THEMES.includes(next) ? next : "auto";
  try { localStorage.setItem("reasoner-theme", chosen); } catch { /* forbidden */ }
  document.documentElement.dataset.theme = chosen;
  const button = document.getElementById("theme");
  button.textContent = { auto: "◐", light: "☀", dark: "☾" }[chosen];
  button.setAttribute("aria-label", `Colours: ${{ auto: "as the system", light: "light", dark: "dark" }[chosen]}`);
}

function nextTheme() {
  theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
}

function showAccess() {
  const button = document.getElementById("access");
  button.textContent = mayWrite() ? "✎ Updates on" : access.updates ? "🔒 Token" : "Read-only";
}

function accessDialog() {
  if (!access.updates) return openDialog("Read-only", h("p", {}, "This server takes no updates. Start it with ", h("code", {}, "--update"), " to change the store from here."));
  if (!access.token) return openDialog("Updates are on", h("p", {}, "Everybody on this machine may change the store. Updates in the query panel, and scripts in the ontology panel, take effect."));
  const field = h("input", { id: "token", type: "password", autocomplete: "off", value: token() });
  return openDialog("Token", h("form", { method: "dialog", onsubmit: () => { setToken(field.value.trim()); showAccess(); say(token() ? "Changes are sent with this token." : "Read-only."); show(); } },
    h("p", {}, "Changes need the token that the server was started with. It is kept until this window is closed."), h("label", { for: "token" }, "Token "), field, " ", h("button", { class: "primary" }, "Use it")));
}

function helpDialog() {
  openDialog("Keyboard", h("dl", { class: "keys" }, SHORTCUTS.map(([keys, meaning]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, meaning)])),
    h("p", {}, "● asserted: somebody said so. ◇ inferred: it follows. Everything here is also JSON: ", h("a", { href: "/api/" }, "/api/"), "."));
}

function shortcut(event) {
  const inText = event.target.closest?.("input, textarea, select, dialog");
  if (inText || event.ctrlKey || event.metaKey || event.altKey) return;
  const places = { 1: "#/", 2: "#/query", 3: "#/ontology", 4: "#/live" };
  if (event.key === "/") { event.preventDefault(); document.getElementById("search").focus(); }
  else if (event.key === "?") { event.preventDefault(); helpDialog(); }
  else if (event.key === "t") nextTheme();
  else if (places[event.key]) location.hash = places[event.key];
}

let saved = "auto";
try { saved = localStorage.getItem("reasoner-theme") ?? "auto"; } catch { /* forbidden */ }
theme(saved);
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("access").addEventListener("click", accessDialog);
document.getElementById("help").addEventListener("click", helpDialog);
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); document.getElementById("main").focus(); });
document.addEventListener("keydown", shortcut);
addEventListener("hashchange", show);
addEventListener("changed", () => vocabulary(true).then((told) => setPrefixes(told.prefixes), () => {}));
startSearch();
get("overview").then((told) => { Object.assign(access, told.access); showAccess(); dispatchEvent(new Event("access")); }, () => {}).finally(() => show().then(prepareSearch));
