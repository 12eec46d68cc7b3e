// Certificates on the page, and files that are dropped onto it or chosen: each is checked by checker.js.
document.addEventListener("DOMContentLoaded", () => {
  const section = /** @type {HTMLElement} */ (document.getElementById("certificates"));
  if (!section) return;
  /** @type {HTMLTableSectionElement} */
  const body = needed("table.certificates tbody");
  /** @type {HTMLOutputElement} */
  const summary = needed("output");
  const counts = { waiting: 0, valid: 0, rejected: 0, failed: 0 };
  /** @type {[HTMLTableRowElement, () => string | Uint8Array][]} */
  const waiting = [];

  /**
   * @param {string} selector
   * @returns {any}
   */
  function needed(selector) {
    return section.querySelector(selector);
  }

  function show() {
    const done = counts.valid + counts.rejected + counts.failed;
    const words = [`${counts.valid} valid`];
    if (counts.rejected) words.push(`${counts.rejected} rejected`);
    if (counts.failed) words.push(`${counts.failed} could not be checked`);
    const state = waiting.length ? `Checking, ${waiting.length} to go` : "Checked in your browser";
    summary.textContent =
      done || waiting.length ? `${state}: ${words.join(", ")}.` : "There are no certificates on this page yet.";
    section.dataset.done = waiting.length ? "" : "yes";
  }

  /**
   * @param {HTMLTableRowElement} row
   * @param {any} found what the checker says
   */
  function fill(row, found) {
    const [, documentCell, claim, links, verdict] = row.cells;
    if (found.valid && documentCell.textContent !== found.document) documentCell.textContent = found.document;
    claim.textContent = found.claim ?? "";
    links.textContent = found.links ?? "";
    const kind = found.valid ? "valid" : found.valid === null ? "failed" : "rejected";
    counts[kind]++;
    verdict.className = `status ${found.valid ? "right" : "wrong"}`;
    verdict.textContent = found.valid ? "valid" : found.valid === null ? found.reason : `rejected: ${found.reason}`;
    const notes = [];
    if (found.f1 !== undefined) notes.push(`P ${found.precision}, R ${found.recall}, F1 ${found.f1}`);
    if (found.dropped) notes.push(`without ${found.dropped} unreadable links`);
    if (found.trusted?.length) notes.push(`trusting the values of ${found.trusted.join(", ")}`);
    if (notes.length) verdict.textContent += ` (${notes.join("; ")})`;
  }

  // Totals of scores, and proofs in files of their own, rest on files that a page does not have: that says nothing
  // about the certificate.
  /** @param {string | Uint8Array} content */
  function restsOnOtherFiles(content) {
    try {
      const { claim, proof } = JSON.parse(typeof content === "string" ? content : new TextDecoder().decode(content));
      return claim === "total" || (typeof proof?.file === "string" && typeof proof.sha256 === "string");
    } catch {
      return false;
    }
  }

  /** @param {string | Uint8Array} content */
  function checked(content) {
    const reason = "not checked: it rests on other files; use temporacle verify";
    return restsOnOtherFiles(content) ? { ...TemporacleChecker.NOTHING, reason } : TemporacleChecker.check(content);
  }

  // One at a time, so that the page stays usable.
  function work() {
    const next = waiting.shift();
    if (next) {
      const [row, content] = next;
      fill(row, checked(content()));
      setTimeout(work);
    }
    show();
  }

  /**
   * @param {HTMLTableRowElement} row
   * @param {() => string | Uint8Array} content
   */
  function add(row, content) {
    waiting.push([row, content]);
    if (waiting.length === 1) setTimeout(work);
  }

  for (const row of body.rows) {
    add(row, () => row.querySelector("script")?.textContent ?? "");
  }
  show();

  /** @param {File[]} files */
  async function take(files) {
    for (const file of files) {
      const row = body.insertRow();
      for (const text of [file.name, "", "", "", "reading"]) row.insertCell().textContent = text;
      row.cells[3].className = "number";
      try {
        const bytes = new Uint8Array(await file.arrayBuffer());
        add(row, () => bytes);
      } catch (error) {
        fill(row, {
          ...TemporacleChecker.NOTHING,
          reason: `cannot be opened: ${/** @type {Error} */ (error).message}`,
        });
        show();
      }
    }
  }

  /** @type {HTMLInputElement} */
  const input = needed("input");
  input.addEventListener("change", () => {
    take([...(input.files ?? [])]);
    input.value = "";
  });
  /** @type {HTMLElement} */
  const place = needed(".drop");
  addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("near");
  });
  addEventListener("dragleave", () => place.classList.remove("near"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("near");
    take([...(event.dataTransfer?.files ?? [])]);
  });
});
