// Charts, as SVG.
const svg = (tag, attributes, ...inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};
const short = (value) => Number(value.toFixed(1));
// A path through points, interrupted at null.
const pathOf = (points) => points.map((point, place) => point ? `${points[place - 1] ? "L" : "M"}${short(point[0])} ${short(point[1])}` : "").join("");
const spark = (values) => {
  const reach = Math.max(...values.map(Math.abs));
  if (values.length < 2 || !reach) return "";
  const points = values.map((value, place) => [(72 * place) / (values.length - 1), 10 - (9 * value) / reach]);
  return svg("svg", { class: "spark", viewBox: "0 0 72 20", "aria-hidden": "true" }, svg("path", { class: "base", d: "M0 10H72" }), svg("path", { d: pathOf(points) }));
};
// A few round numbers, from low or below to high or above.
const roundTicks = (low, high, most = 5) => {
  const raw = (high - low || Math.abs(high) || 1) / (most - 1);
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * size).find((one) => one >= raw * 0.999) ?? size * 10;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, place) => step * (first + place));
};
const decimalsOf = (ticks) => [0, 1, 2, 3, 4, 5].find((digits) => ticks.every((tick) => Math.abs(tick - Number(tick.toFixed(digits))) < 1e-9)) ?? 6;
// Lines over labels: each {name, values, style}. For shares the axis goes from 0 to 100%.
const linePlot = ({ labels, axis, unit, lines, told }, width = 360, height = 200, className = "") => {
  const [left, right, top, bottom] = [44, width - 10, 10, height - 40];
  const values = lines.flatMap((line) => line.values).filter((value) => value !== null);
  let [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const ticks = unit === "%" && low >= 0 && high <= 1 ? [0, 0.25, 0.5, 0.75, 1] : roundTicks(low, high);
  [low, high] = [ticks[0], ticks.at(-1)];
  const x = (place) => left + ((right - left) * (place + 0.5)) / labels.length;
  const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
  const digits = unit === "%" ? 0 : decimalsOf(ticks);
  const drawn = svg("svg", { class: `plot ${className}`, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told });
  for (const tick of ticks) {
    const at = short(y(tick));
    drawn.append(svg("line", { class: low < 0 && tick === 0 ? "zero" : "rule", x1: left, x2: right, y1: at, y2: at }));
    drawn.append(svg("text", { class: "end", x: left - 6, y: short(at + 3.5) }, withUnit(tick, unit, digits)));
  }
  const room = Math.floor((right - left) / (6.3 * Math.max(1, ...labels.map((label) => label.length)) + 9));
  const every = Math.max(1, Math.ceil(labels.length / Math.max(1, room)));
  labels.forEach((label, place) => { if (place % every === 0) drawn.append(svg("text", { class: "middle", x: short(x(place)), y: bottom + 15 }, label)); });
  drawn.append(svg("text", { class: "middle", x: (left + right) / 2, y: bottom + 33 }, axis));
  for (const line of [...lines].reverse()) {
    const points = line.values.map((value, place) => value === null || value === undefined ? null : [x(place), y(value)]);
    const curve = svg("g", { class: `curve ${line.style}`, "data-name": line.name }, svg("path", { d: pathOf(points) }));
    points.forEach((point, place) => { if (point && !points[place - 1] && !points[place + 1]) curve.append(svg("circle", { cx: short(point[0]), cy: short(point[1]), r: 2.5 })); });
    curve.append(svg("title", {}, line.name));
    drawn.append(curve);
  }
  return drawn;
};
// The values in words, at ten labels or fewer.
const toldOf = (labels, lines, unit) => {
  const every = Math.max(1, Math.ceil(labels.length / 10));
  return lines.map((line) => {
    const pairs = labels.flatMap((label, place) => place % every || (line.values[place] ?? null) === null ? [] : [`${label}: ${withUnit(line.values[place], unit)}`]);
    return `${lines.length > 1 ? line.name + ": " : ""}${pairs.join(", ")}`;
  }).join("; ");
};
const legendOf = (items) => {
  const list = make("ul", "legend", ...items.map(([style, name]) => make("li", style, name)));
  list.setAttribute("aria-hidden", "true");
  return list;
};
// Horizontal bars, a row for each label: stacked as shares of a whole, or side by side from a common zero.
const barTable = ({ title, labels, lines, unit, stacked }) => {
  const known = lines.flatMap((line) => line.values).filter((value) => value !== null);
  const [low, high] = stacked ? [0, 1] : [Math.min(0, ...known), Math.max(unit === "%" ? 1 : 0, ...known)];
  const span = high - low || 1;
  const zero = (-low / span) * 100;
  const thick = stacked ? 70 : 70 / lines.length;
  const rows = labels.map((label, place) => {
    const track = svg("svg", { class: "track", "aria-hidden": "true" });
    const texts = [];
    let start = 0;
    lines.forEach((line, number) => {
      const value = line.values[place];
      if (value === null) return;
      const long = (Math.abs(value) / span) * 100;
      const at = stacked ? start : value >= 0 ? zero : zero - long;
      start += long;
      track.append(svg("rect", { class: line.style, x: `${at}%`, width: `${long}%`, y: `${15 + (stacked ? 0 : number * thick)}%`, height: `${thick}%` }));
      texts.push(withUnit(value, unit));
    });
    if (zero > 0 && zero < 100) track.append(svg("line", { class: "zero", x1: `${zero}%`, x2: `${zero}%`, y1: 0, y2: "100%" }));
    return [label, [track, "track"], [texts.join(" · ") || "too few", "num"]];
  });
  const table = tableOf("bars", title, [["of", ""], ["bar", ""], [lines.map((line) => line.name).join(" · ") || "value", ""]], rows);
  table.tHead.className = "vh";
  return table;
};
const gridTable = ({ title, rows, columns: across, shares, counts }) => {
  const cells = rows.map((row, place) => [row, ...across.map((column, at) => {
    const share = shares[place][at];
    return [share === null ? "" : plain(100 * share), `s${share === null ? 0 : Math.round(10 * share)}`];
  })]);
  const table = tableOf(`grid${across.length > 6 ? " small" : ""}`, `${title}, in percent`, [["", ""], ...across.map((name) => [name, ""])], cells);
  all("tbody tr", table).forEach((row, place) => all("td", row).forEach((cell, at) => {
    const share = shares[place][at];
    cell.title = `${rows[place]}, ${across[at]}: ${share === null ? "too few" : `${plain(100 * share)}% of ${plain(counts[place][at])}`}`;
  }));
  return inScroll(table);
};
// A contest's chart of a bot: its shape, and the bot's values for the lines that are its own.
const chartOf = (shape, values) => {
  const drawing = make("div", "drawing");
  const figure = make("figure", `panel ${shape.kind}`, make("figcaption", "", make("h4", "", shape.title), make("p", "", shape.meaning)), drawing);
  if (shape.kind === "grid") { drawing.append(gridTable({ ...shape, shares: values[0], counts: values[1] })); return figure; }
  let own = 0;
  const lines = shape.lines.map(([name, compared]) => compared ? { name, values: compared, style: "compared" } : { name, values: values[own], style: `line${own++ % 8}` });
  const legend = legendOf(lines.map((line) => [line.style, line.name]));
  if (shape.kind === "lines") {
    drawing.append(linePlot({ ...shape, lines, told: toldOf(shape.labels, lines.filter((line) => line.style !== "compared"), shape.unit) }), legend);
  } else {
    if (lines.length > 1) drawing.append(legend);
    drawing.append(barTable({ ...shape, lines }));
  }
  return figure;
};
