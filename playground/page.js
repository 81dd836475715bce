// The page: draws traffic, sends it to the engine, and shows which calls pass.

const BARS = 120;
const $ = (selector, inside = document) => inside.querySelector(selector);
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
let bars = new Array(BARS).fill(0);
let log = null; // the text of an opened log, instead of the bars
let engine = null;

const SHAPES = {
  bursts: (at, top) => (at % 20 === 5 ? top : Math.round(top / 5)),
  steady: (at, top) => Math.round(top / 2),
  ramp: (at, top) => Math.round((top * at) / BARS),
  peak: (at, top) => Math.round(top * Math.exp(-(((at - 60) / 15) ** 2))),
  none: () => 0,
};

// Limits

class LimitPanel {
  constructor(element, values) {
    this.element = element;
    element.append($("#limit").content.cloneNode(true));
    $("h2", element).textContent = `Limit ${element.dataset.limit}`;
    for (const [name, value] of Object.entries(values)) $(`[name="${name}"]`, element).value = value;
    element.addEventListener("input", update);
    $("button", element).addEventListener("click", () => this.copy());
  }

  value(name) {
    return $(`[name="${name}"]`, this.element).value;
  }

  /** The numbers that the algorithm takes, as in the text of a limit. */
  numbers() {
    const [algorithm, wait] = [this.value("algorithm"), this.value("wait")];
    const numbers = { count: this.value("count"), time: this.value("time") };
    const isQueue = algorithm === "leaky_bucket" && wait !== "0";
    if (algorithm.endsWith("bucket") && !isQueue) numbers.burst = this.value("burst");
    if (wait !== "0") numbers.wait = `${wait}s`;
    return numbers;
  }

  text() {
    const numbers = Object.entries(this.numbers()).map(([name, value]) => `${name}=${value}`);
    return [this.value("algorithm"), ...numbers].join(" ");
  }

  attribute() {
    const { count, time, burst, wait } = this.numbers();
    const parts = [`key = "api"`, `algorithm = "${this.value("algorithm")}"`, `time = "${time}"`, `count = ${count}`];
    if (burst) parts.push(`burst = ${burst}`);
    if (wait) parts.push(`wait = "${wait}"`);
    return `#[rate_limit(${parts.join(", ")}, by = "ip")]`;
  }

  async copy() {
    const button = $("button", this.element);
    try {
      await navigator.clipboard.writeText(this.attribute());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren($(".attribute", this.element));
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }

  showSettings() {
    for (const slider of this.element.querySelectorAll(".slider")) $("output", slider).value = $("input", slider).value;
    const numbers = this.numbers();
    $('[name="burst"]', this.element).parentElement.hidden = !("burst" in numbers);
    $(".attribute", this.element).textContent = this.attribute();
  }

  showNothing() {
    chart($("canvas", this.element), [1, 0], []);
    $(".numbers", this.element).textContent = "";
  }

  showResult(result, offered, scale) {
    const { admitted_parts: admitted, refused_parts: refused } = result;
    const decided = offered.map((_, at) => admitted[at] + refused[at]);
    chart($("canvas", this.element), scale, [
      [offered, "offered", decided],
      [decided, "refused", admitted],
      [admitted, "admitted"],
    ]);
    const waits = result.waited ? `, ${result.waited} of them after up to ${result.longest_wait_seconds} s` : "";
    $(".numbers", this.element).innerHTML =
      `<b>${result.admitted} pass</b>${waits}. <b>${result.refused} are refused</b>. ` +
      `Most in any ${this.value("time")} of one caller: ${result.most_in_one_window}.`;
  }
}

// Charts

/** Draws bars on top of one another: each layer from its base, or from zero, to its values. */
function chart(canvas, [count, highest], layers) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const tall = (value) => (value / Math.max(highest, 1)) * (height - 14);
  for (const [values, name, base] of layers) {
    pen.fillStyle = color(name);
    values.forEach((value, at) => {
      const from = base ? Math.min(base[at], value) : 0;
      pen.fillRect((at * width) / count, height - tall(value), Math.max(width / count - 1, 1), tall(value - from));
    });
  }
  pen.fillStyle = color("soft");
  pen.font = "12px system-ui, sans-serif";
  pen.fillText(`${highest}`, 4, 12);
}

// Traffic

function traffic() {
  if (log !== null) return log;
  const seconds = Number($("#length").value) / BARS;
  const rows = bars.map((calls, at) => (calls > 0 ? `${at * seconds},all,${calls},${seconds}` : null));
  return ["time,caller,calls,seconds", ...rows.filter(Boolean)].join("\n");
}

function reshape() {
  const top = Number($("#top").value) || 1;
  bars = bars.map((_, at) => SHAPES[$("#shape").value](at, top));
  log = null;
  $("#source").textContent = "Draw with a finger or the mouse. You can also drop a log anywhere on this page.";
  update();
}

function draw(event) {
  if (event.type === "pointermove" && event.buttons === 0) return;
  const canvas = event.currentTarget, box = canvas.getBoundingClientRect();
  const at = Math.floor(((event.clientX - box.left) / box.width) * BARS);
  const part = 1 - (event.clientY - box.top) / (box.height - 14);
  if (at < 0 || at >= BARS) return;
  const value = Math.max(0, Math.round(part * Number($("#top").value)));
  // A fast stroke skips bars. The bars between the last one and this one get the same value.
  const from = event.type === "pointermove" && draw.last !== undefined ? draw.last : at;
  for (let bar = Math.min(from, at); bar <= Math.max(from, at); bar++) bars[bar] = value;
  draw.last = at;
  log = null;
  update();
}

async function openLog(file) {
  log = await file.text();
  $("#source").textContent = file.name;
  update();
}

// Everything

let due = false;
function update() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    panels.forEach((panel) => panel.showSettings());
    if (engine) ask();
  });
}

function ask() {
  const limits = panels.map((panel) => panel.text()).join("\n");
  const answer = JSON.parse(engine(`${limits}\n\n${traffic()}\n`));
  const first = log === null ? bars.findIndex((calls) => calls > 0) : 0;
  $("#error").textContent = log === null && first < 0 ? "There are no calls yet: draw some." : (answer.error ?? "");
  const seconds = Number($("#length").value) / BARS;
  const shown = log === null ? bars : (answer.offered ?? []);
  const scale = [shown.length || BARS, log === null ? Number($("#top").value) : Math.max(1, ...shown)];
  chart($("#drawing"), scale, [[shown, "soft"]]);
  $("#notes").textContent = log === null || answer.error ? "" : [`${answer.traffic}.`, ...answer.notes].join(" ");
  if (answer.error) return panels.forEach((panel) => panel.showNothing());
  // The engine counts time from the first call, in parts of its own length.
  const factor = log === null ? answer.part_seconds / seconds : 1;
  const spread = (parts) => {
    const wide = new Array(scale[0]).fill(0);
    parts.forEach((value, at) => {
      const from = first + Math.round(at * factor), to = first + Math.max(Math.round((at + 1) * factor), Math.round(at * factor) + 1);
      for (let bar = from; bar < Math.min(to, wide.length); bar++) wide[bar] += value / (to - from);
    });
    return wide;
  };
  answer.limits.forEach((result, at) => {
    const parts = { ...result, admitted_parts: spread(result.admitted_parts), refused_parts: spread(result.refused_parts) };
    panels[at].showResult(parts, shown, scale);
  });
}

if (parent !== window) document.body.classList.add("inside"); // a page of the book, which has a title

const [first, second] = document.querySelectorAll(".limit");
const panels = [
  new LimitPanel(first, { algorithm: "counter", count: 100, time: "1m" }),
  new LimitPanel(second, { algorithm: "token_bucket", count: 100, time: "1m", burst: 20 }),
];
for (const id of ["length", "shape", "top"]) $(`#${id}`).addEventListener("input", reshape);
for (const type of ["pointerdown", "pointermove"]) $("#drawing").addEventListener(type, draw);
$("#file").addEventListener("change", (event) => event.target.files[0] && openLog(event.target.files[0]));
document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("drop")));
document.addEventListener("dragleave", () => document.body.classList.remove("drop"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("drop");
  if (event.dataTransfer.files[0]) openLog(event.dataTransfer.files[0]);
});
addEventListener("resize", update);
openEngine(WASM).then((opened) => {
  engine = opened;
  reshape();
  document.documentElement.dataset.ready = "true";
}, (error) => ($("#error").textContent = `The engine does not start: ${error}`));
