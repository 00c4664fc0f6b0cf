(async (letters) => {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const add = (tag, text) => { document.head.append(Object.assign(document.createElement(tag), {textContent: text})); };
  const [style, script] = JSON.parse(await new Response(stream).text());
  add("style", style);
  followNotebook();
  add("script", script);
})
