"use strict";

// Sorts tables by the column whose head is clicked: numbers and texts by data-sort, or by what is shown.
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

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}

// A link to a replay opens it.
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();

// The contents mark where the reader is.
const links = new Map();
for (const link of document.querySelectorAll("nav > ul > li > a")) links.set(link.hash.slice(1), link);
const contents = document.querySelector("nav");
let marked = null;
const mark = () => {
  let current = null;
  for (const [name, link] of links) {
    if (document.getElementById(name).getBoundingClientRect().top < innerHeight / 3) current = link;
  }
  if (current === marked) return;
  marked?.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "true");
  marked = current;
  if (current) contents.scrollLeft = current.offsetLeft - contents.offsetLeft - 40; // on a phone they are one line
};
addEventListener("scroll", mark, { passive: true });
mark();
