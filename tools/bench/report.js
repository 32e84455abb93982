// Draws the report from the measurements in #data (gnd_bench.h says how they look), with Chart.js.
"use strict";

const tree = JSON.parse(document.getElementById("data").textContent);
const workloads = tree.workloads;
const cpu = tree.devices.cpu, gpu = tree.devices.gpu;
const both = Boolean(cpu && gpu);
const COLOURS = ["#2f80ed", "#e8833a", "#17a398", "#d64570", "#8b62e0", "#9a9a1f", "#15a7d1", "#b06a3b",
                 "#7188a0", "#46a84e", "#c45bc9", "#c9a227"];
const charts = [];

// ---- values --------------------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);
const valid = (x) => typeof x === "number" && isFinite(x);
const median = (m, clock) => (m && m[clock] ? m[clock].median : null);
const time = {
  cpu: (r) => median(r.cpu, "device"),
  gpu: (r) => median(r.gpu, "device"),
  host: (r) => median(r.gpu, "host"),
  copies: (r) => median(r.gpu_transfers, "total"),
};
const sizes = [...new Set(workloads.flatMap((w) => w.results.map((r) => r.size)))].sort((a, b) => a - b);
const categories = [...new Set(workloads.map((w) => w.category))];

// ---- text ----------------------------------------------------------------------------------------------

const SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
const superscript = (n) => (n < 0 ? "\u207b" : "") + [...String(Math.abs(n))].map((d) => SUPERSCRIPTS[d]).join("");

function digits(x) {
  return x >= 99.95 ? x.toFixed(0) : x >= 9.995 ? x.toFixed(1) : x.toFixed(2);
}
function timeText(s) {
  if (!valid(s)) return "\u2013";
  if (s < 0.9995e-6) return digits(1e9 * s) + " ns";
  if (s < 0.9995e-3) return digits(1e6 * s) + " \u00b5s";
  return s < 0.9995 ? digits(1e3 * s) + " ms" : digits(s) + " s";
}
function rateText(x) {
  if (!valid(x) || x <= 0) return "\u2013";
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let i = 0;
  for (; x >= 999.5 && i < 5; i++) x /= 1000;
  return digits(x) + " " + prefixes[i];
}
function sizeText(n) {
  if (!valid(n)) return "\u2013";
  const power = Math.log10(n);
  if (n >= 100 && Math.abs(power - Math.round(power)) < 1e-9) return "10" + superscript(Math.round(power));
  if (n < 10000) return n.toFixed(0);
  const floor = Math.floor(power);
  return (n / 10 ** floor).toFixed(1) + "\u00b710" + superscript(floor);
}
const tickTime = (s) => timeText(s).replace(/\.0+ /, " ");
const factorText = (x) => (valid(x) ? (x < 9.95 ? x.toPrecision(2) : x.toFixed(0)) + "\u00d7" : "\u2013");
const shareText = (x) => (valid(x) ? (100 * x).toFixed(x < 0.0995 ? 1 : 0) + " %" : "");

function element(tag, text, attributes = {}) {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
}

// ---- what all plots share ------------------------------------------------------------------------------

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/** Ticks at powers of ten alone, as many as there is room for. */
function powersOfTen(axis) {
  const first = Math.ceil(Math.log10(axis.min) - 1e-9), last = Math.floor(Math.log10(axis.max) + 1e-9);
  const room = axis.axis === "x" ? axis.chart.width / (axis.chart.options.indexAxis === "y" ? 70 : 46) : axis.chart.height / 34;
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, room)));
  axis.ticks = [];
  for (let k = first; k <= last; k += step) axis.ticks.push({value: 10 ** k});
}

function logarithmic(title, text, more = {}) {
  return {
    type: "logarithmic", afterBuildTicks: powersOfTen,
    title: {display: Boolean(title), text: title, font: {size: 12}},
    ticks: {callback: text, maxRotation: 0, autoSkip: false, font: {size: 12}}, ...more,
  };
}

/** A line across the plot at options.value of an axis. */
const levelLine = {
  id: "levelLine",
  beforeDatasetsDraw(chart, _, options) {
    const scale = chart.scales[options.axis];
    if (!scale || !options.value || options.value < scale.min || options.value > scale.max) return;
    const at = scale.getPixelForValue(options.value), area = chart.chartArea, c = chart.ctx;
    c.save();
    c.strokeStyle = colour("muted");
    c.lineWidth = 1.5;
    c.setLineDash([5, 4]);
    c.beginPath();
    if (options.axis === "y") { c.moveTo(area.left, at); c.lineTo(area.right, at); }
    else { c.moveTo(at, area.top); c.lineTo(at, area.bottom); }
    c.stroke();
    c.restore();
  },
};

/** A workload's colour within its category. */
function colourOf(w) {
  return COLOURS[workloads.filter((v) => v.category === w.category).indexOf(w) % COLOURS.length];
}

/** Makes a chart whose configuration is made afresh when the colours change. */
function draw(canvas, configuration) {
  const old = charts.findIndex((entry) => entry.canvas === canvas);
  if (old >= 0) { charts[old].chart.destroy(); charts.splice(old, 1); }
  charts.push({canvas, configuration, chart: new Chart(canvas, configuration())});
}

function useColours(dark) {
  document.documentElement.classList.toggle("dark", dark);
  Chart.defaults.color = colour("muted");
  Chart.defaults.borderColor = colour("line");
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Object.assign(Chart.defaults.plugins.legend.labels, {usePointStyle: true, boxWidth: 8, boxHeight: 8, color: colour("ink")});
  Object.assign(Chart.defaults.plugins.tooltip, {backgroundColor: colour("ink"), titleColor: colour("card"),
    bodyColor: colour("card"), padding: 10, usePointStyle: true, boxPadding: 4});
  for (const {canvas, configuration} of charts.slice()) draw(canvas, configuration);
}

// ---- plots ---------------------------------------------------------------------------------------------

function line(label, points, c, more = {}) {
  return {label, data: points.filter((p) => valid(p.x) && valid(p.y) && p.y > 0), borderColor: c, backgroundColor: c,
          borderWidth: 2, pointRadius: 3, pointHoverRadius: 5, clip: 8, ...more};
}

const VIEWS = {
  speed: {name: "Speed-up", needs: both, of: (r) => r.speed_up, text: factorText, tick: (v) => v + "\u00d7", level: 1,
          say: "The CPU's time over the GPU's, with the data where the work is done. Above the dashed line the GPU is faster."},
  counted: {name: "Transfers counted", needs: both && tree.settings.transfers, of: (r) => r.speed_up_with_transfers,
            text: factorText, tick: (v) => v + "\u00d7", level: 1,
            say: "The CPU's time over the GPU's with the inputs copied from the host's memory and the result copied back, at every call."},
  gpu: {name: "GPU time", needs: Boolean(gpu), of: time.gpu, text: timeText, tick: tickTime,
        say: "Time a call on the GPU, calls back to back."},
  cpu: {name: "CPU time", needs: Boolean(cpu), of: time.cpu, text: timeText, tick: tickTime,
        say: "Time a call on the CPU, on all its threads."},
};

/** The bytes a second that workloads reach on a device. */
function bandwidthView(name, device, key) {
  return {name, needs: Boolean(tree.devices[device]), text: (v) => rateText(v) + "B/s", tick: (v) => rateText(v).replace(/\.0+ /, " ") + "B/s",
          of: (r) => valid(r[key]) ? r[key] * tree.devices[device].copy : null, level: tree.devices[device] && tree.devices[device].copy,
          say: "The fewest bytes that a workload must move, over its time. The dashed line is the rate of a copy of a large array on the same device. "
            + "Workloads that compute much more than they move are left out."};
}
VIEWS.gpuBandwidth = bandwidthView("GPU bandwidth", "gpu", "gpu_share");
VIEWS.cpuBandwidth = bandwidthView("CPU bandwidth", "cpu", "cpu_share");

/** The plots of all categories, on the same axes. */
function drawCurves(view) {
  const values = workloads.flatMap((w) => w.results.map(view.of)).filter((v) => valid(v) && v > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...values))), high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  byId("curves-text").textContent = view.say;
  for (const category of categories) {
    const own = workloads.filter((w) => w.category === category && w.results.some((r) => valid(view.of(r))));
    byId("curves-" + category).closest("figure").hidden = !own.length;
    if (!own.length) continue;
    draw(byId("curves-" + category), () => ({
      type: "line",
      data: {datasets: own.map((w) => line(w.name.slice(category.length + 1),
        w.results.map((r) => ({x: r.size, y: view.of(r), r})), colourOf(w)))},
      options: {
        interaction: {mode: "nearest", axis: "xy", intersect: false},
        scales: {x: logarithmic("", sizeText, {min: sizes[0], max: sizes[sizes.length - 1]}),
                 y: logarithmic("", (v) => view.tick(+v.toPrecision(1)),
                                {min: low, max: high})},
        plugins: {
          legend: {position: "bottom"},
          levelLine: {axis: "y", value: view.level},
          tooltip: {callbacks: {
            title: (items) => items.length ? sizeText(items[0].raw.x) + " elements" : "",
            label: (item) => item.dataset.label + ": " + view.text(item.raw.y),
            afterLabel: (item) => both ? "CPU " + timeText(time.cpu(item.raw.r)) + ", GPU " + timeText(time.gpu(item.raw.r)) : "",
          }},
        },
      },
      plugins: [levelLine],
    }));
  }
}

function makeCurves() {
  const views = Object.values(VIEWS).filter((view) => view.needs && workloads.some((w) => w.results.some((r) => valid(view.of(r)))));
  for (const category of categories) {
    const card = element("figure", null, {class: "card"}), plot = element("div", null, {class: "plot"});
    card.append(element("h3", category), plot);
    plot.append(element("canvas", null, {id: "curves-" + category, role: "img", "aria-label": category + " against size"}));
    byId("curves-grid").append(card);
  }
  const show = (view) => {
    for (const b of byId("curves-choice").children) b.setAttribute("aria-pressed", String(b.textContent === view.name));
    byId("curves-title").textContent = view.name + " against size";
    drawCurves(view);
  };
  for (const view of views) {
    const button = element("button", view.name, {type: "button"});
    button.addEventListener("click", () => show(view));
    byId("curves-choice").append(button);
  }
  byId("curves-choice").hidden = views.length < 2;
  if (views.length) show(views[0]);
}

/** A place behind all sizes for what does not win at any that was measured. */
const NEVER = 10 ** (Math.ceil(Math.log10(sizes[sizes.length - 1])) + 1);

function drawWins() {
  const counted = tree.settings.transfers;
  const rows = workloads.filter((w) => w.results.some((r) => valid(r.speed_up)))
    .map((w) => ({w, name: w.name, from: w.wins_from ?? NEVER, counted: w.wins_from_with_transfers ?? NEVER}))
    .sort((a, b) => a.from - b.from || a.counted - b.counted);
  byId("wins-plot").style.height = 22 * rows.length + 90 + "px";
  const last = (row, key) => Math.max(...row.w.results.filter((r) => valid(r[key])).map((r) => r.size), 0);
  const place = (x, row, key) => x < NEVER ? "from " + sizeText(x) + " elements"
    : last(row, key) ? "not up to " + sizeText(last(row, key)) + ", the largest that was measured" : "not measured";
  const dots = (label, values, more) => ({type: "line", label, data: values, showLine: false, indexAxis: "y",
    pointRadius: 5.5, pointHoverRadius: 7, clip: 12, ...more});
  draw(byId("wins-plot").firstElementChild, () => ({
    data: {
      labels: rows.map((row) => row.name),
      datasets: [
        dots("data on the GPU", rows.map((row) => row.from), {borderColor: colour("gpu"), backgroundColor: colour("gpu")}),
        ...(counted ? [
          dots("transfers counted", rows.map((row) => row.counted), {borderColor: colour("copy"), backgroundColor: colour("card"), borderWidth: 2.5}),
          {type: "bar", label: "between", data: rows.map((row) => [row.from, row.counted]), backgroundColor: colour("line"),
           barThickness: 4, borderRadius: 2, grouped: false}] : []),
      ],
    },
    options: {
      indexAxis: "y",
      interaction: {mode: "index", axis: "y", intersect: false},
      scales: {
        x: logarithmic("", (v) => v >= NEVER ? "not seen" : sizeText(v), {position: "top", min: sizes[0] / 2, max: NEVER * 1.6,
          afterBuildTicks: (axis) => {
            powersOfTen(axis);
            const last = axis.chart.width < 600 ? NEVER / 100 : sizes[sizes.length - 1];
            axis.ticks = [...axis.ticks.filter((t) => t.value <= last), {value: NEVER}];
          }}),
        y: {ticks: {autoSkip: false, color: colour("ink"), font: {size: 12}}, grid: {display: false}},
      },
      plugins: {
        legend: {position: "top", align: "start", labels: {filter: (item) => item.text !== "between"}},
        tooltip: {filter: (item) => item.dataset.label !== "between",
                  callbacks: {label: (item) => item.dataset.label + ": "
                    + place(item.raw, rows[item.dataIndex], item.datasetIndex ? "speed_up_with_transfers" : "speed_up")}},
      },
    },
  }));
}

function drawOne(w) {
  byId("one-text").textContent = w.text + ". Time a call against the number of elements.";
  const points = (of) => w.results.map((r) => ({x: r.size, y: of(r)}));
  draw(document.querySelector("#one canvas"), () => ({
    type: "line",
    data: {datasets: [
      cpu && line("CPU", points(time.cpu), colour("cpu")),
      gpu && line("GPU", points(time.gpu), colour("gpu")),
      gpu && tree.settings.transfers && line("GPU, transfers counted", points(time.copies), colour("copy")),
      gpu && line("host, to issue the GPU's work", points(time.host), colour("host"), {borderDash: [5, 4], borderWidth: 1.5}),
    ].filter(Boolean)},
    options: {
      interaction: {mode: "index", intersect: false},
      scales: {x: logarithmic("elements", sizeText, {min: sizes[0], max: sizes[sizes.length - 1]}),
               y: logarithmic("", tickTime)},
      plugins: {legend: {position: "bottom"},
                tooltip: {callbacks: {title: (items) => items.length ? sizeText(items[0].raw.x) + " elements" : "",
                                      label: (item) => item.dataset.label + ": " + timeText(item.raw.y)}}},
    },
  }));
}

function drawBandwidth(size) {
  const rows = workloads.map((w) => ({name: w.name, r: w.results.find((r) => r.size === size)}))
    .filter((row) => row.r && (valid(row.r.gpu_share) || valid(row.r.cpu_share)))
    .sort((a, b) => (gpu ? b.r.gpu_share - a.r.gpu_share : b.r.cpu_share - a.r.cpu_share) || 0);
  byId("bandwidth-plot").style.height = (both ? 28 : 22) * rows.length + 100 + "px";
  const bars = (label, key, device, c) => ({label, data: rows.map((row) => valid(row.r[key]) ? 100 * row.r[key] : null),
    backgroundColor: c, borderRadius: 3, categoryPercentage: 0.78, barPercentage: 0.9, device});
  const cut = rows.some(({r}) => r.gpu_share > 2 || r.cpu_share > 2); // out of caches
  draw(byId("bandwidth-plot").firstElementChild, () => ({
    type: "bar",
    data: {labels: rows.map((row) => row.name),
           datasets: [gpu && bars("GPU", "gpu_share", "gpu", colour("gpu")),
                      cpu && bars("CPU", "cpu_share", "cpu", colour("cpu"))].filter(Boolean)},
    options: {
      indexAxis: "y",
      interaction: {mode: "index", axis: "y", intersect: false},
      scales: {x: {min: 0, max: cut ? 200 : undefined, suggestedMax: 100, ticks: {callback: (v) => v + " %", maxRotation: 0, font: {size: 12}}},
               y: {ticks: {autoSkip: false, color: colour("ink"), font: {size: 12}}, grid: {display: false}}},
      plugins: {
        legend: {position: "top", align: "start"},
        levelLine: {axis: "x", value: 100},
        tooltip: {callbacks: {label: (item) => {
          const device = item.dataset.device, rate = item.raw / 100 * tree.devices[device].copy;
          return item.dataset.label + ": " + shareText(item.raw / 100) + ", " + rateText(rate) + "B/s, "
            + timeText(time[device](rows[item.dataIndex].r));
        }}},
      },
    },
    plugins: [levelLine],
  }));
}

// ---- tables and texts ----------------------------------------------------------------------------------

function makeTiles() {
  const tile = (value, text) => {
    const t = element("div", null, {class: "tile"});
    t.append(element("b", value), element("span", text));
    byId("tiles").append(t);
  };
  const best = (key) => workloads.flatMap((w) => w.results.map((r) => ({name: w.name, r, x: r[key]})))
    .filter((e) => valid(e.x)).sort((a, b) => b.x - a.x)[0];
  if (both) {
    const top = best("speed_up"), counted = best("speed_up_with_transfers");
    const won = workloads.filter((w) => valid(w.wins_from)).length;
    if (top) tile(factorText(top.x), "the largest speed-up: " + top.name + " of " + sizeText(top.r.size));
    if (counted) tile(factorText(counted.x), "with transfers counted: " + counted.name + " of " + sizeText(counted.r.size));
    tile(won + " of " + workloads.length, "workloads that the GPU wins at some size");
  } else {
    tile(String(workloads.length), "workloads, at " + sizes.length + " sizes from " + sizeText(sizes[0]) + " to " + sizeText(sizes[sizes.length - 1]));
  }
  const fastest = (of) => Math.max(...workloads.flatMap((w) => w.results.map((r) => r.operations / of(r))).filter(valid));
  const rates = (on, unit, text) => {
    const [first, second] = both ? [on("gpu"), on("cpu")] : [on(gpu ? "gpu" : "cpu")];
    if (first > 0) tile(rateText(first) + unit, text + (both ? " on the GPU; on the CPU " + rateText(second) + unit : ""));
  };
  rates((device) => tree.devices[device].copy, "B/s", "a copy of a large array");
  rates((device) => fastest(time[device]), "flop/s", "the most arithmetic of any workload");
  if (gpu && valid(gpu.from_host)) tile(rateText(gpu.from_host) + "B/s", "from the host to the GPU; back " + rateText(gpu.to_host) + "B/s");
}

const COLUMNS = [
  ["workload", true], ["elements", true], ["shape", true],
  ["CPU", Boolean(cpu)], ["GPU", Boolean(gpu)], ["GPU\u2019s host", Boolean(gpu)], ["with transfers", Boolean(gpu)],
  ["speed-up", both], ["with transfers", both],
  ["GPU of copy", Boolean(gpu)], ["CPU of copy", Boolean(cpu)], ["GPU flop/s", Boolean(gpu)], ["CPU flop/s", Boolean(cpu)],
];

function makeTable() {
  const head = element("tr"), body = document.querySelector("#numbers tbody");
  COLUMNS.filter((c) => c[1]).forEach((c) => head.append(element("th", c[0], {scope: "col"})));
  document.querySelector("#numbers thead").append(head);
  const flops = (r, s) => valid(r.operations) && valid(s) ? rateText(r.operations / s) : "";
  const verdict = (x) => !valid(x) ? "" : x >= 1 ? "good" : "bad";
  for (const w of workloads) w.results.forEach((r, i) => {
    const row = element("tr", null, i ? {} : {class: "first"});
    const cells = [[w.name], [sizeText(r.size)], [(r.shape ?? "").includes("x") ? r.shape.replace(/ x /g, " \u00d7 ") : ""],
      [timeText(time.cpu(r))], [timeText(time.gpu(r))], [timeText(time.host(r))], [timeText(time.copies(r))],
      [factorText(r.speed_up), verdict(r.speed_up)], [factorText(r.speed_up_with_transfers), verdict(r.speed_up_with_transfers)],
      [shareText(r.gpu_share)], [shareText(r.cpu_share)], [flops(r, time.gpu(r))], [flops(r, time.cpu(r))]];
    cells.filter((_, k) => COLUMNS[k][1]).forEach(([text, style]) => row.append(element("td", text, style ? {class: style} : {})));
    row.dataset.text = (w.name + " " + w.text + " " + r.size + " 10^" + Math.round(Math.log10(r.size))).toLowerCase();
    body.append(row);
  });
  byId("filter").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.children) row.hidden = !words.every((word) => row.dataset.text.includes(word));
  });
}

function makeMethod() {
  const list = byId("method-list"), add = (text) => list.append(element("li", text));
  add("gnd " + tree.gnd + ", " + tree.date + (tree.system ? ", " + tree.system : "") + "; a budget of " + tree.settings.seconds + " s for all.");
  if (cpu) add("CPU: " + cpu.name + ", " + cpu.threads + " threads.");
  if (gpu) add("GPU: " + gpu.name + ", " + gpu.multiprocessors + " multiprocessors, " + rateText(gpu.memory) + "B.");
  add("Times are medians of gnd_benchmark: calls back to back for at least a millisecond between two events on the stream, again and again. "
    + "The first call is not counted. What host columns say is the time until a call returns.");
  if (both) add("Transfers go from and to pageable memory of the host; results come back whole.");
  const found = (tree.libraries ?? []).filter((l) => l.found);
  if (found.length) add("Libraries: " + found.map((l) => l.name + (l.version ? " " + l.version : "")).join(", ") + ".");
  const rows = document.querySelector("#problems tbody");
  for (const w of workloads) for (const r of w.results) for (const key of ["cpu", "gpu", "gpu_transfers"]) {
    const why = r[key] && (r[key].error ?? r[key].skipped);
    if (!why) continue;
    const row = element("tr");
    row.append(element("td", w.name), element("td", sizeText(r.size)),
               element("td", {cpu: "CPU", gpu: "GPU", gpu_transfers: "GPU with transfers"}[key]), element("td", why, {class: "why"}));
    rows.append(row);
  }
  byId("problems").hidden = !rows.children.length;
  if (rows.children.length) add("Not measured:");
}

function choose(select, options, show, chosen) {
  options.forEach(([text], i) => select.append(element("option", text, {value: i})));
  select.addEventListener("change", () => show(options[select.value][1]));
  select.value = chosen;
  show(options[chosen][1]);
}

// ---- all of it -----------------------------------------------------------------------------------------

function main() {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const names = [gpu && gpu.name, cpu && cpu.name].filter(Boolean);
  byId("title").textContent = both ? "GPU against CPU" : (gpu ? "GPU" : "CPU") + " benchmark";
  byId("subtitle").textContent = names.join(" against ") + " \u00b7 gnd " + tree.gnd + " \u00b7 " + tree.date.slice(0, 10);
  document.title = "gnd-bench: " + names.join(", ");
  byId("footer").textContent = "Made by gnd-bench. Plots: Chart.js (MIT licence).";
  useColours(location.hash === "#dark" || (location.hash !== "#light" && wanted.matches));
  wanted.addEventListener("change", (event) => useColours(event.matches));
  byId("theme").addEventListener("click", () => useColours(!document.documentElement.classList.contains("dark")));
  makeTiles();
  byId("wins").hidden = !both;
  if (both) drawWins();
  makeCurves();
  const first = workloads.findIndex((w) => w.name === "reduce.dot");
  choose(byId("one-choice"), workloads.map((w) => [w.name, w]), drawOne, Math.max(0, first));
  const withShares = sizes.filter((n) => workloads.some((w) => w.results.some((r) => r.size === n && (valid(r.gpu_share) || valid(r.cpu_share)))));
  byId("bandwidth").hidden = !withShares.length;
  const count = (n) => workloads.filter((w) => w.results.some((r) => r.size === n && (valid(r.gpu_share) || valid(r.cpu_share)))).length;
  const most = Math.max(...withShares.map(count)); // the largest size that most workloads came to
  if (withShares.length)
    choose(byId("bandwidth-choice"), withShares.map((n) => [sizeText(n) + " elements", n]), drawBandwidth,
           withShares.map((n) => 2 * count(n) >= most).lastIndexOf(true));
  makeTable();
  makeMethod();
}

main();
