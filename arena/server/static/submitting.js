"use strict";
/**
 * Submits a bot that was dropped or chosen; a page without the form has only the buttons that copy. What is live on these pages,
 * `renewing.js` keeps up to date.
 */
(() => {
  const MOST_FILES = 2000;
  const PATIENCE = 60_000;   // ms without any progress of an upload
  const form = document.getElementById("submit-form");
  const said = document.getElementById("submit-said");
  const lang = document.documentElement.lang;

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  const sizeOf = (bytes) => bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

  // Copying ------------------------------------------------------------------------------------------------------------------

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    const source = button && document.getElementById(button.dataset.copy);
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent);
      say(button.dataset.copied);
    } catch {  // not allowed here: it can be copied by hand
      source.closest("details")?.setAttribute("open", "");
      getSelection().selectAllChildren(source);
    }
  });

  const say = (text, isBad = false) => {
    if (!said || text === undefined) return;
    said.textContent = text;
    said.classList.toggle("bad", isBad);
  };

  // Choosing and sending -----------------------------------------------------------------------------------------------------

  if (!form) return;
  const words = JSON.parse(form.dataset.words), most = Number(form.dataset.bytes);
  const zone = document.getElementById("submit-zone"), chosen = document.getElementById("submit-chosen");
  const name = document.getElementById("submit-name"), send = document.getElementById("submit-send");
  const bar = document.getElementById("submit-bar"), isOwnName = () => name.dataset.touched === "1";
  let files = [];  // {path, blob}

  const belongs = (path) => !path.split("/").some((part) => part === "__pycache__" || part.startsWith("."));

  const nameFrom = (text) => text.replace(/\.(py|zip)$/i, "").toLowerCase().replace(/[^a-z0-9_-]+/g, "_").slice(0, 40);

  /** Remember what is to be sent, and show it. */
  const choose = (found, title) => {
    files = found.filter(({path}) => belongs(path));
    const bytes = files.reduce((sum, {blob}) => sum + blob.size, 0);
    if (!files.length) return refuse(words.none);
    if (files.length > MOST_FILES) return refuse(filled(words.many, {n: files.length, most: MOST_FILES}));
    if (bytes > most) return refuse(filled(words.large, {size: sizeOf(bytes), most: sizeOf(most)}));
    const count = files.length === 1 ? "" : `, ${filled(words.files, {n: files.length})}`;
    chosen.textContent = `${title}${count}, ${sizeOf(bytes)}`;
    if (!isOwnName() || !name.value) name.value = nameFrom(title);
    send.disabled = false;
    say("");
    return true;
  };

  const refuse = (text) => {
    files = [];
    chosen.textContent = words.nothing;
    send.disabled = true;
    say(text, true);
    return false;
  };

  const chooseFromInput = (input) => {
    const found = Array.from(input.files, (file) => ({path: file.webkitRelativePath || file.name, blob: file}));
    if (found.length) choose(found, found[0].path.split("/")[0]);
    input.value = "";  // the same one can be chosen again
  };

  /** All entries of a folder: a browser hands them out in portions. */
  const entriesOf = async (folder) => {
    const reader = folder.createReader(), found = [];
    for (;;) {
      const portion = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!portion.length) return found;
      found.push(...portion);
    }
  };

  const collect = async (entry, found) => {
    if (!belongs(entry.fullPath) || found.length > MOST_FILES) return;
    if (entry.isFile) {
      const blob = await new Promise((done, fail) => entry.file(done, fail));
      found.push({path: entry.fullPath.replace(/^\/+/, ""), blob});
    } else {
      for (const inner of await entriesOf(entry)) await collect(inner, found);
    }
  };

  const dropped = async (transfer) => {
    const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const plain = Array.from(transfer.files, (file) => ({path: file.name, blob: file}));
    const found = [];
    for (const entry of entries) await collect(entry, found);
    const all = entries.length ? found : plain;
    const title = entries.length ? entries[0].name : plain[0]?.path;
    if (choose(all, title ?? "")) name.focus();
  };

  document.getElementById("submit-file").addEventListener("change", (event) => chooseFromInput(event.target));
  document.getElementById("submit-folder").addEventListener("change", (event) => chooseFromInput(event.target));
  name.addEventListener("input", () => { name.dataset.touched = name.value ? "1" : ""; });
  for (const kind of ["dragover", "dragenter"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.remove("over");
    dropped(event.dataTransfer).catch(() => refuse(words.unreadable));
  });

  /** What is sent: a file as it is, several as a zip. */
  const body = async () => files.length === 1 && /\.(py|zip)$/i.test(files[0].path) ? files[0].blob : arena.zip(files);

  const progress = (part) => {
    bar.hidden = part === null;
    if (part !== null) bar.value = part;
  };

  const upload = (content) => new Promise((done, fail) => {
    const request = new XMLHttpRequest();  // fetch does not tell how far an upload is
    request.open("PUT", `/api/bots/${encodeURIComponent(name.value)}?lang=${encodeURIComponent(lang)}`);
    let silence = null;   // a proxy may swallow what is sent, or the answer
    const moved = () => {
      clearTimeout(silence);
      silence = setTimeout(() => request.abort(), PATIENCE);
    };
    request.upload.onprogress = (event) => {
      moved();
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.onload = () => done(request);
    request.onerror = request.onabort = () => fail(new Error("cut off"));
    request.onloadend = () => clearTimeout(silence);
    moved();
    request.send(content);
  });

  const answered = (request) => {
    try {
      return JSON.parse(request.responseText);
    } catch {
      return {};
    }
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!files.length || send.disabled) return;
    send.disabled = true;
    progress(0);
    say(words.sending);
    try {
      const request = await upload(await body());
      const answer = answered(request);
      if (request.status !== 201) {
        say(answer.error ?? filled(words.failed, {status: request.status}), true);
        send.disabled = false;
        return;
      }
      files = [];
      chosen.textContent = words.nothing;
      name.value = name.dataset.touched = "";
      say(filled(words.received, {bot: answer.bot}));
      arena.renewing.soon();
    } catch {
      say(words.cut, true);
      send.disabled = false;
    } finally {
      progress(null);
    }
  });
})();
