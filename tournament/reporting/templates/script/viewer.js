// The viewer. The data: steps and notes on both, which games name by number, and matches with their bots and games. A game's kind is
// "game", as recorded, with steps that say what they change; "again", a session played again, whose steps have pictures, by number;
// or "turns", a session of a repeated game: the moves of each side, a digit or letter a turn, and the turns with slips.
const games = find("#games-data") && JSON.parse(find("#games-data").textContent);
const viewer = find("#viewer");
let watch = () => {};
// Whether a game, or a session of turns, is that of a place: "session/game".
const isAt = ({ kind, session, game = 0 }, place) => Boolean(place) && (kind === "turns" ? place.startsWith(`${session}/`) : `${session}/${game}` === place);
// The match of two bots; of larger tables all games of those at which both sit, each with its bots.
const matchOf = (one, other) => {
  const both = one === other ? [] : games?.matches.filter(({ bots }) => bots.includes(one) && bots.includes(other)) ?? [];
  const all = () => both.flatMap(({ bots, games }) => games.map((game) => ({ ...game, bots })));
  return both.some(({ bots }) => bots.length > 2) ? { bots: both[0].bots, games: all() } : both[0];
};
const hasGames = (one, other, place) => {
  const match = matchOf(one, other);
  return Boolean(match && (!place || match.games.some((game) => isAt(game, place))));
};
let playing = null;
if (games && games.matches.length) {
  viewer.hidden = false;
  const [chosenBot, chosenOpponent, chosenGame] = ["#v-bot", "#v-opponent", "#v-game"].map((id) => find(id));
  const table = find(".table", viewer);
  let match = null;
  let seated = [];
  let steps = [];
  let at = 0;
  const names = [...new Set(games.matches.flatMap(({ bots }) => bots))];
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
  const drawPicture = (what) => {
    if (!what) return find("#v-picture").replaceChildren();
    if (!what.startsWith("<svg")) return find("#v-picture").replaceChildren(make("pre", "", what));
    const image = find("#v-picture img") ?? make("img");
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(what);
    image.alt = "the position, drawn";
    find("#v-picture").replaceChildren(image);
  };
  const turnsOf = (game) => [...game.moves[0]].map((_, turn) => {
    const moves = game.moves.map((side) => parseInt(side[turn], 36));
    const slips = game.slips.map((side) => side.includes(turn));
    return { moves, slips, paid: games.payoffs?.map((payoffs) => payoffs[moves[0]][moves[1]]) };
  });
  const amountText = (amount) => plain(amount, Number.isInteger(amount) ? 0 : 2);
  const stripSteps = (turns) => {
    const totals = [0, 0];
    return turns.map(({ moves, slips, paid }, turn) => {
      if (paid) totals.forEach((_, seat) => { totals[seat] += paid[seat]; });
      const said = moves.map((move, seat) => `${match.bots[seat]} plays ${games.moves[move] ?? `move ${move}`}${slips[seat] ? " by a slip" : ""}${paid ? ` for ${amountText(paid[seat])}` : ""}`);
      return { what: `turn ${turn}: ${said.join(", ")}`, x: "", y: "", board: "", picture: "", pot: null, totals: paid && [...totals] };
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
    strip.replaceChildren(legend, make("p", "note", `Upper row: ${match.bots[1]}. Lower row: ${match.bots[0]}.`), make("div", "turns", ...cells));
  };
  const stepsOf = (game) => {
    let now = { x: "", y: "", board: "", pot: null };
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
      find(`#v-${side}`).classList.toggle("acts", step.seat === seat);
    }
    all("#v-x .who span").forEach((name, seat) => name.classList.toggle("acts", step.seat === seat));
    drawCards(find("#v-board"), step.board);
    drawPicture(games.pictures[step.picture]);
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
    const game = match.games[chosenGame.selectedIndex];
    const turns = game.kind === "turns" ? turnsOf(game) : null;
    seated = game.bots ?? match.bots;
    steps = turns ? stripSteps(turns) : stepsOf(game);
    at = 0;
    find("#v-at").max = Math.max(0, steps.length - 1);
    table.classList.toggle("paper", !steps.some((step) => step.x || step.y || step.pot !== null));
    drawStrip(turns);
    for (const [seat, side] of ["x", "y"].entries()) {
      find(`#v-${side} .who`).textContent = seated.length > 2 ? "" : seated[seat];
      find(`#v-${side} .about`).textContent = games.notes[game.notes]?.[seat] ?? "";
    }
    if (seated.length > 2) find("#v-x .who").replaceChildren(...seated.map((name) => make("span", "", name)));
    find("#v-log").replaceChildren(...(turns ? [] : steps.map((step) => make("li", "", said(step)))));
    show();
  };
  const fillGames = (place) => {
    stop();
    match = matchOf(chosenBot.value, chosenOpponent.value);
    const [x] = match.bots;
    const reasons = { best: `, best of ${x}`, worst: `, worst of ${x}`, fault: ", fault" };
    const label = ({ kind, session, moves, game, result, why, bots }) => {
      if (kind === "turns") return `session ${session}, ${many(moves[0].length, "turn")}`;
      if (kind === "again") return `session ${session}, played again${bots ? `, with ${bots.filter((name) => ![chosenBot.value, chosenOpponent.value].includes(name)).join(", ")}` : ""}`;
      return `session ${session}, ${data.game} ${game}${result && `: ${x} ${result}`}${reasons[why] ?? ""}`;
    };
    chosenGame.replaceChildren(...match.games.map((game, place) => option(place, label(game))));
    chosenGame.selectedIndex = Math.max(0, match.games.findIndex((game) => isAt(game, place)));
    open();
    if (place && match.games[chosenGame.selectedIndex].kind === "turns") go(Number(place.split("/")[1]));
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
