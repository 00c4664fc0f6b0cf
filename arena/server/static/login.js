"use strict";
/**
 * Fills in the token that stands behind the `#` of the address, which no browser sends by itself: so it reaches no log, no history
 * of a proxy and no `Referer`. It is sent when the reader presses the button: a link alone logs nobody in. Whoever is logged in
 * logs out first, and the token comes along to the page after that.
 */
(() => {
  const leave = document.getElementById("leave"), asked = new URLSearchParams(location.hash.slice(1)), token = asked.get("token");
  if (leave) leave.action += location.hash;
  if (!token || leave) return;
  document.getElementById("next").value = asked.get("next") ?? "";
  history.replaceState(null, "", location.pathname);  // it does not stay in the address line
  document.getElementById("token").value = token;
  document.getElementById("token-label").hidden = document.getElementById("login-why").hidden = true;
  document.getElementById("login-link").hidden = false;
  document.getElementById("login-enter").focus();
})();
