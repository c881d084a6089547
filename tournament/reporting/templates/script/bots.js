// A bot's page, drawn when it is asked for.
const byId = new Map(bots.map((bot, number) => [bot.id, number]));
const joined = (className, title, parts) => make("p", className, make("b", "", title), " ", ...parts.flatMap((part, place) => place ? [", ", ...part] : part));
const watchLink = (bot, opponent, place) => {
  if (!hasGames(bot.name, opponent, place)) return "";
  const link = make("a", "watch", "watch");
  link.href = "#games";
  link.setAttribute("aria-label", `Watch games against ${opponent}`);
  if (place) link.dataset.place = place;
  link.addEventListener("click", () => watch(bot.name, opponent, place));
  return link;
};
const factsOf = (bot) => {
  const facts = make("p", "facts");
  const fact = (...parts) => facts.append(make("span", "", ...parts));
  if (bot.rank) {
    fact(make("b", "", `${bot.rank}.`), ` of ${ranked.length}`);
    fact(make("b", "", bot.score), bot.reach && ` ± ${bot.reach}`);
  } else facts.append(make("span", "badge bad", bot.status));
  data.measures.forEach((title, place) => { if (bot.measures[place]) fact(`${title} `, make("b", "", bot.measures[place])); });
  fact(`${bot.kind} · `, make("code", "", bot.sha));
  if (bot.games) fact(many(bot.games, data.game));
  fact(bot.faults ? many(bot.faults, "fault") : "no faults");
  return facts;
};
const editOf = (bot) => {
  const [former, difference, reach, shifts] = bot.edit;
  const told = make("p", "", `Against the ${many(shifts.length, "opponent")} that stayed as ${shifts.length === 1 ? "it was" : "they were"}, version `, make("code", "", bot.sha),
    ` has ${valueText(difference)}${reach === null ? "" : " ± " + reachText(reach)} points a session more than `, make("code", "", former), " had.");
  const rows = shifts.map(([name, before, after]) => [name, ...[before, after, after - before].map((value) => [valueText(value), "num"])]);
  const headings = [["Opponent", ""], ["Before", "num"], ["Now", "num"], ["Change", "num"]];
  return [make("h3", "", "Since its last version"), told, inScroll(makeSortable(tableOf("sortable", "Before and after", headings, rows)))];
};
const versionsOf = (bot) => {
  const rows = [...bot.versions].reverse().map(([sha, made, score, rank, of]) => [make("code", "", sha), made,
    [score === null ? "" : valueText(score), "num"], [rank === null ? "" : `${rank} of ${of}`, "num"]]);
  const headings = [["Version", ""], ["Last on the board", ""], ["Score", "num"], ["Rank", "num"]];
  return [make("h3", "", "Versions"), inScroll(tableOf("", "Its versions, the newest first", headings, rows))];
};
const barOf = (value) => {
  const off = value - data.middle;
  const long = 50 * Math.min(1, Math.abs(off) / data.scale);
  return svg("svg", { class: "bar", "aria-hidden": "true" },
    svg("rect", { class: off > 0 ? "p" : "n", x: `${off < 0 ? 50 - long : 50}%`, width: `${long}%`, y: "20%", height: "60%" }),
    svg("line", { class: "zero", x1: "50%", x2: "50%", y1: 0, y2: "100%" }));
};
const resultsOf = (number) => across.flatMap((opponent, column) => { const result = resultOf(number, column); return result ? [{ opponent, ...result }] : []; });
const resultsTable = (bot, results) => {
  const headings = [["Opponent", ""], [`A ${data.unit}`, "num"], ["± 95%", "num"], ["", "plain mid"], ...data.measures.map((title) => [title, "num mid"]),
    ["Course", "plain mid"], ["Sessions", "num wide"], [`${data.game[0].toUpperCase()}${data.game.slice(1)}s`, "num wide"], ...(games ? [["", "plain"]] : [])];
  const rows = results.map((result) => [linkTo(result.opponent), [valueText(result.value), result.clear ? "num" : "num dim"], [reachText(result.reach), "num dim"],
    [barOf(result.value), "mid"], ...result.measures.map((text) => [text, "num mid"]), [spark(result.shape), "mid"],
    [plain(result.sessions), "num wide"], [plain(result.games), "num wide"], ...(games ? [watchLink(bot, result.opponent.name)] : [])]);
  const around = inScroll(makeSortable(tableOf("sortable results", `Points a ${data.unit} of ${bot.name} by opponent`, headings, rows)));
  around.classList.add("tall");
  return around;
};
const faultsOf = (bot) => {
  const items = bot.faulty.map((fault) => make("li", "",
    make("p", "", make("b", "", fault.message), make("br"),
      make("span", "dim", `in ${fault.decision} against ${fault.opponent}, session ${fault.session}, game ${fault.game}`), " ",
      watchLink(bot, fault.opponent, `${fault.session}/${fault.game}`)),
    ...(fault.question_text ? [make("p", "", "asked ", make("code", "", fault.question_text))] : []),
    ...(fault.last_output ? [make("pre", "", fault.last_output)] : []),
    make("p", "dim",
      make("code", "", `tournament replay ${data.contest} --match ${fault.match} --session ${fault.session} --game ${fault.game}${data.options}`),
      fault.more ? `; and the same ${plain(fault.more)} more ${fault.more === 1 ? "time" : "times"}` : "")));
  const less = bot.faulty.length < bot.faults ? `${bot.faulty.length} of ${plain(bot.faults)}, the first ones of each sort. ` : "";
  return [make("h3", "", "Faults"), make("p", "note", `${less}The command below a fault shows its game, step by step.`), make("ol", "faults", ...items)];
};
const drawBot = (number) => {
  const bot = bots[number];
  const page = find("#bot");
  const heading = make("h2", "", bot.name);
  heading.tabIndex = -1;
  heading.id = "h-bot";
  const results = resultsOf(number);
  const parts = [make("header", "", heading, factsOf(bot))];
  if (bot.reason) parts.push(make("pre", "reason", bot.reason));
  if (bot.rank && results.length > 1) {
    const sorted = [...results].sort((one, other) => other.value - one.value);
    const count = Math.min(3, Math.floor(sorted.length / 2));
    const cell = (result) => [linkTo(result.opponent), ` ${valueText(result.value)}`];
    parts.push(joined("extremes", "Best", sorted.slice(0, count).map(cell)), joined("extremes", "Worst", sorted.slice(-count).reverse().map(cell)));
  }
  if (bot.surely.length) {
    const line = joined("extremes", "Significantly ahead of", bot.surely.map((other) => [linkTo(bots[other])]));
    line.append(`, and of all that ${bot.surely.length === 1 ? "this one is" : "these are"} ahead of`);
    parts.push(line);
  }
  if (bot.versions) parts.push(...versionsOf(bot));
  if (bot.edit) parts.push(...editOf(bot));
  if (bot.panels) parts.push(make("h3", "", "How it plays"), make("div", "panels", ...bot.panels.map(([shape, values]) => chartOf(data.panels[shape], values))));
  if (results.length) parts.push(make("h3", "", "By opponent"), resultsTable(bot, results));
  if (bot.faulty) parts.push(...faultsOf(bot));
  page.replaceChildren(...parts);
  page.dataset.bot = bot.id;
};
// All bots to choose from; a large field can be searched.
find("#chips").append(...bots.map((bot) => {
  const link = linkTo(bot);
  link.prepend(make("small", "", bot.rank ?? "–"), " ");
  return make("li", "", link);
}));
const search = find("#search");
search.hidden = bots.length <= 30;
find("#chips").classList.toggle("many", bots.length > 30);  // a page of names would hide the bot below
search.addEventListener("input", () => {
  const wanted = search.value.toLowerCase();
  all("#chips li").forEach((item, place) => { item.hidden = !bots[place].name.toLowerCase().includes(wanted); });
});
