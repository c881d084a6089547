"use strict";
(() => {
const here = when => new Date(when).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]"))
  time.textContent = "short" in time.dataset ? here(time.dateTime) : time.textContent + " (" + here(time.dateTime) + " here)";
})();
