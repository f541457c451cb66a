// Elements made of text and attributes; no text ever becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: h("a", {href: "#"}, "text", child). Attributes that are null or false are left out. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Make an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Put other children into an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Tell something in the line at the bottom, which screen readers read out; an error stays longer. */
export function say(text, isError = false) {
  const line = document.getElementById("status");
  line.textContent = text;
  line.classList.toggle("error", isError);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { line.textContent = ""; line.classList.remove("error"); }, isError ? 12000 : 5000);
}

/** Write a number for people. */
export function count(number) {
  return Number(number).toLocaleString("en");
}

export function plural(number, word, many = word + "s") {
  return `${count(number)} ${number === 1 ? word : many}`;
}

/** A section with a heading of its own. */
export function section(title, ...children) {
  const id = "h" + (section.number = (section.number ?? 0) + 1);
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

/** An item of a list with a button that folds what is below it; ``name`` is what the button folds, for screen readers. */
export function foldable(name, line, below, open = true) {
  const button = h("button", { type: "button", class: "fold", "aria-label": name, onclick: () => item.fold(below.hidden) });
  const item = h("li", { class: "foldable" }, button, " ", line, below);
  item.fold = (unfolds) => {
    below.hidden = !unfolds;
    button.textContent = unfolds ? "▾" : "▸";
    button.setAttribute("aria-expanded", String(unfolds));
  };
  item.fold(open);
  return item;
}

/** A message in the place of content that cannot be shown. */
export function problem(error) {
  return h("p", { class: "problem", role: "alert" }, String(error.message ?? error));
}

/** Open a dialog with a title and content; it closes by Escape, and the focus goes back to where it was. */
export function openDialog(title, ...children) {
  const dialog = document.getElementById("dialog");
  const close = h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  fill(dialog, h("div", { class: "head" }, h("h2", { id: "dialog-title" }, title), close), ...children);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

/** Show one of several views under a row of tabs; arrow keys move between them. */
export function tabs(label, views, onchange = () => {}) {
  const names = Object.keys(views);
  const group = "t" + (tabs.number = (tabs.number ?? 0) + 1);
  const panel = h("div", { role: "tabpanel", id: `${group}-panel`, tabindex: "0" });
  const buttons = names.map((name, place) =>
    h("button", { type: "button", role: "tab", id: `${group}-${place}`, "aria-controls": `${group}-panel`,
      onclick: () => show(name), onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = (place + step + names.length) % names.length;
        show(names[next]);
        buttons[next].focus();
      } }, name));
  function show(name) {
    names.forEach((other, place) => {
      buttons[place].setAttribute("aria-selected", String(other === name));
      buttons[place].tabIndex = other === name ? 0 : -1;
      if (other === name) panel.setAttribute("aria-labelledby", `${group}-${place}`);
    });
    fill(panel, views[name]());
    onchange(name);
  }
  const element = h("div", { class: "tabs" }, h("div", { role: "tablist", "aria-label": label }, buttons), panel);
  element.show = show;
  return element;
}
