// Asking the server, with the token of whoever has one.

const TOKEN = "reasoner-token";

export const access = { updates: false, token: false };

/** Return the token that was given in this browser window, if any. */
export function token() {
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function setToken(text) {
  if (text) sessionStorage.setItem(TOKEN, text);
  else sessionStorage.removeItem(TOKEN);
}

/** Tell whether changes may be sent: updates are on, and the token is given if there is one. */
export function mayWrite() {
  return access.updates && (!access.token || Boolean(token()));
}

async function checked(answer) {
  if (answer.ok) return answer;
  const text = (await answer.text()).trim();
  const error = new Error(text || `${answer.status} ${answer.statusText}`);
  error.status = answer.status;
  throw error;
}

function headers(more = {}) {
  return token() ? { Authorization: `Bearer ${token()}`, ...more } : more;
}

/** Ask the API for something. */
export async function get(path, parameters = {}, signal = undefined) {
  const text = new URLSearchParams(parameters).toString();
  return (await checked(await fetch(`/api/${path}${text ? "?" + text : ""}`, { signal, headers: { Accept: "application/json" } }))).json();
}

/** Send an object to the API. */
export async function post(path, body) {
  const sent = { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body) };
  return (await checked(await fetch(`/api/${path}`, sent))).json();
}

/** Ask a query, and return the answer as it came. */
export async function query(text, accept, signal = undefined) {
  const sent = { method: "POST", headers: { "Content-Type": "application/sparql-query", Accept: accept }, body: text, signal };
  return checked(await fetch("/sparql", sent));
}

/** Send an update, and return what it led to. */
export async function update(text) {
  const sent = { method: "POST", headers: headers({ "Content-Type": "application/sparql-update" }), body: text };
  return (await checked(await fetch("/update", sent))).json();
}

let words = null;

/** Return classes, properties and prefixes, which are asked for once; ``anew`` asks again. */
export function vocabulary(anew = false) {
  if (words === null || anew) words = get("vocabulary").catch((error) => { words = null; throw error; });
  return words;
}
