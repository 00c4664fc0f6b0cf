"use strict";
/**
 * The frames of a match as the server makes them (arena/reports/pages/frames.py): pages of frames, of which each frame but the
 * first only says what changed.
 *
 * `arena.frames(fetchPage)`: `fetchPage(eyes, page)` gives a promise of a `Frames` object; `eyes` is a seat, or null for all
 * cards open. Frames have the same index for all eyes.
 */
(() => {
  const PAGE = 256;   // PAGE in arena/reports/pages/frames.py

  /** The value with a change applied; what did not change is shared with the old value (arena/reports/pages/frames.py). */
  const changed = (old, change) => {
    if (!change) return old;
    if ("set" in change) return change.set;
    if (change.items) {
      const list = old.slice();
      for (const [index, inner] of change.items) list[index] = changed(list[index], inner);
      return list;
    }
    if (change.cut) {
      const [start, removed, added] = change.cut;
      return [...old.slice(0, start), ...added, ...old.slice(start + removed)];
    }
    const object = {...old};
    for (const key of change.gone ?? []) delete object[key];
    for (const [key, inner] of Object.entries(change.keys)) object[key] = changed(object[key], inner);
    return object;
  };

  /** Frames with their whole positions. A frame without one shows the position before it. */
  const unpacked = (frames) => {
    let position = null;
    return frames.map(({events = [], position: whole, change, text = "", result = null}) => {
      position = whole ?? changed(position, change);
      return {events: events.map(([number, seat, said, fact = null]) => ({number, seat, text: said, fact})), position, text, result};
    });
  };

  /** A page that was left out, as it found no room. */
  class Missing extends Error {}
  arena.MissingFrames = Missing;

  arena.frames = (fetchPage) => {
    const views = new Map();   // eyes -> {header, pages: number -> promise of frames}

    const load = (view, eyes, number) => {
      if (!view.pages.has(number)) {
        const asked = Promise.resolve(fetchPage(eyes, number)).then((found) => {
          if (found.header) view.header = found.header;
          if (!found.frames) throw new Missing();
          const frames = unpacked(found.frames);
          for (let at = 0; at < frames.length; at += PAGE) view.pages.set(found.page + at / PAGE, Promise.resolve(frames.slice(at, at + PAGE)));
          return frames.slice(0, PAGE);
        });
        asked.catch(() => view.pages.delete(number));   // who asks again, tries again
        view.pages.set(number, asked);
      }
      return view.pages.get(number);
    };

    const viewOf = (eyes) => {
      if (!views.has(eyes)) views.set(eyes, {header: null, pages: new Map()});
      return views.get(eyes);
    };

    return {
      /** What is said of the match to these eyes. */
      header: async (eyes) => {
        const view = viewOf(eyes);
        if (!view.header) await load(view, eyes, 0);
        return view.header;
      },
      /** The frames from `first` up to `end`, that one not included. */
      between: async (eyes, first, end) => {
        const view = viewOf(eyes), numbers = [];
        for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) numbers.push(page);
        const pages = await Promise.all(numbers.map((page) => load(view, eyes, page)));
        return pages.flat().slice(first - numbers[0] * PAGE, end - numbers[0] * PAGE);
      },
    };
  };

  /** A match that stands in a template of the page, as arena/reports/matches.py wrote it: what `arena.player` takes. */
  arena.packedMatch = async (id) => {
    const letters = atob(document.getElementById(id).content.textContent.trim());
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const {views, opinion} = JSON.parse(await new Response(stream).text());
    return {
      eyes: views.map(({header}) => header.eyes),
      opinion: () => opinion,
      page: async (eyes, page) => {
        const view = views.find(({header}) => header.eyes === eyes);
        return {header: view.header, page, frames: view.pages[page] ?? null};
      },
    };
  };
})();
