"use strict";
/**
 * Fills in the code that stands behind the `#` of a join link, which no browser sends by itself. It is sent when the reader
 * presses the button: whatever only looks at the link, such as the preview of a chat, uses up nothing.
 */
(() => {
  const code = location.hash.slice(1), field = document.getElementById("code"), button = document.getElementById("invite-enter");
  // a second click would get the answer that the link is used, in place of the token
  button.form.addEventListener("submit", () => { button.disabled = true; });
  if (!code || !field) return;
  field.value = code;
  document.getElementById("code-label").hidden = true;
  button.focus();
})();
