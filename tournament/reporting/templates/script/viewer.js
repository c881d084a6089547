// The viewer. The data: texts by number, and matches as [x, y, games]; a game is [session, game, why, result,
// note of x, note of y, then for each step: who (0 dealer, 1 x, 2 y), what, cards of x, of y, what lies between them, pot].
// Between them are cards, or where a session was played again a picture: SVG, or a text. Of a repeated game a session is
// [session, moves of x, of y, turns in which x slipped, and y]; a move is a digit or letter.
const games = find("#games-data") && JSON.parse(find("#games-data").textContent);
const viewer = find("#viewer");
let watch = () => {};
// Whether a game, or a session of turns, is that of a place: "session/game".
const isAt = (session, game, place) => Boolean(place) && (typeof game === "string" ? place.startsWith(`${session}/`) : `${session}/${game}` === place);
const matchOf = (one, other) => games?.matches.find(([x, y]) => (x === one && y === other) || (x === other && y === one));
const hasGames = (one, other, place) => {
  const match = matchOf(one, other);
  return Boolean(match && (!place || match[2].some(([session, game]) => isAt(session, game, place))));
};
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
  const option = (value, label) => { const one = make("option", "", label); one.value = value; return one; };
  const drawCard = (card) => {
    const suit = card.slice(-1);
    const value = Number(card);
    const drawn = make("span", "card");
    if ("♠♥♣♦".includes(suit)) {
      drawn.append(make("span", "", card.slice(0, -1)), make("span", "", suit));
      drawn.classList.toggle("red", "♥♦".includes(suit));
    } else if (card.includes(".") && value >= 0 && value <= 1) {
      const level = make("span", "level");
      level.style.height = `${100 * value}%`;
      drawn.append(make("span", "", card), level);
      drawn.classList.add("number");
    } else drawn.append(make("span", "", card));
    return drawn;
  };
  const drawCards = (place, cards) => place.replaceChildren(...cards.split(" ").filter(Boolean).map(drawCard));
  // A picture is a text, or an image: as such nothing in it can run, or load anything.
  const isPicture = (what) => what.startsWith("<svg") || what.includes("\n");
  const drawPicture = (what) => {
    if (!isPicture(what)) return find("#v-picture").replaceChildren();
    if (!what.startsWith("<svg")) return find("#v-picture").replaceChildren(make("pre", "", what));
    const image = find("#v-picture img") ?? make("img");
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(what);
    image.alt = "the position, drawn";
    find("#v-picture").replaceChildren(image);
  };
  const isStrip = (game) => typeof game[1] === "string";
  const turnsOf = (game) => [...game[1]].map((sign, turn) => {
    const moves = [sign, game[2][turn]].map((one) => parseInt(one, 36));
    const slips = [game[3].includes(turn), game[4].includes(turn)];
    return { moves, slips, paid: games.payoffs?.map((payoffs) => payoffs[moves[0]][moves[1]]) };
  });
  const amountText = (amount) => plain(amount, Number.isInteger(amount) ? 0 : 2);
  const stripSteps = (turns) => {
    const totals = [0, 0];
    return turns.map(({ moves, slips, paid }, turn) => {
      if (paid) totals.forEach((_, seat) => { totals[seat] += paid[seat]; });
      const said = moves.map((move, seat) => `${match[seat]} plays ${games.moves[move] ?? `move ${move}`}${slips[seat] ? " by a slip" : ""}${paid ? ` for ${amountText(paid[seat])}` : ""}`);
      return { who: 0, what: `turn ${turn}: ${said.join(", ")}`, x: "", y: "", board: "", pot: null, totals: paid && [...totals] };
    });
  };
  const drawStrip = (turns) => {
    const strip = find("#v-strip");
    strip.hidden = !turns;
    if (!turns) return strip.replaceChildren();
    const legend = legendOf(games.moves.map((name, move) => [`line${move % 8}`, name]));
    const cells = turns.map(({ moves, slips }, turn) => {
      // y is above x, as the names are.
      const rows = [1, 0].map((seat) => make("span", `move${moves[seat] % 8}${slips[seat] ? " slip" : ""}`));
      const cell = buttonOf("turn", () => go(turn), ...rows);
      cell.tabIndex = -1;
      cell.title = steps[turn].what;
      return cell;
    });
    strip.replaceChildren(legend, make("p", "note", `Upper row: ${match[1]}. Lower row: ${match[0]}.`), make("div", "turns", ...cells));
  };
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
    drawCards(find("#v-board"), isPicture(step.board) ? "" : step.board);
    drawPicture(step.board);
    const money = find("#v-pot").dataset.money;
    find("#v-pot").textContent = step.pot === null ? "" : `pot ${money === "$" ? `$${step.pot}` : `${step.pot} ${money}`}`;
    if (step.totals) [["x", 0], ["y", 1]].forEach(([seat, place]) => { find(`#v-${seat} .about`).textContent = `${amountText(step.totals[place])} so far`; });
    find("#v-at").value = at;
    all("#v-strip .turn").forEach((cell, place) => mark(cell, "aria-current", place === at && "step"));
    const [strip, current] = [find("#v-strip .turns"), find("#v-strip [aria-current]")];
    if (current) strip.scrollTop = current.offsetTop - strip.offsetTop - strip.clientHeight / 2;
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
    const turns = isStrip(game) ? turnsOf(game) : null;
    steps = turns ? stripSteps(turns) : decode(game);
    at = 0;
    find("#v-at").max = Math.max(0, steps.length - 1);
    table.classList.toggle("paper", !steps.some((step) => step.x || step.y || step.pot !== null));
    drawStrip(turns);
    for (const [seat, place, note] of [["x", 0, 4], ["y", 1, 5]]) {
      find(`#v-${seat} .who`).textContent = match[place];
      find(`#v-${seat} .about`).textContent = turns ? "" : text(game[note]);
    }
    find("#v-log").replaceChildren(...(turns ? [] : steps.map((step) => make("li", "", said(step)))));
    show();
  };
  const fillGames = (place) => {
    stop();
    match = matchOf(chosenBot.value, chosenOpponent.value);
    const label = ([session, game, why, result, ...rest]) => {
      if (typeof game === "string") return `session ${session}, ${many(game.length, "turn")}`;
      if (isPicture(text(rest[6] - 1))) return `session ${session}, played again`;
      const reason = why === 4 ? ", fault" : reasons[why] ? `, ${reasons[why]}${match[0]}` : "";
      return `session ${session}, ${data.game} ${game}${text(result) && `: ${match[0]} ${text(result)}`}${reason}`;
    };
    chosenGame.replaceChildren(...match[2].map((game, place) => option(place, label(game))));
    chosenGame.selectedIndex = Math.max(0, match[2].findIndex(([session, game]) => isAt(session, game, place)));
    open();
    if (place && isStrip(match[2][chosenGame.selectedIndex])) go(Number(place.split("/")[1]));
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
    playing = setInterval(() => { if (at + 1 < steps.length) go(at + 1); else if (!nextGame()) stop(); }, steps.length > 30 ? 300 : 1100);
  };
  chosenBot.replaceChildren(...names.map((name) => option(name, name)));
  fillOpponents();
  chosenBot.addEventListener("change", () => fillOpponents(chosenOpponent.value));
  chosenOpponent.addEventListener("change", () => fillGames());
  chosenGame.addEventListener("change", open);
  find("#v-at").addEventListener("input", (event) => go(Number(event.target.value)));
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
