"use strict";

// A link to a replay or a log opens it.
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
