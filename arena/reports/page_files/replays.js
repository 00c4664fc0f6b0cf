"use strict";
// The replays of the page. One begins when it is opened; `#address~37` opens it at a step.
(() => {
  const begin = async (details, at) => {
    const root = details.querySelector(".replay-root");
    if (!root || root.dataset.isBegun) return;
    root.dataset.isBegun = "yes";
    const lang = [navigator.language, document.documentElement.lang].some((one) => one.startsWith("ja")) ? "ja" : "en";
    const match = await arena.packedMatch(`${details.id}-frames`);
    const link = (place) => `${location.href.split("#")[0]}#${details.id}~${place.at}`;
    root.lang = lang;
    await arena.player(root, match, {lang, at, link});
  };
  addEventListener("toggle", (event) => { if (event.target.open) begin(event.target, ""); }, true);

  const beginAtStep = () => {
    const [address, at] = decodeURIComponent(location.hash.slice(1)).split("~");
    const details = at === undefined ? null : document.getElementById(address);
    if (!(details instanceof HTMLDetailsElement)) return;
    begin(details, at);
    details.open = true;
    details.scrollIntoView();
  };
  addEventListener("hashchange", beginAtStep);
  beginAtStep();
})();
