"use strict";

// Sorts tables by the column whose head is clicked: numbers and texts by data-sort, or by what is shown.
(() => {
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent;
    const number = text === "" ? NaN : Number(text.replace(/[,%\u202f]/g, ""));
    return { number, text };
  };

  const compare = (one, other, sign) => {
    const [isOne, isOther] = [one, other].map((value) => !Number.isNaN(value.number));
    if (isOne && isOther) return sign * (one.number - other.number);
    if (isOne !== isOther) return isOne ? -1 : 1; // what is no number stays below
    return sign * one.text.localeCompare(other.text, undefined, { numeric: true });
  };

  const sortBy = (head) => {
    const table = head.closest("table");
    const before = head.getAttribute("aria-sort");
    const isFalling = before === "none" ? head.classList.contains("number") : before === "ascending";
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: key(row, head.cellIndex) }));
    rows.sort((one, other) => compare(one.key, other.key, isFalling ? -1 : 1));
    body.append(...rows.map((entry) => entry.row));
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", isFalling ? "descending" : "ascending");
  };

  document.addEventListener("click", (event) => {  // also in tables that come later
    const head = event.target.closest?.("thead button")?.closest("th");
    if (head) sortBy(head);
  });
})();
