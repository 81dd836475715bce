// Draws a chart: bars on top of one another, a time axis, and a line for the rate of a limit.

const AXIS = 18; // the height of the time axis, in CSS pixels
const TOP = 14; // the room for the highest number

/** The color of a name of the style sheet, as a canvas can use it. */
function color(name) {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** A time of the axis in words, with the unit that suits the length of the axis. */
function clock(seconds, length) {
  const [unit, name] = length <= 180 ? [1, "s"] : length <= 10800 ? [60, "min"] : length <= 259200 ? [3600, "h"] : [86400, "d"];
  const value = Math.round((seconds / unit) * 10) / 10;
  return value === 0 ? "0" : `${value} ${name}`;
}

/** A number with at most two digits behind the point. */
const short = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : String(Math.round(value * 100) / 100));

/**
 * Draws one chart. `bars` is the number of bars, `highest` the number at the top, `seconds` the length of all bars. Each layer is
 * drawn from its base, or from zero, to its values. `rate` is the number of calls per bar at which a line is drawn.
 */
function chart(canvas, { bars, highest, seconds, rate }, layers) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const floor = height - AXIS;
  const tall = (value) => (value / Math.max(highest, 1)) * (floor - TOP);
  for (const [values, name, base] of layers) {
    pen.fillStyle = color(name);
    values.forEach((value, at) => {
      const from = base ? Math.min(base[at], value) : 0;
      pen.fillRect((at * width) / bars, floor - tall(value), Math.max(width / bars - 1, 1), tall(value - from));
    });
  }
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = pen.strokeStyle = color("soft");
  pen.fillText(short(highest), 4, 11);
  pen.fillRect(0, floor, width, 1);
  if (seconds > 0) axis(pen, width, height, seconds);
  if (rate > 0) line(pen, width, rate, rate <= highest ? floor - tall(rate) : null);
}

function axis(pen, width, height, seconds) {
  const parts = width < 400 ? 2 : 4;
  for (let part = 0; part <= parts; part++) {
    const at = (part * width) / parts;
    pen.textAlign = part === 0 ? "left" : part === parts ? "right" : "center";
    pen.fillText(clock((part * seconds) / parts, seconds), Math.min(Math.max(at, 4), width - 4), height - 4);
    pen.fillRect(Math.min(at, width - 1), height - AXIS, 1, 4);
  }
}

function line(pen, width, rate, at) {
  pen.textAlign = "right";
  pen.fillStyle = pen.strokeStyle = color("ink");
  if (at === null) return pen.fillText(`limit: ${short(rate)} per bar, above this chart`, width - 4, 11);
  pen.setLineDash([5, 4]);
  pen.beginPath();
  pen.moveTo(0, at);
  pen.lineTo(width, at);
  pen.stroke();
  // The words have a rim, because they stand in front of the bars.
  pen.setLineDash([]);
  [pen.strokeStyle, pen.lineWidth, pen.lineJoin] = [color("ground"), 4, "round"];
  const words = [`limit: ${short(rate)} per bar`, width - 4, Math.max(at - 5, 11)];
  pen.strokeText(...words);
  pen.fillText(...words);
}
