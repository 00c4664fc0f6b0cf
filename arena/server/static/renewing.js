"use strict";
/**
 * Keeps the live part of a page up to date: what lies in `#live` is made by the server, and this script puts the newer one in
 * its place. `data-pending`: how much is still to happen; with 0 it looks seldom. `data-seconds` instead: a steady pace.
 *
 * A reader is not disturbed: while text is selected, a form is open or a table is sorted, nothing changes; the focus and what
 * is folded open stay. What has changed its state is said aloud in `#submit-said`, where the page has that.
 */
(() => {
  const arena = (window.arena ??= {});
  const SOON = 1000, LATER = 4000, SELDOM = 20_000;  // ms between two looks
  const QUICK_LOOKS = 30;                            // then the pace is slower: it takes longer than most
  const live = document.getElementById("live"), said = document.getElementById("submit-said");
  if (!live) return;
  let known = live.innerHTML, timer = null, looks = 0;
  arena.localTimes(live);

  const isReading = () => {
    const chosen = getSelection();
    return Boolean(chosen && !chosen.isCollapsed && live.contains(chosen.anchorNode))
      || Boolean(live.querySelector("select:focus, input:focus, details[open] form, th:is([aria-sort=ascending], [aria-sort=descending])"));
  };

  /** Say aloud what has changed. */
  const announce = (before) => {
    for (const line of live.querySelectorAll("[data-submission]")) {
      const old = before.get(line.dataset.submission);
      if (said && old !== undefined && old !== line.dataset.state) {
        said.textContent = line.dataset.said;
        said.classList.remove("bad");
      }
    }
  };

  const states = () =>
    new Map(Array.from(live.querySelectorAll("[data-submission]"), (line) => [line.dataset.submission, line.dataset.state]));

  const take = (page) => {
    const fresh = new DOMParser().parseFromString(page, "text/html").getElementById("live");
    if (!fresh || fresh.innerHTML === known || isReading()) return;
    const active = live.contains(document.activeElement) ? document.activeElement : null;
    const before = states(), focused = active?.closest("[id]")?.id, address = active?.getAttribute("href");
    const opened = Array.from(live.querySelectorAll("details[id]"), (one) => [one.id, one.open]);
    known = fresh.innerHTML;
    Object.assign(live.dataset, fresh.dataset);
    live.replaceChildren(...fresh.childNodes);
    for (const [id, isOpen] of opened) document.getElementById(id)?.toggleAttribute("open", isOpen);
    arena.localTimes(live);
    const again = (address && live.querySelector(`a[href="${CSS.escape(address)}"]`))
      ?? (focused && focused !== "live" && document.getElementById(focused));
    if (again) again.focus({preventScroll: true});
    announce(before);
  };

  const pause = () => live.dataset.seconds ? 1000 * live.dataset.seconds : live.dataset.pending !== "0" ? (looks < QUICK_LOOKS ? SOON : LATER) : SELDOM;

  const look = async () => {
    clearTimeout(timer);
    looks += 1;
    try {
      const answer = await arena.asked(location.href, {headers: {accept: "text/html"}});
      if (answer.ok) take(answer.text);
    } catch {  // the server is away, or does not answer; the next look tries again
    }
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, pause());
  };

  const lookAgain = () => {
    looks = 0;
    look();
  };

  /** Something has just been sent: look at once, and often. */
  const soon = () => {
    if (live.dataset.pending === "0") live.dataset.pending = "1";
    lookAgain();
  };

  timer = setTimeout(look, pause());
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) lookAgain();
  });
  addEventListener("pageshow", (event) => { if (event.persisted) lookAgain(); });
  arena.renewing = {soon};
})();
