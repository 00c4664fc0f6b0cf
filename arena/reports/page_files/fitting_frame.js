"use strict";
// A frame in a notebook is as high as its page, and dark or light as the notebook is. Where no notebook says so, it is the system's.
const frame = (() => { try { return window.frameElement; } catch { return null; } })();

const followNotebook = () => {
  const {jpThemeLight, vscodeThemeKind} = frame?.ownerDocument.body.dataset ?? {};
  if (!jpThemeLight && !vscodeThemeKind) return;
  const isDark = jpThemeLight === "false" || /-dark$|-high-contrast$/.test(vscodeThemeKind ?? "");
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
  const colour = (rules) => {
    for (const rule of rules) {
      if (rule.media?.mediaText === "(prefers-color-scheme: dark)") rule.media.mediaText = isDark ? "all" : "not all";
      if (rule.cssRules) colour(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) colour(sheet.cssRules);
};

if (frame) {
  followNotebook();
  new ResizeObserver(() => { frame.style.height = `${Math.ceil(document.body.scrollHeight)}px`; }).observe(document.body);
}
