"use strict";
(() => {
const by = id => document.getElementById(id);
const here = when => new Date(when).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]"))
  time.textContent = "short" in time.dataset ? here(time.dateTime) : time.textContent + " (" + here(time.dateTime) + " here)";
const ask = (path, options = {}) => fetch(path, { ...options, headers: { Accept: "application/json" } });
const show = text => { by("answer").textContent = text; by("answer").hidden = !text; by("answer").scrollIntoView({ block: "nearest" }); };
async function told(answer) {
  let said = await answer.json();
  while (answer.status === 202) {
    show(said.file + ": " + said.state + " …");
    answer = await ask(said.url + "?wait=20");
    said = await answer.json();
  }
  if (answer.status === 401 && by("in")) { by("in").hidden = false; by("bots").hidden = by("handed").hidden = true; }
  show(said.error || await (await fetch(said.url, { headers: { Accept: "text/plain" } })).text());
}
for (const button of document.querySelectorAll("button[data-path]"))
  button.onclick = async () => {
    button.disabled = true;
    await told(await ask(button.dataset.path, { method: button.dataset.method }));
    button.disabled = false;
  };
if (!by("in")) return;
async function list() {
  const answer = await ask("/mine");
  if (!answer.ok) return;
  const mine = await answer.json();
  by("in").hidden = true; by("bots").hidden = by("handed").hidden = false;
  by("author").textContent = mine.author;
  by("left").textContent = mine.submissions_left;
  by("jobs").replaceChildren(...mine.jobs.map(job => {
    const line = document.createElement("li"), out = document.createElement("button");
    line.textContent = here(job.at) + " " + job.file + ": " + job.state + " ";
    if (job.state === "entered") {
      out.type = "button";
      out.className = "ghost";
      out.textContent = "withdraw";
      out.onclick = async () => {
        await told(await ask("/bots/" + encodeURIComponent(job.bot) + "?contest=" + encodeURIComponent(job.contest), { method: "DELETE" }));
        list();
      };
      line.append(out);
    }
    return line;
  }));
}
by("in").onsubmit = async event => {
  event.preventDefault();
  const answer = await ask("/submit/in", { method: "POST", body: by("token").value });
  if (answer.ok) { by("token").value = ""; show(""); list(); } else told(answer);
};
async function send(method, where) {
  const file = by("file").files[0];
  if (!file) return;
  show(file.name + ": on its way …");
  await told(await ask(where + encodeURIComponent(file.name) + "?contest=" + encodeURIComponent(by("contest").value), { method, body: file }));
  list();
}
by("bots").onsubmit = event => { event.preventDefault(); send("PUT", "/bots/"); };
by("practise").onclick = () => send("POST", "/practice/");
list();
})();
