// The crosstable, drawn from the results: of a large field a part at a time. A cell shows
// its ± on hover, touch or focus; arrow keys move between cells.
const tip = find("#tip");
const cross = find("table.cross");
const mostAcross = 60;
const window_ = { order: ranked.map((_, place) => place), row: 0, column: 0, sorted: null };
const hideTip = () => { tip.hidden = true; };
const showText = (text, element) => {
  tip.textContent = text;
  tip.hidden = false;
  const box = element.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - size.width / 2, innerWidth - size.width - 8))}px`;
  tip.style.top = `${box.top - size.height - 8 > 8 ? box.top - size.height - 8 : box.bottom + 8}px`;
};
const showTip = (cell) => {
  if (!cell || cell.dataset.row === undefined) return hideTip();
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
  const result = resultOf(row, column);
  const verdict = result.reach === null ? "no ± known" : `${result.clear ? "more" : "less"} than its ± from ${data.from}${result.clear ? "" : ": may be luck"}`;
  showText([`${bots[row].name} against ${across[column].name}`,
    `${valueText(result.value)}${result.reach === null ? "" : " ± " + reachText(result.reach)} a ${data.unit}: ${verdict}`,
    `${many(result.sessions, "session")}, ${many(result.games, data.game)}`,
    ...data.measures.flatMap((title, place) => result.measures[place] ? [`${title} ${result.measures[place]}`] : [])].join("\n"), cell);
};
const drawCross = () => {
  const [rows, shown] = [window_.order.slice(window_.row, window_.row + mostAcross), across.slice(window_.column, window_.column + mostAcross)];
  const head = make("tr");
  const heading = (what, kind, by, keys, first) => {
    const button = buttonOf("sort", () => {
      const down = window_.sorted?.by === by ? !window_.sorted.down : first;
      const values = new Map(window_.order.map((row) => [row, keys(row) ?? ""]));
      window_.order.sort((one, other) => compare(values.get(one), values.get(other), down ? -1 : 1) || one - other);
      Object.assign(window_, { row: 0, sorted: { by, down } });
      drawCross();
      find("th[aria-sort] button", cross)?.focus({ preventScroll: true });
    }, what);
    const cell = headingOf("col", kind, button);
    if (window_.sorted?.by === by) cell.setAttribute("aria-sort", window_.sorted.down ? "descending" : "ascending");
    head.append(cell);
  };
  heading("#", "num", "rank", (row) => row, false);
  heading("Bot", "", "bot", (row) => bots[row].name, false);
  shown.forEach((opponent, place) => {
    const column = window_.column + place;
    heading(make("span", "", opponent.name), "up", column, (row) => resultOf(row, column)?.value ?? null, true);
  });
  const lines = rows.map((row) => {
    const cells = shown.map((_, place) => {
      const column = window_.column + place;
      const result = resultOf(row, column);
      const cell = make("td", result ? `${heatOf(result.value)}${result.clear ? "" : " unclear"}` : "none", result ? valueText(result.value) : !data.house && row === column ? "·" : "");
      if (result) Object.assign(cell.dataset, { row, column });
      return cell;
    });
    return make("tr", "", make("td", "num rank", bots[row].rank), headingOf("row", "", linkTo(bots[row])), ...cells);
  });
  cross.tHead.replaceChildren(head);
  cross.tBodies[0].replaceChildren(...lines);
  cross.classList.toggle("many", shown.length > 10);
  const first = find("td[data-row]", cross);
  if (first) first.tabIndex = 0;
  if (isLarge) for (const [id, value] of [["#row-from", window_.row], ["#column-from", window_.column]]) find(id).value = value + 1;
};
const isLarge = Math.max(ranked.length, across.length) > mostAcross;
const moveWindow = (row, column) => {
  const within = (place, count) => Math.max(0, Math.min(count - mostAcross, Math.round(place) || 0));
  Object.assign(window_, { row: within(row, ranked.length), column: within(column, across.length) });
  drawCross();
};
if (isLarge) {
  find("#part").hidden = false;
  for (const id of ["#row-from", "#column-from"]) find(id).addEventListener("change", () => moveWindow(find("#row-from").value - 1, find("#column-from").value - 1));
}
if (ranked.length) {
  cross.setAttribute("role", "grid");
  drawCross();
  const grid = () => all("tbody tr", cross).map((row) => all("td:not(.rank)", row));
  const move = (cell) => {
    for (const other of all("td[tabindex]", cross)) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  };
  cross.addEventListener("mouseover", (event) => showTip(event.target.closest("td")));
  cross.addEventListener("mouseleave", hideTip);
  cross.addEventListener("focusin", (event) => { if (event.target.tagName === "TD") showTip(event.target); });
  cross.addEventListener("focusout", hideTip);
  cross.addEventListener("click", (event) => { const cell = event.target.closest("td[data-row]"); if (cell) move(cell); });
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
