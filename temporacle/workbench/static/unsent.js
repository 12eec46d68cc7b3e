// An edit that the server did not confirm travels in the fragment of the new address: browsers do not send fragments.

import { pageAddress } from "./api.js";

/** @typedef {{verb: string, body: object, did: string}} Unsent */

const MARK = "#unsent=";

/**
 * Return the address of this document at the server of `address`, null if that is not an address with a token.
 * @param {string} address
 * @param {string} id
 * @param {Unsent | null} unsent
 */
export function unsentAddress(address, id, unsent) {
  if (!URL.canParse(address)) return null;
  const server = new URL(address);
  const token = server.searchParams.get("token");
  if (!token || !/^https?:$/u.test(server.protocol)) return null;
  const target = new URL(`document?${new URLSearchParams({ id, token })}`, server);
  return target.href + (unsent ? MARK + encodeURIComponent(JSON.stringify(unsent)) : "");
}

/**
 * Return the edit that the address of this page carries, once.
 * @returns {Unsent | null}
 */
export function takeUnsent() {
  if (!location.hash.startsWith(MARK)) return null;
  const text = location.hash.slice(MARK.length);
  history.replaceState(null, "", pageAddress("document", new URLSearchParams(location.search).get("id")));
  try {
    const { verb, body, did } = JSON.parse(decodeURIComponent(text));
    return ["edit", "undo", "redo"].includes(verb) && typeof did === "string" ? { verb, body, did } : null;
  } catch {
    return null;
  }
}
