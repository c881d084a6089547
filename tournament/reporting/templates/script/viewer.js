// The viewer. The data: texts by number, and matches as [x, y, games]; a game is [session, game, why, result,
// note of x, note of y, then for each step: who (0 dealer, 1 x, 2 y), what, cards of x, of y, of the board, pot].
const games = find("#games-data") && JSON.parse(find("#games-data").textContent);
const viewer = find("#viewer");
let watch = () => {};
const hasGames = (one, other, place) => Boolean(games?.matches.some(([x, y, played]) => ((x === one && y === other) || (x === other && y === one))
  && (!place || played.some(([session, game]) => `${session}/${game}` === place))));
let playing = null;
if (games && games.matches.length) {
  viewer.hidden = false;
  const reasons = ["", "", "best of ", "worst of ", "fault"];
  const [chosenBot, chosenOpponent, chosenGame] = ["#v-bot", "#v-opponent", "#v-game"].map((id) => find(id));
  const table = find(".table", viewer);
  const text = (place) => games.texts[place] ?? "";
  let match = null;
  let steps = [];
  let at = 0;
  const names = [...new Set(games.matches.flatMap(([x, y]) => [x, y]))];
  const option = (value, label) => { const one = make("option", label); one.value = value; return one; };
  const matchOf = (bot, opponent) => games.matches.find(([x, y]) => (x === bot && y === opponent) || (x === opponent && y === bot));
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
    const game = match[2][chosenGame.selectedIndex];
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
    match = matchOf(chosenBot.value, chosenOpponent.value);
    const label = ([session, game, why, result]) => {
      const reason = why === 4 ? ", fault" : reasons[why] ? `, ${reasons[why]}${match[0]}` : "";
      return `session ${session}, ${data.game} ${game}${text(result) && `: ${match[0]} ${text(result)}`}${reason}`;
    };
    chosenGame.replaceChildren(...match[2].map((game, place) => option(place, label(game))));
    chosenGame.selectedIndex = Math.max(0, match[2].findIndex(([session, game]) => `${session}/${game}` === place));
    open();
  };
  const fillOpponents = (wanted, place) => {
    const met = names.filter((name) => matchOf(chosenBot.value, name));
    chosenOpponent.replaceChildren(...met.map((name) => option(name, name)));
    if (met.includes(wanted)) chosenOpponent.value = wanted;
    fillGames(place);
  };
  watch = (bot, opponent, place) => {
    if (!matchOf(bot, opponent)) return;
    chosenBot.value = bot;
    fillOpponents(opponent, place);
  };
  const nextGame = () => {
    if (chosenGame.selectedIndex + 1 >= chosenGame.options.length) return false;
    chosenGame.selectedIndex += 1;
    open();
    return true;
  };
  const play = () => {
    if (playing) return stop();
    find("#v-play").textContent = "Pause";
    find("#v-play").setAttribute("aria-pressed", "true");
    playing = setInterval(() => { if (at + 1 < steps.length) go(at + 1); else if (!nextGame()) stop(); }, 1100);
  };
  chosenBot.replaceChildren(...names.map((name) => option(name, name)));
  fillOpponents();
  chosenBot.addEventListener("change", () => fillOpponents(chosenOpponent.value));
  chosenOpponent.addEventListener("change", () => fillGames());
  chosenGame.addEventListener("change", open);
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
