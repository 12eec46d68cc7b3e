// Requests to the server that gave us this page.

import { T } from "./texts.js";

const token = new URLSearchParams(location.search).get("token") ?? "";
const RETRY = 1500; // milliseconds between two attempts to reach a server that has gone

/** The server's answer to a request it refused. `status` 0: the server did not answer. */
export class RequestError extends Error {
  constructor(status, body) {
    super(body.error ?? T.errors.status(status));
    this.status = status;
    this.body = body;
  }
}

/** Return the address of a page with the token. */
export function pageAddress(page, id = null) {
  const query = new URLSearchParams(id === null ? { token } : { id, token });
  return `${page}?${query}`;
}

/** Return the address that downloads a document in a format, with its comments or without. */
export function exportAddress(id, format, withComments) {
  const query = { format, ...(withComments ? {} : { comments: "0" }), token };
  return `${documentPath(id)}/export?${new URLSearchParams(query)}`;
}

export function documentPath(id) {
  return `api/documents/${encodeURIComponent(id)}`;
}

const listeners = new Set();

/** Call `react("gone" | "back" | "stranger")` when the server stops or starts answering, or answers but knows another token. */
export function onConnection(react) {
  listeners.add(react);
}

let connection = "back";

function setConnection(next) {
  if (next === connection) return;
  connection = next;
  for (const react of listeners) react(next);
  if (next !== "back") setTimeout(tryAgain, RETRY);
}

async function tryAgain() {
  try {
    const answer = await fetch("api/documents?wait=0", { headers: headers() });
    const next = answer.status === 401 ? "stranger" : "back";
    if (next === connection) setTimeout(tryAgain, RETRY);
    else setConnection(next);
  } catch {
    if (connection === "stranger") setConnection("gone");
    else setTimeout(tryAgain, RETRY);
  }
}

function headers() {
  return { Authorization: `Bearer ${token}` };
}

async function request(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    setConnection("gone");
    throw new RequestError(0, { error: T.errors.gone });
  }
  if (answer.ok) {
    setConnection("back");
    return answer;
  }
  if (answer.status === 401) setConnection("stranger");
  throw new RequestError(answer.status, await answer.json().catch(() => ({})));
}

/** Return the JSON of a path; `query` is a list of pairs. */
export async function get(path, query = [], { signal } = {}) {
  const tail = query.length ? `?${new URLSearchParams(query)}` : "";
  return (await request(path + tail, { signal })).json();
}

export async function post(path, body = {}, { signal } = {}) {
  const options = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    signal,
  };
  return (await request(path, options)).json();
}

/** Call `each` with every object of a stream of JSON lines. */
export async function stream(path, each) {
  const answer = await request(path);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\n");
      rest = done ? "" : lines.pop();
      for (const line of lines) if (line.trim()) each(JSON.parse(line));
      if (done) return;
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    setConnection("gone");
    throw new RequestError(0, { error: T.errors.gone });
  }
}
