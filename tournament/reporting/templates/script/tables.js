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
const makeSortable = (table) => {
  for (const heading of all("thead th:not(.plain)", table)) {
    const button = buttonOf("sort", () => sortBy(table, heading), ...heading.childNodes);
    button.title = heading.title || "Sort by this";
    heading.append(button);
  }
  return table;
};
for (const table of all("table.sortable")) makeSortable(table);
for (const table of all("table.standings")) table.classList.add("ranked");


// A table of rows of cells: a text, an element, or [text, class, number to sort by]. Headings: [text, class].
const tableOf = (className, caption, headings, rows) => {
  const table = make("table", className, make("caption", "vh", caption));
  table.createTHead().insertRow().append(...headings.map(([text, kind]) => headingOf("col", kind, text)));
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((content, place) => {
      const [what, kind, value] = Array.isArray(content) ? content : [content];
      const cell = place ? make("td", kind, what) : headingOf("row", kind, what);
      if (value !== undefined) cell.dataset.v = value ?? "";
      row.append(cell);
    });
  }
  return table;
};
// What can be scrolled to the right fades at that edge.
const fade = (around) => around.classList.toggle("more", around.scrollLeft + around.clientWidth < around.scrollWidth - 2);
const faded = new ResizeObserver((entries) => entries.forEach(({ target }) => fade(target.closest(".scroll"))));
const watchEdge = (around) => {
  faded.observe(around);
  if (around.firstElementChild) faded.observe(around.firstElementChild);
  around.addEventListener("scroll", () => fade(around), { passive: true });
  return around;
};
all(".scroll").forEach(watchEdge);
const inScroll = (table) => watchEdge(make("div", "scroll", table));
