// A limit of the page: its numbers, its attribute, and what it did with the traffic.

/** The seconds of the times that a limit can have. */
const TIMES = { "1s": 1, "10s": 10, "1m": 60, "15m": 900, "1h": 3600, "1d": 86400 };

/** The range of each slider. Equal steps multiply the number, so that 2 and 5000 are both easy to find. */
const RANGES = { count: [1, 10000], burst: [1, 10000], wait: [0, 3600] };

function numberAt(name, part) {
  const [low, high] = RANGES[name], shift = low === 0 ? 1 : 0;
  const exact = (low + shift) * ((high + shift) / (low + shift)) ** part - shift;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(exact, 1))) - 1); // two digits are enough
  return Math.max(low, Math.round(exact / step) * step);
}

function partOf(name, number) {
  const [low, high] = RANGES[name], shift = low === 0 ? 1 : 0;
  return Math.log((Math.max(number, low) + shift) / (low + shift)) / Math.log((high + shift) / (low + shift));
}

class LimitPanel {
  constructor(element, values, changed) {
    this.element = element;
    element.append($("#limit").content.cloneNode(true));
    $(".title", element).textContent = `Limit ${element.dataset.limit}`;
    for (const [name, value] of Object.entries(values)) this.field(name).value = value;
    for (const slider of element.querySelectorAll(".slider")) {
      const [range, name] = [$("input", slider), slider.dataset.name];
      range.addEventListener("input", () => (this.field(name).value = numberAt(name, range.value / 1000)));
    }
    element.addEventListener("input", changed);
    $("button", element).addEventListener("click", () => this.copy());
  }

  field(name) {
    return $(`[name="${name}"]`, this.element);
  }

  /** What the panel says. While a number is being typed, the nearest number that the limit can have. */
  value(name) {
    const { type, value, min } = this.field(name);
    return type === "number" ? String(Math.max(Number(min), Math.round(Number(value)))) : value;
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
    const numbers = this.numbers();
    for (const slider of this.element.querySelectorAll(".slider")) {
      const name = slider.dataset.name;
      $("input", slider).value = Math.round(partOf(name, Number(this.value(name))) * 1000);
    }
    $('[data-name="burst"]', this.element).hidden = !("burst" in numbers);
    $(".attribute", this.element).textContent = this.attribute();
  }

  showNothing() {
    chart($("canvas", this.element), { bars: 1, highest: 0, seconds: 0 }, []);
    $(".numbers", this.element).textContent = "";
  }

  showResult(result, offered, scale) {
    const { admitted_parts: admitted, refused_parts: refused } = result;
    const decided = offered.map((_, at) => admitted[at] + refused[at]);
    const rate = (Number(this.value("count")) / TIMES[this.value("time")]) * (scale.seconds / scale.bars);
    chart($("canvas", this.element), { ...scale, rate }, [
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
