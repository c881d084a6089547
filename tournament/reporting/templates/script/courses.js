// How points go over a match: all bots' in one chart, the first few in colour, and a line of the table for each.
const courses = data.courses.bots.map(([number, means, quarters]) => ({ bot: bots[number], means, quarters }));
const coursePlace = find("#courses");
const drawCourses = () => {
  const lines = courses.filter(({ means }) => means.length > 1).map(({ bot, means }, place) => ({ name: bot.name, values: means, style: place < 8 ? `line${place}` : "compared" }));
  const value = (number) => signed(number, data.courses.digits);
  if (lines.length) {
    const count = Math.max(...lines.map((line) => line.values.length));
    const labels = Array.from({ length: count }, (_, place) => plain(Math.round((data.courses.length * (place + 1)) / count)));
    const plot = linePlot({ labels, axis: `${data.over}s of a match, up to`, unit: "", lines, told: toldOf(labels, lines.slice(0, 8), "") }, 720, 300, "big");
    const figure = make("figure", "courses", inScroll(plot));
    // Choosing a line makes it stand out.
    const items = lines.map((line) => {
      const button = buttonOf("", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        const curve = all(".curve", figure).find((one) => one.dataset.name === line.name);
        curve.classList.toggle("picked", on);
        if (on) curve.parentElement.append(curve);
        figure.classList.toggle("picking", Boolean(find(".picked", figure)));
      }, line.name);
      button.setAttribute("aria-pressed", "false");
      return make("li", line.style, button);
    });
    figure.append(make("ul", "legend pick", ...items));
    coursePlace.append(figure);
  }
  const headings = [["Bot", ""], ["First quarter", "num"], ["Last quarter", "num"], ["Change", "num"], ["Course", "plain"]];
  const rows = courses.map(({ bot, means, quarters }) => {
    if (!quarters) return [linkTo(bot), "", "", "", spark(means)];
    const [early, late] = quarters;
    return [linkTo(bot), ...[early, late, late - early].map((number) => [value(number), "num", number]), spark(means)];
  });
  const table = inScroll(makeSortable(tableOf("sortable courses", `Points a ${data.over} in the first and the last quarter of a match`, headings, rows)));
  table.classList.add("tall");
  coursePlace.append(table);
};
if (coursePlace) drawCourses();
