"use strict";
/** Times as the reader's clock shows them. The server writes UTC; where scripts are off, it says so. */
(() => {
  const arena = (window.arena ??= {});
  const lang = document.documentElement.lang;
  const clock = navigator.languages.find((one) => one.split("-")[0] === lang) ?? lang;  // British hours for the British

  /** Show all times within `root` by the reader's clock; tables are still sorted by the moment. */
  arena.localTimes = (root) => {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.dateTime);
      if (time.title || Number.isNaN(moment.getTime())) continue;
      const isToday = moment.toDateString() === new Date().toDateString();
      const isDay = !/\d:\d/.test(time.textContent);
      time.title = time.dateTime;
      time.textContent = moment.toLocaleString(clock,
        isDay ? {dateStyle: "medium"} : isToday ? {timeStyle: "medium"} : {dateStyle: "medium", timeStyle: "short"});
      const cell = time.closest("td");
      if (cell && cell.dataset.sort === undefined) cell.dataset.sort = time.dateTime;
    }
  };
  arena.localTimes(document);
})();
