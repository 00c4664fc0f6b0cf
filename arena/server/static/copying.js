"use strict";
/** Gives each element with `data-copy` a button that copies its text. The words stand in its attributes. */
(() => {
  for (const source of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button"), said = document.createElement("span");
    button.type = "button";
    button.className = "button";
    button.textContent = source.dataset.copy;
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.value ?? source.textContent);
        said.textContent = source.dataset.copied;
      } catch {  // a page without TLS may not write to the clipboard
        if (source.select) source.select();
        else getSelection().selectAllChildren(source);
        said.textContent = source.dataset.yourself;
      }
    });
    const line = document.createElement("p");
    line.className = "copy-line";
    line.append(button, " ", said);
    source.after(line);
  }
})();
