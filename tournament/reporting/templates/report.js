"use strict";
(() => {
const find = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const make = (tag, className, ...inside) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...inside);
  return element;
};
const mark = (element, name, value) => { if (value) element.setAttribute(name, value); else element.removeAttribute(name); };

// Tables that sort by their headings: by data-v or the text, numbers with the largest first.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell?.dataset.v ?? cell?.textContent.trim() ?? "";
  const value = parseFloat(text.replace(/[−–]/g, "-").replace(/[,+%$]/g, ""));
  return Number.isNaN(value) || cell.tagName === "TH" ? text : value;
};
const compare = (one, other, sign) => {
  const missing = (key) => key === "" || key === "·";
  if (missing(one) || missing(other)) return missing(one) - missing(other);
  return sign * (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other)));
};
const sortBy = (table, heading, order) => {
  const rows = all("tbody tr", table);
  const keys = new Map(rows.map((row) => [row, keyOf(row, heading.cellIndex)]));
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", order);
  rows.sort((one, other) => compare(keys.get(one), keys.get(other), order === "ascending" ? 1 : -1));
  table.tBodies[0].append(...rows);
  table.classList.toggle("ranked", heading.textContent === "#" && order === "ascending");
};
const sortable = all("table.sortable");
for (const table of sortable) {
  for (const heading of all("thead th:not(.plain)", table)) {
    const button = make("button", "sort", ...heading.childNodes);
    button.type = "button";
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const isText = heading.textContent === "#" || all("tbody tr", table).some((row) => /[^·]/.test(keyOf(row, heading.cellIndex)) && typeof keyOf(row, heading.cellIndex) === "string");
      sortBy(table, heading, before ? (before === "ascending" ? "descending" : "ascending") : isText ? "ascending" : "descending");
    });
    heading.append(button);
  }
  if (table.matches(".standings")) table.classList.add("ranked");
}

// The viewer. The data: steps, notes on both players and pictures, which games name by number, and matches with their bots and games.
const source = find("#games-data");
const games = source && JSON.parse(source.textContent);
// The match of two bots; of larger tables all games of those at which both sit, each with its bots.
const matchOf = (one, other) => {
  const both = one === other ? [] : games.matches.filter(({ bots }) => bots.includes(one) && bots.includes(other));
  return both.some(({ bots }) => bots.length > 2) ? { bots: both[0].bots, games: both.flatMap(({ bots, games: some }) => some.map((game) => ({ ...game, bots }))) } : both[0];
};
if (games && games.matches.length) {
  find("#viewer").hidden = false;
  const [chosenBot, chosenOpponent, chosenGame] = ["#v-bot", "#v-opponent", "#v-game"].map((id) => find(id));
  const table = find("#viewer .table");
  let [match, seated, steps, at, playing] = [null, [], [], 0, null];
  const names = [...new Set(games.matches.flatMap(({ bots }) => bots))];
  const option = (value, label) => { const one = make("option", "", label); one.value = value; return one; };
  const drawCard = (card) => {
    const [suit, value] = [card.slice(-1), Number(card)];
    if ("♠♥♣♦".includes(suit)) return make("span", "♥♦".includes(suit) ? "card red" : "card", make("span", "", card.slice(0, -1)), make("span", "", suit));
    if (!card.includes(".") || !(value >= 0 && value <= 1)) return make("span", "card", make("span", "", card));
    const level = make("span", "level");
    level.style.height = `${100 * value}%`;
    return make("span", "card number", make("span", "", card), level);
  };
  const drawCards = (place, cards) => place.replaceChildren(...cards.split(" ").filter(Boolean).map(drawCard));
  // A picture is a text, or an image: as such nothing in it can run, or load anything.
  const drawPicture = (what) => {
    if (!what?.startsWith("<svg")) return find("#v-picture").replaceChildren(...(what ? [make("pre", "", what)] : []));
    const image = find("#v-picture img") ?? make("img");
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(what);
    image.alt = "the position, drawn";
    find("#v-picture").replaceChildren(image);
  };
  const stepsOf = (game) => {
    let now = { x: "", y: "", board: "", pot: "" };
    return game.steps.map((number) => {
      const { seat, what, picture, ...changed } = games.steps[number];
      now = { ...now, ...changed };
      return { ...now, seat, what, picture };
    });
  };
  const said = (step) => `${step.seat === undefined ? "" : seated[step.seat] + " "}${step.what}`;
  const show = () => {
    const step = steps[at];
    if (!step) return;
    for (const [seat, side] of ["x", "y"].entries()) {
      drawCards(find(`#v-${side} .cards`), step[side]);
      find(`#v-${side}`).classList.toggle("acts", step.seat === seat && seated.length < 3);
    }
    all("#v-x .who span").forEach((name, seat) => name.classList.toggle("acts", step.seat === seat));
    drawCards(find("#v-board"), step.board);
    drawPicture(games.pictures[step.picture]);
    find("#v-pot").textContent = step.pot;
    find("#v-at").value = at;
    find("#v-now").textContent = said(step);
    all("#v-log li").forEach((line, place) => mark(line, "aria-current", place === at && "step"));
  };
  const go = (place) => { at = Math.max(0, Math.min(steps.length - 1, place)); show(); };
  const showPlaying = (on) => { find("#v-play").textContent = on ? "Pause" : "Play"; find("#v-play").setAttribute("aria-pressed", String(on)); };
  const stop = () => { clearInterval(playing); playing = null; showPlaying(false); };
  const open = () => {
    const game = match.games[chosenGame.selectedIndex];
    seated = game.bots ?? match.bots;
    steps = stepsOf(game);
    at = 0;
    find("#v-at").max = Math.max(0, steps.length - 1);
    table.classList.toggle("paper", !steps.some((step) => step.x || step.y || step.pot));
    for (const [seat, side] of ["x", "y"].entries()) {
      find(`#v-${side} .who`).textContent = seated.length > 2 ? "" : seated[seat];
      find(`#v-${side} .about`).textContent = games.notes[game.notes]?.[seat] ?? "";
    }
    if (seated.length > 2) find("#v-x .who").replaceChildren(...seated.map((name) => make("span", "", name)));
    find("#v-log").replaceChildren(...steps.map((step) => make("li", "", said(step))));
    show();
  };
  const fillGames = () => {
    stop();
    match = matchOf(chosenBot.value, chosenOpponent.value);
    chosenGame.replaceChildren(...match.games.map((game, number) => option(number, game.label)));
    open();
  };
  const fillOpponents = (wanted) => {
    const met = names.filter((name) => matchOf(chosenBot.value, name));
    chosenOpponent.replaceChildren(...met.map((name) => option(name, name)));
    if (met.includes(wanted)) chosenOpponent.value = wanted;
    fillGames();
  };
  const nextGame = () => {
    if (chosenGame.selectedIndex + 1 >= chosenGame.options.length) return false;
    chosenGame.selectedIndex += 1;
    open();
    return true;
  };
  const play = () => {
    if (playing) return stop();
    showPlaying(true);
    playing = setInterval(() => { if (at + 1 < steps.length) go(at + 1); else if (!nextGame()) stop(); }, steps.length > 30 ? 300 : 1100);
  };
  for (const link of all("a.watch")) link.addEventListener("click", () => {
    chosenBot.value = link.dataset.x;
    fillOpponents(link.dataset.y);
  });
  chosenBot.replaceChildren(...names.map((name) => option(name, name)));
  fillOpponents();
  chosenBot.addEventListener("change", () => fillOpponents(chosenOpponent.value));
  chosenOpponent.addEventListener("change", fillGames);
  chosenGame.addEventListener("change", open);
  find("#v-at").addEventListener("input", (event) => go(Number(event.target.value)));
  const actions = { "v-first": () => go(0), "v-back": () => go(at - 1), "v-next": () => go(at + 1), "v-last": () => go(steps.length - 1), "v-play": play, "v-on": nextGame };
  for (const [id, action] of Object.entries(actions)) find(`#${id}`).addEventListener("click", action);
  const keys = { ArrowLeft: "v-back", ArrowRight: "v-next", Home: "v-first", End: "v-last", " ": "v-play", n: "v-on" };
  table.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  find(".choose").addEventListener("submit", (event) => event.preventDefault());
}

// One view at a time: the overview, a bot, the games, or the page about the tournament.
const chips = all("#chips a");
const idOf = (link) => { try { return decodeURIComponent(link.hash.slice(1)); } catch { return ""; } };
const search = find("#search");
const filter = () => chips.forEach((chip) => { chip.parentElement.hidden = !chip.textContent.toLowerCase().includes(search.value.toLowerCase()); });
search.addEventListener("input", filter);
let lastBot = document.body.dataset.first ?? (chips.length ? idOf(chips[0]) : "");
const route = (event) => {
  const id = idOf(location) || document.body.dataset.first || "standings";
  const section = document.getElementById(id === "bots" ? lastBot : id)?.closest("[data-view]") ?? find("#standings");
  const isBot = section.matches(".bot");
  const view = section.dataset.view;
  if (isBot) lastBot = section.id;
  for (const one of all("[data-view]")) one.classList.toggle("shown", one.dataset.view === view && (one === section || !one.matches(".bot")));
  for (const link of all("nav a")) mark(link, "aria-current", link.hash === (isBot ? "#bots" : `#${section.id}`) && "true");
  for (const chip of chips) mark(chip, "aria-current", isBot && idOf(chip) === section.id && "page");
  if (event) {
    find("h2", section)?.focus({ preventScroll: true });
    (view === "overview" ? section : find("header.top")).scrollIntoView();
  }
};
addEventListener("beforeprint", () => { for (const one of all("details")) one.open = true; });
document.body.classList.add("routed");
addEventListener("hashchange", route);
route();

// Of a contest that is watched: ask for news, by ETag, and show them unless games are being viewed. Sorting and search stay.
if (document.body.dataset.live !== undefined) {
  const kept = JSON.parse(sessionStorage.getItem("kept") ?? "{}");
  search.value = kept.search ?? "";
  filter();
  for (const [place, column, order] of kept.sorted ?? []) {
    const heading = sortable[place] && find(`thead th:nth-child(${column + 1})`, sortable[place]);
    if (heading) sortBy(sortable[place], heading, order);
  }
  addEventListener("pagehide", () => {
    const sorted = sortable.slice(0, 3).flatMap((table, place) => all("th[aria-sort]", table).map((one) => [place, one.cellIndex, one.getAttribute("aria-sort")]));
    sessionStorage.setItem("kept", JSON.stringify({ search: search.value, sorted }));
  });
  setInterval(async () => {
    try {
      const answer = await fetch("stamp", { cache: "no-cache" });
      const news = await answer.text();
      if (answer.ok && news && news !== document.body.dataset.live && !location.hash.startsWith("#games")) location.reload();
    } catch { /* the server has stopped: what is here stays */ }
  }, 3000);
}
})();
