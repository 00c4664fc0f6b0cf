"use strict";
/**
 * Packs files into a zip without compressing them: a browser has no zip of its own, and the server takes a folder as one.
 *
 *   await arena.zip([{path: "lib/deck.py", blob: file}])   // a Blob
 */
(() => {
  const arena = (window.arena ??= {});
  const UTF8 = 0x800, VERSION = 20, MADE_ON_UNIX = 3 << 8, PLAIN_FILE = 0o100644 << 16, MIDNIGHT_1980 = 0x21;
  const TABLE = Uint32Array.from({length: 256}, (_, number) => {
    for (let bit = 0; bit < 8; bit += 1) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
    return number;
  });

  const checksum = (bytes) => {
    let found = 0xffffffff;
    for (const byte of bytes) found = TABLE[(found ^ byte) & 0xff] ^ (found >>> 8);
    return (found ^ 0xffffffff) >>> 0;
  };

  /** Numbers in little endian, each [value, bytes]. */
  const packed = (...fields) => {
    const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, size]) => sum + size, 0)));
    let place = 0;
    for (const [value, size] of fields) {
      if (size === 2) view.setUint16(place, value, true);
      else view.setUint32(place, value >>> 0, true);
      place += size;
    }
    return new Uint8Array(view.buffer);
  };

  arena.zip = async (files) => {
    const parts = [], directory = [];
    let place = 0;
    for (const {path, blob} of files) {
      const name = new TextEncoder().encode(path), bytes = new Uint8Array(await blob.arrayBuffer());
      const shared = [[UTF8, 2], [0, 2], [0, 2], [MIDNIGHT_1980, 2], [checksum(bytes), 4], [bytes.length, 4], [bytes.length, 4],
        [name.length, 2], [0, 2]];
      const head = packed([0x04034b50, 4], [VERSION, 2], ...shared);
      directory.push(packed([0x02014b50, 4], [VERSION | MADE_ON_UNIX, 2], [VERSION, 2], ...shared, [0, 2], [0, 2], [0, 2],
        [PLAIN_FILE, 4], [place, 4]), name);
      parts.push(head, name, bytes);
      place += head.length + name.length + bytes.length;
    }
    const size = directory.reduce((sum, part) => sum + part.length, 0);
    const end = packed([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [place, 4], [0, 2]);
    return new Blob([...parts, ...directory, end], {type: "application/zip"});
  };
})();
