"use strict";
/**
 * Who sits at the table: before it starts with a link that lets others in, and later with who is away.
 * `arena.tableLobby({word, leaving, onStart})` (`leaving`: where one gets up) and `arena.tablePlaces({word})` give {element, show(welcome)}.
 */
(() => {
  const {el} = arena.kit;

  /** A text with a button that copies it. */
  arena.copyLine = (word, text) => {
    const code = el("code", {}, text), button = el("button", {type: "button"}, word("copy")), said = el("span", {role: "status"});
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = word("copied");
      } catch {
        getSelection()?.selectAllChildren(code);
        said.textContent = word("copy_yourself");
      }
    });
    return el("p", {class: "live-copy"}, code, " ", button, " ", said);
  };

  const stateOf = ({person, present, replaced, free}, word) => {
    if (free) return "";
    if (replaced) return word("place_replaced");
    if (!person) return word("place_bot");
    return present === false ? word("place_away") : "";
  };

  arena.tablePlaces = ({word}) => {
    const element = el("ul", {class: "live-places", "aria-label": word("places")});
    return {
      element,
      show({places, seat}) {
        element.replaceChildren(...places.map((place, number) => el("li", {class: place.replaced || place.present === false ? "is-away" : null},
          el("span", {class: "live-seat"}, String(number)), " ", place.free ? el("i", {}, word("place_free")) : el("b", {}, place.name), number === seat ? ` (${word("you")})` : null,
          stateOf(place, word) ? el("span", {class: "live-note"}, ` ${stateOf(place, word)}`) : null)));
      },
    };
  };

  /** Whether only this machine reaches the server by the name in the address line. */
  const isOfThisMachine = ({hostname}) => /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);

  /** The link as a picture for phones; nothing where the server cannot draw it. */
  const drawn = (address, word) => {
    const picture = el("img", {class: "live-qr", src: address, alt: word("lobby_qr"), width: 148, height: 148});
    picture.addEventListener("error", () => picture.remove());
    return picture;
  };

  arena.tableLobby = ({word, leaving, onStart}) => {
    const element = el("section", {class: "card live-lobby"});
    return {
      element,
      show(welcome) {
        const places = arena.tablePlaces({word});
        places.show(welcome);
        const start = el("button", {type: "button", class: "live-main"}, word("start"));
        start.addEventListener("click", onStart);
        const link = welcome.join ? new URL(welcome.join, location.href).href : "";
        element.replaceChildren(...[
          el("h2", {}, word("lobby")), places.element,
          link ? el("p", {}, word("lobby_link")) : null, link ? arena.copyLine(word, link) : null,
          link && isOfThisMachine(location) ? el("p", {class: "live-note live-only-here"}, word("lobby_only_here")) : null,
          link && !isOfThisMachine(location) ? drawn(leaving.replace(/leave$/, "join.svg"), word) : null,
          welcome.is_host ? el("p", {class: "live-note"}, word("lobby_free")) : el("p", {class: "live-note"}, word("lobby_wait")),
          el("form", {method: "post", action: leaving, class: "live-links"}, welcome.is_host ? start : null, el("button", {}, word("leave"))),
        ].filter(Boolean));
      },
    };
  };
})();
