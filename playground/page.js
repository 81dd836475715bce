// The page: makes traffic, sends it to the engine, and shows which calls pass.

const $ = (selector, inside = document) => inside.querySelector(selector);
const BARS = 120;
const DRAW = "Draw with a finger or the mouse. You can also drop a log anywhere on this page.";
let drawn = null; // the bars that the user has drawn
let log = null; // the name and the text of an opened log, which is shown instead of the bars
let engine = null;
const past = []; // the shapes and drawings before each change, for Undo

const SHAPES = {
  bursts: (at, top) => (at % 20 === 5 ? top : Math.round(top / 5)),
  steady: (at, top) => Math.round(top / 2),
  ramp: (at, top) => Math.round((top * at) / BARS),
  peak: (at, top) => Math.round(top * Math.exp(-(((at - 60) / 15) ** 2))),
  none: () => 0,
};

// Traffic

const most = () => Math.max(1, Number($("#top").value) || 1);
const seconds = () => Number($("#length").value) / BARS; // of a bar

function bars() {
  const shape = $("#shape").value;
  return shape === "drawn" ? drawn : Array.from({ length: BARS }, (_, at) => SHAPES[shape](at, most()));
}

function traffic() {
  if (log !== null) return log.text;
  const rows = bars().map((calls, at) => (calls > 0 ? `${at * seconds()},all,${calls},${seconds()}` : null));
  return ["time,caller,calls,seconds", ...rows.filter(Boolean)].join("\n");
}

/** Remembers the shape and the drawing before a change. */
function remember(shape) {
  past.push({ shape, drawn: drawn && [...drawn] });
}

function undo() {
  const last = past.pop();
  drawn = last.drawn;
  $("#shape").value = chosen.shape = last.shape;
  update();
}

/** Another shape keeps the drawing: it is a shape, too. */
function chosen() {
  remember(chosen.shape);
  chosen.shape = $("#shape").value;
}

function draw(event) {
  if (log !== null || (event.type === "pointermove" && event.buttons === 0)) return;
  const canvas = event.currentTarget, box = canvas.getBoundingClientRect();
  const at = Math.floor(((event.clientX - box.left) / box.width) * BARS);
  const part = 1 - (event.clientY - box.top - TOP) / (box.height - TOP - AXIS);
  if (at < 0 || at >= BARS) return;
  if (event.type === "pointerdown") {
    remember($("#shape").value);
    drawn = bars().slice();
    $("#shape").value = chosen.shape = "drawn";
  }
  const value = Math.max(0, Math.round(part * highest()));
  // A fast stroke skips bars. The bars between the last one and this one get the same value.
  const from = event.type === "pointermove" && draw.last !== undefined ? draw.last : at;
  for (let bar = Math.min(from, at); bar <= Math.max(from, at); bar++) drawn[bar] = value;
  draw.last = at;
  update();
}

const highest = () => ($("#shape").value === "drawn" ? Math.max(most(), ...drawn) : most());

async function openLog(file) {
  log = { name: file.name, text: await file.text() };
  update();
}

function closeLog() {
  log = null;
  $("#file").value = "";
  update();
}

/** Shows which controls have an effect. */
function showTraffic() {
  $("#traffic").disabled = log !== null;
  $("#drawing").classList.toggle("log", log !== null);
  $("#close").hidden = log === null;
  $("#undo").hidden = past.length === 0;
  $('#shape [value="drawn"]').hidden = drawn === null;
  $("#source").textContent = log === null ? DRAW : `${log.name} is shown instead of the bars.`;
}

// Everything

let due = false;
function update() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    showTraffic();
    panels.forEach((panel) => panel.showSettings());
    if (engine) ask();
  });
}

function ask() {
  const limits = panels.map((panel) => panel.text()).join("\n");
  const answer = JSON.parse(engine(`${limits}\n\n${traffic()}\n`));
  const shown = log === null ? bars() : (answer.offered ?? []);
  const first = log === null ? bars().findIndex((calls) => calls > 0) : 0;
  $("#error").textContent = log === null && first < 0 ? "There are no calls yet: draw some." : (answer.error ?? "");
  const count = shown.length || BARS;
  const scale = {
    bars: count,
    highest: log === null ? highest() : Math.max(1, ...shown),
    seconds: count * (log === null ? seconds() : (answer.part_seconds ?? 0)),
  };
  chart($("#drawing"), scale, [[shown, "soft"]]);
  $("#notes").textContent = log === null || answer.error ? "" : [`${answer.traffic}.`, ...answer.notes].join(" ");
  if (answer.error) return panels.forEach((panel) => panel.showNothing());
  // The engine counts time from the first call, in parts of its own length.
  const factor = log === null ? answer.part_seconds / seconds() : 1;
  const spread = (parts) => {
    const wide = new Array(count).fill(0);
    parts.forEach((value, at) => {
      const from = first + Math.round(at * factor), to = first + Math.max(Math.round((at + 1) * factor), Math.round(at * factor) + 1);
      for (let bar = from; bar < Math.min(to, wide.length); bar++) wide[bar] += value / (to - from);
    });
    return wide;
  };
  const results = answer.limits.map((result) => {
    return { ...result, admitted_parts: spread(result.admitted_parts), refused_parts: spread(result.refused_parts) };
  });
  // Calls that have waited can pass in one moment. Both charts have the same scale.
  scale.highest = Math.max(scale.highest, ...results.flatMap((result) => result.admitted_parts));
  results.forEach((result, at) => panels[at].showResult(result, shown, scale));
}

/** On a page of the book: leaves out the title, takes over light or dark, and is as tall as its content. */
function followBook() {
  if (parent === window) return;
  document.body.classList.add("inside");
  let book;
  try {
    book = parent.document.documentElement;
  } catch {
    return; // pages without a server cannot see each other
  }
  const follow = () => {
    const isDark = ["ayu", "coal", "navy"].some((theme) => book.classList.contains(theme));
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    document.body.style.background = getComputedStyle(parent.document.body).backgroundColor;
    update();
  };
  new MutationObserver(follow).observe(book, { attributes: true, attributeFilter: ["class"] });
  new ResizeObserver(() => (frameElement.style.height = `${$("main").offsetHeight}px`)).observe($("main"));
  follow();
}

const [first, second] = document.querySelectorAll(".limit");
const panels = [
  new LimitPanel(first, { algorithm: "counter", count: 100, time: "1m" }, update),
  new LimitPanel(second, { algorithm: "token_bucket", count: 100, time: "1m", burst: 20 }, update),
];
chosen.shape = $("#shape").value;
$("#shape").addEventListener("input", chosen);
for (const id of ["length", "shape", "top"]) $(`#${id}`).addEventListener("input", update);
for (const type of ["pointerdown", "pointermove"]) $("#drawing").addEventListener(type, draw);
$("#file").addEventListener("change", (event) => event.target.files[0] && openLog(event.target.files[0]));
$("#close").addEventListener("click", closeLog);
$("#undo").addEventListener("click", undo);
document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("drop")));
document.addEventListener("dragleave", () => document.body.classList.remove("drop"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("drop");
  if (event.dataTransfer.files[0]) openLog(event.dataTransfer.files[0]);
});
addEventListener("resize", update);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
followBook();
openEngine(WASM).then((opened) => {
  engine = opened;
  update();
  document.documentElement.dataset.ready = "true";
}, (error) => ($("#error").textContent = `The engine does not start: ${error}`));
