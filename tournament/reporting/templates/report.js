"use strict";
(() => {
const find = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};

const mark = (element, name, value) => { if (value) element.setAttribute(name, value); else element.removeAttribute(name); };

const fragmentOf = (place) => { try { return decodeURIComponent(place.hash.slice(1)); } catch { return ""; } };

// Light, dark, or the system's. A page from a file may be unable to store the choice.
const themes = ["auto", "light", "dark"];
const stored = (value) => {
  try { return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value); } catch { return null; }
};
const themeButton = find("#theme");
const setTheme = (name) => {
  if (name === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
  find("span", themeButton).textContent = name;
};
let theme = themes.includes(stored()) ? stored() : "auto";
setTheme(theme);
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  setTheme(theme);
  stored(theme);
});

// One view at a time: the overview, a bot, the games, or the page about the tournament.
const views = all("[data-view]");
const route = (event) => {
  const id = fragmentOf(location) || "standings";
  const target = document.getElementById(id) || find("#standings");
  const section = target.closest("[data-view]") || find("#standings");
  const view = section.dataset.view;
  for (const one of views) {
    const shown = view === "bot" ? one === section || one.id === "bots"
      : view === "bots" ? one.id === "bots" : one.dataset.view === view;
    one.classList.toggle("shown", shown);
  }
  const current = view === "bot" ? "bots" : section.id;
  for (const link of all("nav a")) mark(link, "aria-current", link.hash === "#" + current && "true");
  for (const link of all(".chips a")) mark(link, "aria-current", fragmentOf(link) === id && "page");
  hideTip();
  if (event) {
    const heading = find("h2", section);
    if (heading) heading.focus({ preventScroll: true });
    (view === "overview" ? section : find("header.top")).scrollIntoView();
  }
};

// Tables that sort by their headings: by data-v or the text, numbers with the largest first.
const number = (text) => parseFloat(text.replace(/[−–]/g, "-").replace(/[,+%$▲▼<>\s]/g, ""));
const keyOf = (row, column) => {
  const cell = row.cells[column];
  if (!cell) return "";
  const text = cell.dataset.v ?? cell.textContent.trim();
  const value = number(text);
  return Number.isNaN(value) || (cell.tagName === "TH") ? text : value;
};
const compare = (one, other, sign) => {
  const missing = (key) => key === "" || key === "·";
  if (missing(one) || missing(other)) return missing(one) - missing(other);
  return sign * (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other)));
};
const sortBy = (table, heading) => {
  const column = heading.cellIndex;
  const before = heading.getAttribute("aria-sort");
  const rows = all("tbody tr", table);
  const isText = rows.some((row) => typeof keyOf(row, column) === "string" && !["", "·"].includes(keyOf(row, column)));
  const first = isText || heading.textContent === "#" ? "ascending" : "descending";
  const order = before ? (before === "ascending" ? "descending" : "ascending") : first;
  for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", order);
  const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
  rows.sort((one, other) => compare(keys.get(one), keys.get(other), order === "ascending" ? 1 : -1));
  table.tBodies[0].append(...rows);
  table.classList.toggle("ranked", heading.textContent === "#" && order === "ascending");
};
for (const table of all("table.sortable")) {
  for (const heading of all("thead th:not(.plain)", table)) {
    const button = make("button", undefined, "sort");
    button.type = "button";
    button.append(...heading.childNodes);
    button.title = "Sort by this";
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, heading));
  }
}
for (const table of all("table.standings")) table.classList.add("ranked");

// The crosstable: a cell shows its error on hover, touch or focus; arrow keys move between cells.
const tip = find("#tip");
const cross = find("table.cross");
const hideTip = () => { if (tip) tip.hidden = true; };
const showTip = (cell) => {
  if (!cell || cell.dataset.t === undefined) return hideTip();
  const [error, sessions, games, clear, ...more] = cell.dataset.t.split("|");
  const bot = find("th", cell.parentElement).textContent;
  const opponent = cross.tHead.rows[0].cells[cell.cellIndex].textContent;
  const verdict = !error ? "no error known" : `${clear === "1" ? "more" : "less"} than two standard errors from ${cross.dataset.from}${clear === "1" ? "" : ": may be luck"}`;
  tip.textContent = [`${bot} against ${opponent}`, `${cell.textContent}${error && " ± " + error} a ${cross.dataset.unit}: ${verdict}`,
    `${sessions} sessions, ${games} games`, ...more].join("\n");
  tip.hidden = false;
  const box = cell.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 - size.width / 2, innerWidth - size.width - 8));
  const above = box.top - size.height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
};
if (cross) {
  cross.setAttribute("role", "grid");
  const grid = () => all("tbody tr", cross).map((row) => all("td:not(.rank)", row));
  const start = () => { const first = grid().flat().find((cell) => cell.dataset.t !== undefined); if (first) first.tabIndex = 0; };
  const move = (cell) => {
    for (const other of all("td[tabindex]", cross)) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  };
  start();
  cross.addEventListener("mouseover", (event) => showTip(event.target.closest("td")));
  cross.addEventListener("mouseleave", hideTip);
  cross.addEventListener("focusin", (event) => { if (event.target.tagName === "TD") showTip(event.target); });
  cross.addEventListener("focusout", hideTip);
  cross.addEventListener("click", (event) => { const cell = event.target.closest("td[data-t]"); if (cell) move(cell); });
  cross.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cell = event.target.closest("td");
    if (event.key === "Escape") hideTip();
    if (!step || !cell) return;
    const cells = grid();
    const row = cells.findIndex((line) => line.includes(cell));
    const next = cells[row + step[0]]?.[cells[row].indexOf(cell) + step[1]];
    if (next) { event.preventDefault(); move(next); }
  });
  // Moving by keys may scroll: the tip follows its cell.
  const follow = () => { const cell = document.activeElement?.closest("table.cross td"); if (cell && !tip.hidden) showTip(cell); else hideTip(); };
  find(".scroll.tall").addEventListener("scroll", follow);
  addEventListener("scroll", follow, { passive: true });
}

// Highlighting lines of the chart over sessions.
for (const button of all("[data-pick]")) {
  button.addEventListener("click", () => {
    const figure = button.closest("figure");
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    for (const curve of all(".curve", figure)) {
      if (curve.dataset.name === button.dataset.pick) {
        curve.classList.toggle("picked", on);
        if (on) curve.parentElement.append(curve);
      }
    }
    figure.classList.toggle("picking", Boolean(find(".picked", figure)));
  });
}

// The viewer. The data: texts by number, and matches as [x, y, games]; a game is [session, game, why, result,
// note of x, note of y, then for each step: who (0 dealer, 1 x, 2 y), what, cards of x, of y, of the board, pot].
const data = find("#games-data") && JSON.parse(find("#games-data").textContent);
const viewer = find("#viewer");
let watch = () => {};
let playing = null;
if (data && data.matches.length) {
  viewer.hidden = false;
  const reasons = ["", "", "best of ", "worst of ", "fault"];
  const [bots, opponents, games] = ["#v-bot", "#v-opponent", "#v-game"].map((id) => find(id));
  const table = find(".table", viewer);
  const text = (place) => data.texts[place] ?? "";
  let match = null;
  let steps = [];
  let at = 0;
  const names = [...new Set(data.matches.flatMap(([x, y]) => [x, y]))];
  const option = (value, label) => { const one = make("option", label); one.value = value; return one; };
  const matchOf = (bot, opponent) => data.matches.find(([x, y]) => (x === bot && y === opponent) || (x === opponent && y === bot));
  const drawCard = (card) => {
    const suit = card.slice(-1);
    const value = Number(card);
    const drawn = make("span", undefined, "card");
    if ("♠♥♣♦".includes(suit)) {
      drawn.append(make("span", card.slice(0, -1)), make("span", suit));
      drawn.classList.toggle("red", "♥♦".includes(suit));
    } else if (card.includes(".") && value >= 0 && value <= 1) {
      const level = make("span", undefined, "level");
      level.style.height = `${100 * value}%`;
      drawn.append(make("span", card), level);
      drawn.classList.add("number");
    } else drawn.append(make("span", card));
    return drawn;
  };
  const drawCards = (place, cards) => place.replaceChildren(...cards.split(" ").filter(Boolean).map(drawCard));
  const decode = (game) => {
    const found = [];
    for (let place = 6; place + 5 < game.length; place += 6) {
      const [who, what, x, y, board, pot] = game.slice(place, place + 6);
      const before = found.at(-1) ?? { x: "", y: "", board: "", pot: null };
      found.push({
        who, what: text(what), x: x ? text(x - 1) : before.x, y: y ? text(y - 1) : before.y,
        board: board ? text(board - 1) : before.board, pot: pot ? pot - 1 : before.pot,
      });
    }
    return found;
  };
  const said = (step) => `${step.who ? match[step.who - 1] + " " : ""}${step.what}`;
  const show = () => {
    const step = steps[at];
    if (!step) return;
    for (const [seat, who] of [["x", 1], ["y", 2]]) {
      drawCards(find(`#v-${seat} .cards`), step[seat]);
      find(`#v-${seat}`).classList.toggle("acts", step.who === who);
    }
    drawCards(find("#v-board"), step.board);
    find("#v-pot").textContent = step.pot === null ? "" : `pot ${step.pot}`;
    find("#v-now").textContent = said(step);
    all("#v-log li").forEach((line, place) => mark(line, "aria-current", place === at && "step"));
  };
  const go = (place) => { at = Math.max(0, Math.min(steps.length - 1, place)); show(); };
  const stop = () => {
    clearInterval(playing);
    playing = null;
    find("#v-play").textContent = "Play";
    find("#v-play").setAttribute("aria-pressed", "false");
  };
  const open = () => {
    const game = match[2][games.selectedIndex];
    steps = decode(game);
    at = 0;
    for (const [seat, place, note] of [["x", 0, 4], ["y", 1, 5]]) {
      find(`#v-${seat} .who`).textContent = match[place];
      find(`#v-${seat} .about`).textContent = text(game[note]);
    }
    find("#v-log").replaceChildren(...steps.map((step) => make("li", said(step))));
    show();
  };
  const fillGames = (place) => {
    stop();
    match = matchOf(bots.value, opponents.value);
    const label = ([session, game, why, result]) => {
      const reason = why === 4 ? ", fault" : reasons[why] ? `, ${reasons[why]}${match[0]}` : "";
      return `session ${session}, ${viewer.dataset.game} ${game}${text(result) && `: ${match[0]} ${text(result)}`}${reason}`;
    };
    games.replaceChildren(...match[2].map((game, place) => option(place, label(game))));
    games.selectedIndex = Math.max(0, match[2].findIndex(([session, game]) => `${session}/${game}` === place));
    open();
  };
  const fillOpponents = (wanted, place) => {
    const met = names.filter((name) => matchOf(bots.value, name));
    opponents.replaceChildren(...met.map((name) => option(name, name)));
    if (met.includes(wanted)) opponents.value = wanted;
    fillGames(place);
  };
  watch = (bot, opponent, place) => {
    if (!matchOf(bot, opponent)) return;
    bots.value = bot;
    fillOpponents(opponent, place);
  };
  const nextGame = () => {
    if (games.selectedIndex + 1 >= games.options.length) return false;
    games.selectedIndex += 1;
    open();
    return true;
  };
  const play = () => {
    if (playing) return stop();
    find("#v-play").textContent = "Pause";
    find("#v-play").setAttribute("aria-pressed", "true");
    playing = setInterval(() => { if (at + 1 < steps.length) go(at + 1); else if (!nextGame()) stop(); }, 1100);
  };
  bots.replaceChildren(...names.map((name) => option(name, name)));
  fillOpponents();
  bots.addEventListener("change", () => fillOpponents(opponents.value));
  opponents.addEventListener("change", () => fillGames());
  games.addEventListener("change", open);
  const actions = {
    "v-first": () => go(0), "v-back": () => go(at - 1), "v-next": () => go(at + 1), "v-last": () => go(steps.length - 1),
    "v-play": play, "v-on": nextGame,
  };
  for (const [id, action] of Object.entries(actions)) find(`#${id}`).addEventListener("click", action);
  const keys = { ArrowLeft: "v-back", ArrowRight: "v-next", Home: "v-first", End: "v-last", " ": "v-play", n: "v-on" };
  table.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  find(".choose").addEventListener("submit", (event) => event.preventDefault());
}
for (const link of all("[data-watch]")) {
  link.addEventListener("click", () => watch(link.dataset.watch, link.dataset.against, link.dataset.place));
}

document.body.classList.add("routed");
addEventListener("hashchange", route);
route();

// Served during a run: ask for news, and show them unless games are being viewed.
if (document.body.dataset.live !== undefined) {
  setInterval(async () => {
    try {
      const answer = await fetch("stamp", { cache: "no-store" });
      const news = await answer.text();
      if (answer.ok && news && news !== document.body.dataset.live && !location.hash.startsWith("#games")) location.reload();
    } catch { /* the server has stopped: what is here stays */ }
  }, 3000);
}
})();
