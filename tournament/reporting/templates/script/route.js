// One view at a time: the overview, a bot, the games, or the page about the tournament.
const views = all("[data-view]");
const fragmentOf = (place) => { try { return decodeURIComponent(place.hash.slice(1)); } catch { return ""; } };
const route = (event) => {
  const id = fragmentOf(location) || bots.find((bot) => bot.name === data.author)?.id || "standings";
  const number = id === "bots" && bots.length ? byId.get(find("#bot").dataset.bot) ?? 0 : byId.get(id);
  if (number !== undefined) drawBot(number);
  const section = number !== undefined ? find("#bot") : document.getElementById(id)?.closest("[data-view]") ?? find("#standings");
  const view = section.dataset.view;
  for (const one of views) one.classList.toggle("shown", one.dataset.view === view);
  const current = view === "bots" ? "bots" : section.id;
  for (const link of all("nav a")) mark(link, "aria-current", link.hash === "#" + current && "true");
  all("#chips a").forEach((link, place) => mark(link, "aria-current", place === number && "page"));
  hideTip();
  if (event) {
    find("h2", section)?.focus({ preventScroll: true });
    (view === "overview" ? section : find("header.top")).scrollIntoView();
  }
};

// Paper has no headings to point at.
addEventListener("beforeprint", () => { for (const one of all("details")) one.open = true; });
document.body.classList.add("routed");
addEventListener("hashchange", route);
route();

// Of a contest that is watched: ask for news, by ETag, and show them unless games are being viewed.
if (document.body.dataset.live !== undefined) {
  setInterval(async () => {
    try {
      const answer = await fetch("stamp", { cache: "no-cache" });
      const news = await answer.text();
      if (answer.ok && news && news !== document.body.dataset.live && !location.hash.startsWith("#games")) location.reload();
    } catch { /* the server has stopped: what is here stays */ }
  }, 3000);
}
