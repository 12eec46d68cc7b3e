"use strict";
document.documentElement.classList.add("js");
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
  for (const form of document.querySelectorAll("form.filters")) makeFilter(form);

  // Closed details would be missing on paper.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      details.dataset.closed = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const details of document.querySelectorAll("details[data-closed]")) {
      details.open = false;
      delete details.dataset.closed;
    }
  });
});

function makeSortable(table) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = header.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const upwards = header.getAttribute("aria-sort") !== "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      const isNumber = header.classList.contains("number");
      const keys = new Map([...body.rows].map((row) => {
        const text = row.cells[column].textContent.trim();
        return [row, isNumber ? (Number.parseFloat(text) || 0) : text];
      }));
      const collator = new Intl.Collator(undefined, { numeric: true });
      const compare = isNumber ? (a, b) => a - b : collator.compare;
      const rows = [...body.rows].sort((a, b) => compare(keys.get(a), keys.get(b)) * (upwards ? 1 : -1));
      body.append(...rows);
    });
  });
}

const BRIEF = 300; // rows of a long table that are laid out at first

function makeFilter(form) {
  const table = document.getElementById(form.dataset.table);
  const words = form.querySelector("input");
  const choice = form.querySelector("select") || { value: "" };
  const all = form.querySelector("button");
  const said = form.querySelector("output");
  const rows = [...table.tBodies[0].rows];
  let texts = null; // gathered when first asked for: opening a large page must not wait for it
  let wantsAll = rows.length <= BRIEF;
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const filters = wanted.length > 0 || choice.value !== "";
    if (filters) texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    let shown = 0;
    for (const row of rows) {
      row.hidden = filters && !(wanted.every((word) => texts.get(row).includes(word))
        && (!choice.value || row.dataset.group === choice.value));
      shown += !row.hidden;
    }
    const brief = !filters && !wantsAll;
    table.classList.toggle("brief", brief);
    if (all) all.hidden = !brief;
    said.value = `${brief ? BRIEF : shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (all) all.addEventListener("click", () => { wantsAll = true; apply(); });
  apply();
}
