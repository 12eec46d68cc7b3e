// Requests to the server that gave us this page.

import { T } from "./texts.js";

const token = new URLSearchParams(location.search).get("token") ?? "";
const RETRY = 1500; // milliseconds between two attempts to reach a server that has gone

/** The server's answer to a request it refused. `status` 0: the server did not answer. */
export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, changed?: boolean}} body
   */
  constructor(status, body) {
    super(body.error ?? T.errors.status(status));
    this.status = status;
    this.body = body;
  }
}

/**
 * Return the address of a page with the token.
 * @param {string} page
 * @param {string | null} [id]
 */
export function pageAddress(page, id = null) {
  const query = new URLSearchParams(id === null ? [["token", token]] : Object.entries({ id, token }));
  return `${page}?${query}`;
}

/**
 * Return the address that downloads a document in a format, with its comments or without.
 * @param {string} id
 * @param {string} format
 * @param {boolean} withComments
 */
export function exportAddress(id, format, withComments) {
  const query = { format, ...(withComments ? {} : { comments: "0" }), token };
  return `${documentPath(id)}/export?${new URLSearchParams(Object.entries(query))}`;
}

/** Return the address that downloads all reviews. */
export function reviewsAddress() {
  return `api/reviews?${new URLSearchParams({ token })}`;
}

/**
 * Return the address that downloads the log of decisions about a document.
 * @param {string} id
 */
export function logAddress(id) {
  return `${documentPath(id)}/log?${new URLSearchParams({ token })}`;
}

/** @param {string} id */
export function documentPath(id) {
  return `api/documents/${encodeURIComponent(id)}`;
}

/**
 * @typedef {"gone" | "back" | "stranger"} Connection
 * @typedef {(connection: Connection) => void} Listener
 */

/** @type {Set<Listener>} */
const listeners = new Set();

/**
 * Call `react` when the server stops or starts answering, or answers but knows another token.
 * @param {Listener} react
 */
export function onConnection(react) {
  listeners.add(react);
}

/** @type {Connection} */
let connection = "back";

/** @param {Connection} next */
function setConnection(next) {
  if (next === connection) return;
  connection = next;
  for (const react of listeners) react(next);
  if (next !== "back") setTimeout(tryAgain, RETRY);
}

async function tryAgain() {
  if (connection === "back") return; // another request was answered meanwhile
  try {
    const answer = await fetch("api/documents?wait=0", { headers: headers() });
    if (answer.status !== 401) setConnection("back");
    else if (connection === "stranger") setTimeout(tryAgain, RETRY);
    else setConnection("stranger");
  } catch {
    if (connection === "stranger") setConnection("gone");
    else if (connection === "gone") setTimeout(tryAgain, RETRY);
  }
}

function headers() {
  return { Authorization: `Bearer ${token}` };
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function request(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
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

/**
 * Return the JSON of a path; `query` is a list of pairs.
 * @param {string} path
 * @param {string[][]} [query]
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function get(path, query = [], { signal } = {}) {
  const tail = query.length ? `?${new URLSearchParams(query)}` : "";
  return (await request(path + tail, { signal })).json();
}

/**
 * @param {string} path
 * @param {object} [body]
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function post(path, body = {}, { signal } = {}) {
  const options = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    signal,
  };
  return (await request(path, options)).json();
}

/**
 * Call `each` with every object of a stream of JSON lines.
 * @param {string} path
 * @param {(found: any) => void} each
 */
export async function stream(path, each) {
  const answer = await request(path);
  const body = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line.trim()) each(JSON.parse(line));
      if (done) return;
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    setConnection("gone");
    throw new RequestError(0, { error: T.errors.gone });
  }
}
