// What the page is drawn from, and results by bot and opponent: columns of numbers, packed by pair.
const data = JSON.parse(find("#page-data").textContent);
const unpacked = ({ count, low, width, above, plain: numbers }) => {
  if (!width) return numbers.length ? numbers : new Int32Array(count).fill(low);
  const bytes = Uint8Array.from(atob(above), (sign) => sign.charCodeAt(0));
  const offsets = width === 1 ? bytes : width === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  return Float64Array.from(offsets, (offset) => low + offset);
};
const bots = data.bots;
const opponents = data.house ? data.house.map((name) => ({ name })) : bots;
const ranked = bots.slice(0, data.ranked);
const across = data.house ? opponents : ranked;
const columns = Object.fromEntries(["value", "reach", "clear"].map((name) => [name, data.results[name].map(unpacked)]));
const [sessionsOf, gamesOf] = [unpacked(data.results.sessions), unpacked(data.results.games)];
const shapeParts = data.results.shapes.parts.map(unpacked);
const unitOfValues = 10 ** data.digits;
// The result of a bot against an opponent, by their numbers; null where there is none.
const resultOf = (one, other) => {
  if (!data.house && one === other) return null;
  const [low, high] = one < other ? [one, other] : [other, one];
  const place = data.house ? one * opponents.length + other : low * bots.length - (low * (low + 1)) / 2 + high - low - 1;
  if (!sessionsOf[place]) return null;
  const back = !data.house && one > other;
  const pick = (sides) => back && sides[1] ? sides[1][place] : sides[0][place];
  const mirrored = back && !columns.value[1];
  const reach = pick(columns.reach);
  const count = data.results.shapes.count;
  const shape = [];
  for (let at = place * count; at < (place + 1) * count; at += 1) {
    shape.push(back && shapeParts[1] ? shapeParts[1][at] : back ? -shapeParts[0][at] : shapeParts[0][at]);
  }
  return {
    value: (mirrored ? -pick(columns.value) : pick(columns.value)) / unitOfValues,
    reach: reach < 0 ? null : reach / unitOfValues, clear: Boolean(pick(columns.clear)),
    sessions: sessionsOf[place], games: gamesOf[place], shape, measures: data.results.measures.map((texts) => texts[place]),
  };
};
const valueText = (value) => signed(value, data.digits);
const reachText = (reach) => reach === null ? "" : plain(reach, data.digits);
const heatOf = (value) => {
  const off = value - data.middle;
  const level = Math.min(6, Math.round((6 * Math.abs(off)) / data.scale));
  return level ? (off > 0 ? "p" : "n") + level : "z";
};
// A bot's name, with possible line breaks after its separators, leads to its page.
const linkTo = (bot) => {
  if (bot.id === undefined) return bot.name;
  const link = make("a", "", ...bot.name.split(/(?<=[_.+-])/).flatMap((part, place) => place ? [make("wbr"), part] : [part]));
  link.href = "#" + encodeURIComponent(bot.id);
  return link;
};
