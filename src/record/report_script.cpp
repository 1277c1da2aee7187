#include "record/report_assets.hpp"

namespace strata::report_assets {

const char* const kScript = R"js(
"use strict";
(() => {
  const root = document.documentElement;
  document.getElementById("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    dispatchEvent(new Event("themechange"));
  };
  for (const button of document.querySelectorAll(".copy")) {
    button.onclick = async () => {
      const code = button.previousElementSibling;
      try { await navigator.clipboard.writeText(code.textContent); button.textContent = "copied"; }
      catch { getSelection().selectAllChildren(code); button.textContent = "selected"; }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    };
  }
  const short = v => v === null ? "-" : String(+v.toPrecision(5));
  for (const figure of document.querySelectorAll(".chart")) {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg"), cursor = figure.querySelector(".cursor"), out = figure.querySelector("output");
    const unit = figure.dataset.unit, t = data.t, span = t[t.length - 1] - t[0] || 1;
    svg.onpointermove = event => {
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * data.w;
      const at = t[0] + Math.min(1, Math.max(0, (x - data.x0) / (data.x1 - data.x0))) * span;
      let i = 0;
      while (i + 1 < t.length && Math.abs(t[i + 1] - at) <= Math.abs(t[i] - at)) ++i;
      cursor.setAttribute("transform", `translate(${data.x0 + (t[i] - t[0]) / span * (data.x1 - data.x0)} 0)`);
      cursor.style.visibility = "visible";
      out.textContent = `${short(t[i])} s: ` + data.s.map(([name, v]) => (data.s.length > 1 ? name + " " : "") + short(v[i])).join(", ") + (unit ? " " + unit : "");
    };
    svg.onpointerleave = () => { cursor.style.visibility = "hidden"; out.textContent = ""; };
  }
})();
)js";

const char* const kMapScript = R"js(
"use strict";
for (const box of document.querySelectorAll(".map")) (() => {
  const data = JSON.parse(box.querySelector("script").textContent);
  const canvas = box.querySelector("canvas"), tip = box.querySelector(".tip"), clock = box.querySelector("output");
  const slider = box.querySelector("input"), play = box.querySelector(".play"), trails = box.querySelector(".trails");
  const context = canvas.getContext("2d"), n = data.names.length, times = data.times, last = times.length - 1;
  const [x0, y0, x1, y1] = data.bounds, kx = (x1 - x0) / 65534, ky = (y1 - y0) / 65534;
  const raw = Uint8Array.from(atob(data.positions), c => c.charCodeAt(0));
  const packed = new Uint16Array(raw.buffer);
  const radius = i => typeof data.radii === "number" ? data.radii : data.radii[i];
  const group = data.names.map(name => name.replace(/\d+$/, "")), groups = [...new Set(group)];
  const varied = groups.length === 1 && n <= 24;
  const hue = i => varied ? i * 137.5 + 212 : groups.indexOf(group[i]) * 137.5 + 212;
  const hues = Array.from({length: n}, (_, i) => Math.round(hue(i) % 360));
  let scale = 1, left = 0, top = 0, now = last >= 0 ? times[last] : 0, playing = false, previous = 0, style = {};
  trails.value = n <= 300 ? "all" : n <= 3000 ? "recent" : "none";

  const at = (frame, i) => {
    const k = 2 * (frame * n + i);
    return packed[k] === 65535 ? null : [x0 + packed[k] * kx, y0 + packed[k + 1] * ky];
  };
  const frame_of = time => {
    let low = 0, high = last;
    while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= time) low = middle; else high = middle - 1; }
    return low;
  };
  const place = i => {
    const f = frame_of(now), a = at(f, i), b = f < last ? at(f + 1, i) : null;
    if (!a || !b) return a;
    const part = (now - times[f]) / (times[f + 1] - times[f]);
    return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
  };
  const px = x => (x - left) * scale, py = y => (top - y) * scale;

  function fit() {
    const width = canvas.clientWidth, height = canvas.clientHeight;
    scale = 0.94 * Math.min(width / Math.max(x1 - x0, 1e-9), height / Math.max(y1 - y0, 1e-9));
    left = (x0 + x1) / 2 - width / 2 / scale;
    top = (y0 + y1) / 2 + height / 2 / scale;
  }
  function draw_fixed() {
    context.fillStyle = context.strokeStyle = style.wall;
    context.lineJoin = context.lineCap = "round";
    for (const {p, r} of data.fixed) {
      context.beginPath();
      if (p.length === 2) { context.arc(px(p[0]), py(p[1]), Math.max(r * scale, 0.7), 0, 7); context.fill(); continue; }
      for (let k = 0; k < p.length; k += 2) context.lineTo(px(p[k]), py(p[k + 1]));
      context.closePath();
      context.fill();
      context.lineWidth = Math.max(2 * r * scale, 0.8);
      context.stroke();
    }
  }
  function draw_trails() {
    if (trails.value === "none") return;
    const end = frame_of(now), begin = trails.value === "all" ? 0 : Math.max(0, end - Math.max(8, last >> 4));
    context.globalAlpha = n > 60 ? 0.3 : 0.55;
    context.lineWidth = n > 60 ? 1 : 1.5;
    for (let i = 0; i < n; ++i) {
      context.strokeStyle = `hsl(${hues[i]} 70% ${style.light}%)`;
      context.beginPath();
      let open = false;
      for (let f = begin; f <= end; ++f) {
        const p = at(f, i);
        if (!p) { open = false; continue; }
        if (open) context.lineTo(px(p[0]), py(p[1])); else context.moveTo(px(p[0]), py(p[1]));
        open = true;
      }
      const p = open && place(i);
      if (p) context.lineTo(px(p[0]), py(p[1]));
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  function draw() {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw_fixed();
    if (last >= 0) draw_trails();
    for (let i = 0; i < n; ++i) {
      const p = place(i);
      if (!p) continue;
      context.fillStyle = `hsl(${hues[i]} 70% ${style.light}%)`;
      context.beginPath();
      context.arc(px(p[0]), py(p[1]), Math.max(radius(i) * scale, 1.6), 0, 7);
      context.fill();
    }
    // A scale bar of a round length.
    const want = 110 / scale, power = 10 ** Math.floor(Math.log10(want));
    const size = [5, 2, 1].map(k => k * power).find(k => k <= want) || power;
    context.strokeStyle = context.fillStyle = style.soft;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(14, height - 20); context.lineTo(14, height - 14);
    context.lineTo(14 + size * scale, height - 14); context.lineTo(14 + size * scale, height - 20);
    context.stroke();
    context.font = "12px system-ui,sans-serif";
    context.fillText(`${+size.toPrecision(3)} m`, 20, height - 20);
    clock.textContent = `${now.toFixed(times[last] >= 1000 ? 0 : 1)} s`;
  }
  let asked = false;
  const redraw = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; draw(); }); } };
  function theme() {
    const css = getComputedStyle(document.documentElement), dark = css.colorScheme === "dark" ||
      (css.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    style = {wall: css.getPropertyValue("--wall"), soft: css.getPropertyValue("--soft"), light: dark ? 62 : 44};
    redraw();
  }
  function tick(wall) {
    if (!playing) return;
    now = Math.min(now + (wall - previous) / 1000 * Math.max((times[last] - times[0]) / 12, 1e-9), times[last]);
    previous = wall;
    slider.value = String((now - times[0]) / (times[last] - times[0] || 1) * 1000);
    if (now >= times[last]) { playing = false; play.textContent = "play"; }
    draw();
    requestAnimationFrame(tick);
  }
  play.onclick = () => {
    playing = !playing;
    play.textContent = playing ? "pause" : "play";
    if (!playing) return;
    if (now >= times[last]) now = times[0];
    previous = performance.now();
    requestAnimationFrame(tick);
  };
  slider.oninput = () => { now = times[0] + slider.value / 1000 * (times[last] - times[0]); redraw(); };
  trails.onchange = redraw;
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const k = Math.exp(-event.deltaY * 0.0015), x = event.offsetX, y = event.offsetY;
    left += x / scale - x / (scale * k);
    top -= y / scale - y / (scale * k);
    scale *= k;
    redraw();
  }, {passive: false});
  let drag = null;
  canvas.onpointerdown = event => { drag = [event.offsetX, event.offsetY]; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = () => { drag = null; };
  canvas.onpointerleave = () => { tip.style.visibility = "hidden"; };
  canvas.ondblclick = () => { fit(); redraw(); };
  box.querySelector(".fit").onclick = () => { fit(); redraw(); };
  canvas.onpointermove = event => {
    const x = event.offsetX, y = event.offsetY;
    if (drag) {
      left -= (x - drag[0]) / scale;
      top += (y - drag[1]) / scale;
      drag = [x, y];
      return redraw();
    }
    let best = -1, near = 14 * 14;
    for (let i = 0; i < n; ++i) {
      const p = place(i);
      if (!p) continue;
      const d = (px(p[0]) - x) ** 2 + (py(p[1]) - y) ** 2, r = Math.max(radius(i) * scale, 14);
      if (d < r * r && d < near + r * r - 196) { best = i; near = d; }
    }
    tip.style.visibility = best < 0 ? "hidden" : "visible";
    if (best < 0) return;
    const p = place(best);
    tip.textContent = `${data.names[best]}  (${p[0].toFixed(2)}, ${p[1].toFixed(2)}) m`;
    tip.style.left = `${Math.min(x + 14, canvas.clientWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 14}px`;
  };
  addEventListener("themechange", theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  new ResizeObserver(redraw).observe(canvas);
  fit();
  theme();
})();
)js";

}  // namespace strata::report_assets
