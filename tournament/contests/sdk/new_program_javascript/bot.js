// {name}: {manner}.
//
// Written by `tournament new`; make it yours. It reads decisions, a line of JSON each, and writes answers. Every match
// starts it anew, and what it keeps in its variables lasts as long as the match.

const answers = {
  // {functions}
};

let sessions = 0;
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (!line.startsWith("{")) {
    sessions ||= Number(line); // the first line; the last is the score
    return;
  }
  const told = JSON.parse(line);
  const answer = answers[told.decision](told);
  if (answer !== undefined) console.log("ACTION", JSON.stringify(answer));
});
