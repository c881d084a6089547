"""The page on which authors hand in their bots. Its script asks what `curl` can ask, too."""

from __future__ import annotations

from tournament.reporting.page import source_hash

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
label { display: block; margin: 1rem 0 .2rem } input, button { font: inherit; max-width: 100% }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid; padding: .7rem; border-radius: 4px }
[hidden] { display: none }
"""

_SCRIPT = """
"use strict";
const by = id => document.getElementById(id);
const ask = (path, options = {}) => fetch(path, { ...options, headers: { Accept: "application/json" } });
const query = () => by("contest").value ? "?contest=" + encodeURIComponent(by("contest").value) : "";
const show = text => { by("answer").textContent = text; by("answer").hidden = !text; };
async function told(answer) {
  const said = await answer.json();
  if (answer.status === 401) { by("in").hidden = false; by("bots").hidden = true; }
  return said.error || (said.file ? said.file + ": " + said.state + "\\n" + said.said : JSON.stringify(said));
}
async function list() {
  const answer = await ask("/jobs");
  if (!answer.ok) return;
  by("in").hidden = true; by("bots").hidden = false;
  by("jobs").replaceChildren(...(await answer.json()).map(job => {
    const line = document.createElement("li"), out = document.createElement("button");
    line.textContent = job.at.replace("T", " ") + " " + job.file + ": " + job.state + " ";
    if (job.state === "entered") {
      out.type = "button";  // within the form, it would hand the chosen file in again
      out.textContent = "withdraw";
      out.onclick = async () => { show(await told(await ask("/bots/" + encodeURIComponent(job.bot)
        + "?contest=" + encodeURIComponent(job.contest), { method: "DELETE" }))); list(); };
      line.append(out);
    }
    return line;
  }));
}
by("in").onsubmit = async event => {
  event.preventDefault();
  const answer = await ask("/submit/in", { method: "POST", body: by("token").value });
  if (answer.ok) { by("token").value = ""; show(""); list(); } else show(await told(answer));
};
by("bots").onsubmit = async event => {
  event.preventDefault();
  const file = by("file").files[0];
  if (!file) return;
  show(file.name + ": being checked …");
  let answer = await ask("/bots/" + encodeURIComponent(file.name) + query(), { method: "PUT", body: file });
  while (answer.status === 202) answer = await ask((await answer.json()).url + "?wait=20");
  show(await told(answer));
  list();
};
list();
"""


FORM_POLICY = (
    f"default-src 'none'; style-src {source_hash(_STYLE)}; script-src {source_hash(_SCRIPT)}; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

FORM = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Hand in a bot</title>
<style>{_STYLE}</style>
<h1>Hand in a bot</h1>
<p><a href="/">To the leaderboard</a></p>
<form id="in"><label for="token">Your token, as the organiser gave it</label>
<input id="token" type="password" autocomplete="off" required> <button>Sign in</button></form>
<form id="bots" hidden><label for="file">A file that ends in .c, .cpp, .wasm or .py, or a program's folder as .zip; its
name is the bot's</label> <input id="file" type="file" required>
<label for="contest">Contest, where there are several</label> <input id="contest"> <button>Hand in</button>
<h2>What you handed in</h2><ul id="jobs"></ul></form>
<pre id="answer" role="status" hidden></pre>
<script>{_SCRIPT}</script></html>
"""
