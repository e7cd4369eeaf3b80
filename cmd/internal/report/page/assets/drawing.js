"use strict";
// Users can zoom and move drawings. Each click on a part scrolls to its row in the next table. A click on a row
// scrolls to the drawing.
(() => {
  const ORDER = ["kernels", "resources", "buffers", "queues", "run-kernels", "run-resources", "run-links", "run-edges",
    "run-cycles", "run-states", "run-monitors", "run-counted", "run-used", "hardware-streams", "hardware-queues"];
  const SKIP = ["candidate-table", "changes"];
  const WORDS = { kernels: "kernel", blocks: "composite block on a resource", resources: "resource", devices: "device" };
  const FINER = ["devices", "resources", "blocks", "kernels"];
  // The rows of a name, in the order of the tables in ORDER.
  const rows = new Map();
  const rank = (id) => { const at = ORDER.indexOf(id); return at < 0 ? ORDER.length : at; };
  for (const table of document.querySelectorAll("table")) {
    const owner = table.closest("[id]"), id = owner ? owner.id : "";
    if (SKIP.includes(id) || !table.tBodies[0]) continue;
    for (const row of table.tBodies[0].rows) {
      const cell = row.cells[0];
      if (!cell || cell.querySelector("a")) continue;
      const name = cell.textContent.trim(), had = rows.get(name);
      const title = owner && owner.querySelector("h3, summary, figcaption"), is = { row, order: rank(id), id, title };
      if (!had) rows.set(name, [is]);
      else had.push(is);
    }
  }
  for (const list of rows.values()) list.sort((a, b) => a.order - b.order);

  const start = (figure) => {
    const sheet = figure.querySelector(".sheet"), said = figure.querySelector(".said"), hint = said.textContent;
    const which = figure.querySelector(".which"), detail = figure.querySelector(".detail");
    const packed = new Map(), cache = new Map();
    for (const s of figure.querySelectorAll("script.picture")) packed.set(s.dataset.mapping + " " + s.dataset.detail, s);
    let svg = sheet.querySelector("svg"), view = { x: 0, y: 0, w: 1, h: 1 }, size = { w: 1, h: 1 }, chosen = null;
    let shown = { mapping: "0", detail: sheet.dataset.detail };
    cache.set("0 " + shown.detail, svg.outerHTML);

    // A drawing fades at each side at which it is cut off, and a hint explains how to move it.
    const CUT = "Part of the drawing is hidden: drag the drawing, or click \"show all\". ";
    const cut = () => {
      const some = 6, sides = { "more-left": view.x > some, "more-right": view.x + view.w < size.w - some,
        "more-above": view.y > some, "more-below": view.y + view.h < size.h - some };
      for (const side in sides) sheet.classList.toggle(side, sides[side]);
      const any = Object.values(sides).some((x) => x), idle = said.textContent === hint || said.textContent === CUT + hint;
      if (idle) said.textContent = (any ? CUT : "") + hint;
    };
    const apply = () => { svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); cut(); };
    const scale = () => sheet.clientWidth / view.w;
    const move = (dx, dy) => {
      view.x += dx; view.y += dy;
      const keep = 0.25; // fraction of the view that the drawing always covers
      view.x = Math.min(Math.max(view.x, -view.w * (1 - keep)), Math.max(size.w - view.w * keep, 0));
      view.y = Math.min(Math.max(view.y, -view.h * (1 - keep)), Math.max(size.h - view.h * keep, 0));
      apply();
    };
    const zoom = (factor, cx = 0.5, cy = 0.5) => {
      const to = Math.min(Math.max(scale() * factor, Math.min(0.05, scale())), 8), f = scale() / to;
      const x = view.x + cx * view.w, y = view.y + cy * view.h;
      view.w *= f; view.h *= f;
      view.x = x - cx * view.w; view.y = y - cy * view.h;
      move(0, 0);
    };
    const center = (s) => {
      view.w = sheet.clientWidth / s; view.h = sheet.clientHeight / s;
      view.x = size.w < view.w ? (size.w - view.w) / 2 : 0;
      view.y = size.h < view.h ? (size.h - view.h) / 2 : 0;
      apply();
    };
    const all = () => center(Math.min(sheet.clientWidth / size.w, sheet.clientHeight / size.h, 1.5));
    // Initially the complete drawing is visible, at a smaller scale in a narrow window.
    const reset = () => {
      const w = sheet.clientWidth, most = Math.max(300, 0.62 * innerHeight);
      const s = Math.min(1.25, w / size.w, most / size.h);
      const borders = sheet.offsetHeight - sheet.clientHeight;
      sheet.style.height = Math.ceil(Math.min(most, size.h * s)) + borders + "px";
      center(s);
    };
    const measure = () => {
      size = { w: Number(svg.getAttribute("width")), h: Number(svg.getAttribute("height")) };
      svg.removeAttribute("style");
    };
    const unpack = async (key) => {
      if (!cache.has(key)) {
        const bytes = Uint8Array.from(atob(packed.get(key).textContent.trim()), (c) => c.charCodeAt(0));
        const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
        cache.set(key, await new Response(text).text());
      }
      return cache.get(key);
    };
    const has = (mapping, d) => packed.has(mapping + " " + d) || cache.has(mapping + " " + d);
    const choices = (mapping) => FINER.filter((d) => has(mapping, d));
    const offer = () => {
      detail.replaceChildren(...choices(shown.mapping).map((d) => new Option(WORDS[d], d, false, d === shown.detail)));
      detail.closest("label").hidden = detail.options.length < 2;
      if (which) which.value = shown.mapping;
    };
    const draw = async (mapping, d) => {
      if (!has(mapping, d)) d = choices(mapping).pop();
      if (!d) { // not drawn, to keep the page small: show its code instead
        offer();
        location.hash = "candidate-" + (Number(mapping) + 1);
        return;
      }
      if (mapping !== shown.mapping || d !== shown.detail) {
        try {
          sheet.innerHTML = await unpack(mapping + " " + d);
        } catch (e) {
          said.textContent = "This browser cannot unpack the drawing: " + e;
          return;
        }
        svg = sheet.querySelector("svg");
        shown = { mapping, detail: d };
        sheet.dataset.detail = d;
        sheet.dataset.mapping = mapping;
        chosen = null;
        measure();
        reset();
      }
      offer();
    };
    const tags = () => [...svg.querySelectorAll("[data-name]")];
    const parts = (g) => (g.dataset.parts || "").split(" ").filter(Boolean);
    const words = (g) => { const t = g && g.querySelector("title"); return t ? t.textContent : ""; };
    const mark = (list) => {
      for (const g of svg.querySelectorAll(".chosen")) g.classList.remove("chosen");
      for (const g of list) g.classList.add("chosen");
      chosen = list[0] || null;
      if (chosen) said.textContent = words(chosen);
    };
    const look = (list) => {
      if (!list.length) return;
      let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
      for (const g of list) {
        const b = g.getBBox();
        x0 = Math.min(x0, b.x); y0 = Math.min(y0, b.y); x1 = Math.max(x1, b.x + b.width); y1 = Math.max(y1, b.y + b.height);
      }
      const room = 40, s = Math.min(1.25, sheet.clientWidth / (x1 - x0 + room), sheet.clientHeight / (y1 - y0 + room));
      view.w = sheet.clientWidth / s; view.h = sheet.clientHeight / s;
      view.x = (x0 + x1 - view.w) / 2; view.y = (y0 + y1 - view.h) / 2;
      move(0, 0);
    };
    // toRow scrolls to a part's first row in the next table that lists the part. Several tables list measurements.
    let told = { name: "", at: 0 };
    const toRow = (name) => {
      const list = (rows.get(name) || []).filter((x, i, all) => all.findIndex((y) => y.id === x.id) === i);
      if (!list.length) { said.textContent = words(chosen) + " (no table lists it)"; return; }
      told = { name, at: told.name === name ? (told.at + 1) % list.length : 0 };
      const { row, title } = list[told.at];
      if (list.length > 1) {
        const table = title ? title.textContent.trim().split(":")[0] : "row of this part";
        said.textContent = `${words(chosen)} (${table}; table ${told.at + 1} of ${list.length}: click again for the next table)`;
      }
      for (let d = row.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
      for (const r of document.querySelectorAll("tr.found")) r.classList.remove("found");
      row.classList.remove("folded", "filtered");
      row.classList.add("found");
      row.scrollIntoView({ block: "center" });
      const back = row.cells[0].querySelector("a");
      if (back) back.focus({ preventScroll: true });
    };
    // A click on a part that represents several parts opens this part. A click on a single part scrolls to its row.
    const act = async (g) => {
      mark([g]);
      const inside = new Set(parts(g));
      if (!inside.size) { toRow(g.dataset.name); return; }
      const list = choices(shown.mapping), next = list[list.indexOf(shown.detail) + 1];
      if (!next) return;
      await draw(shown.mapping, next);
      const found = tags().filter((x) => x.classList.contains("node") &&
        (inside.has(x.dataset.name) || parts(x).some((p) => inside.has(p))));
      mark(found);
      look(found);
    };
    const find = (name) => tags().filter((g) => g.dataset.name === name);
    const show = async (name) => {
      for (let d of [shown.detail, ...FINER.slice().reverse()]) {
        if (!has(shown.mapping, d)) continue;
        if (d !== shown.detail) {
          await draw(shown.mapping, d);
        }
        const found = find(name);
        if (!found.length) continue;
        figure.scrollIntoView({ block: "center" });
        sheet.focus({ preventScroll: true });
        mark(found);
        look(found);
        return true;
      }
      return false;
    };

    figure.classList.add("live");
    figure.querySelector(".tools").hidden = false;
    measure();
    reset();
    offer();
    if (which) which.onchange = () => draw(which.value, shown.detail);
    detail.onchange = () => draw(shown.mapping, detail.value);
    const tools = { in: () => zoom(1.3), out: () => zoom(1 / 1.3), all };
    for (const b of figure.querySelectorAll("[data-do]")) b.onclick = tools[b.dataset.do];

    // One pointer moves, two zoom, and a click without a move selects.
    const held = new Map();
    let moved = false;
    sheet.addEventListener("pointerdown", (e) => { held.set(e.pointerId, e); if (held.size === 1) moved = false; });
    sheet.addEventListener("pointermove", (e) => {
      const was = held.get(e.pointerId);
      if (!was) { said.textContent = words(e.target.closest("g")) || hint; cut(); return; }
      const dx = e.clientX - was.clientX, dy = e.clientY - was.clientY;
      if (!moved && Math.hypot(dx, dy) < 5) return;
      if (!moved) { moved = true; sheet.classList.add("held"); sheet.setPointerCapture(e.pointerId); }
      if (held.size === 2) {
        const other = [...held.values()].find((p) => p.pointerId !== e.pointerId), box = sheet.getBoundingClientRect();
        const before = Math.hypot(was.clientX - other.clientX, was.clientY - other.clientY);
        const after = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
        if (before > 0 && after > 0) zoom(after / before, ((e.clientX + other.clientX) / 2 - box.left) / box.width,
          ((e.clientY + other.clientY) / 2 - box.top) / box.height);
        move(-dx / 2 / scale(), -dy / 2 / scale());
      } else {
        move(-dx / scale(), -dy / scale());
      }
      held.set(e.pointerId, e);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      sheet.addEventListener(end, (e) => { held.delete(e.pointerId); sheet.classList.remove("held"); });
    }
    sheet.addEventListener("click", (e) => {
      const g = e.target.closest("[data-name]");
      if (g && !moved) act(g);
      moved = false;
    });
    sheet.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      const box = sheet.getBoundingClientRect();
      zoom(Math.exp(-e.deltaY / 300), (e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
    }, { passive: false });
    const step = (by) => {
      const list = tags(), at = list.findIndex((g) => g === chosen);
      if (!list.length) return;
      const next = list[(at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by + list.length) % list.length];
      mark([next]);
      const b = next.getBBox();
      if (b.x < view.x || b.y < view.y || b.x + b.width > view.x + view.w || b.y + b.height > view.y + view.h) {
        move(b.x + b.width / 2 - view.x - view.w / 2, b.y + b.height / 2 - view.y - view.h / 2);
      }
    };
    const far = () => 60 / scale();
    const keys = {
      "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: all,
      ArrowLeft: () => move(-far(), 0), ArrowRight: () => move(far(), 0), ArrowUp: () => move(0, -far()),
      ArrowDown: () => move(0, far()), n: () => step(1), p: () => step(-1), Enter: () => chosen && act(chosen),
    };
    sheet.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
    addEventListener("resize", reset);
    addEventListener("beforeprint", () => svg.setAttribute("viewBox", `0 0 ${size.w} ${size.h}`));
    addEventListener("afterprint", apply);

    // A click on a row scrolls to the drawing. A click on the code of a mapping scrolls to its drawing.
    const known = new Set(tags().flatMap((g) => [g.dataset.name, ...parts(g)]));
    for (const [name, list] of rows) {
      if (!known.has(name) && !list.some((x) => x.order < ORDER.length)) continue;
      for (const { row, order } of list) {
        const cell = row.cells[0];
        if (cell.querySelector("a") || order === ORDER.length && !known.has(name)) continue;
        const link = document.createElement("a");
        link.className = "drawn";
        link.href = "#" + figure.id;
        link.title = "show this row in the drawing";
        link.append(...cell.childNodes);
        cell.append(link);
        link.onclick = (e) => { e.preventDefault(); show(name); };
      }
    }
    if (which) {
      for (const option of which.options) {
        const code = document.getElementById("candidate-" + (Number(option.value) + 1));
        if (!code || !code.querySelector("summary")) continue;
        const button = document.createElement("button");
        button.type = "button";
        button.className = "more";
        button.textContent = "draw this mapping";
        button.onclick = async () => { await draw(option.value, shown.detail); figure.scrollIntoView(); };
        code.querySelector("summary").after(button);
      }
    }
  };
  document.querySelectorAll("figure.drawing").forEach(start);
})();
