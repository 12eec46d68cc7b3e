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

function makeFilter(form) {
  const table = document.getElementById(form.dataset.table);
  const words = form.querySelector("input");
  const choice = form.querySelector("select") || { value: "" };
  const said = form.querySelector("output");
  const rows = [...table.tBodies[0].rows];
  let texts = null; // gathered when first asked for: opening a large page must not wait for it
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    for (const [row, text] of texts) {
      const fits = wanted.every((word) => text.includes(word)) && (!choice.value || row.dataset.group === choice.value);
      row.hidden = !fits;
      shown += fits;
    }
    said.value = `${shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  said.value = `${rows.length} of ${rows.length} shown`;
}
