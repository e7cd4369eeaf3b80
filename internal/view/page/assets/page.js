"use strict";
(() => {
  // Tables sort by a click, and long ones are folded.
  const SHOWN = 25;
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0], rows = [...body.rows];
    const fold = () => {
      [...body.rows].forEach((r, i) => r.classList.toggle("folded", i >= SHOWN && !table.dataset.all));
    };
    if (rows.length > SHOWN + 5) {
      const more = document.createElement("button");
      more.type = "button";
      more.className = "more";
      more.textContent = `show all ${rows.length} rows`;
      more.onclick = () => { table.dataset.all = "1"; fold(); more.remove(); };
      table.parentElement.after(more);
      fold();
    } else {
      table.dataset.all = "1";
    }
    const key = (r, i) => {
      const c = r.cells[i];
      return c.dataset.v === undefined ? c.textContent : Number(c.dataset.v);
    };
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      th.querySelector("button").onclick = () => {
        const up = th.getAttribute("aria-sort") !== "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const sorted = [...body.rows].sort((a, b) => {
          const x = key(a, i), y = key(b, i);
          const d = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
          return up ? d : -d;
        });
        body.append(...sorted);
        fold();
      };
    });
  }
  for (const button of document.querySelectorAll(".copy")) {
    button.onclick = async () => {
      const pre = button.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = "selected";
      }
    };
  }
  const open = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", () => open(decodeURIComponent(location.hash.slice(1))));
  if (location.hash) open(decodeURIComponent(location.hash.slice(1)));
  if (typeof echarts === "undefined") return;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const figures = [...document.querySelectorAll("figure.chart")];
  const draw = () => {
    for (const f of figures) {
      const plot = f.querySelector(".plot");
      const old = echarts.getInstanceByDom(plot);
      if (old) old.dispose();
      const chart = echarts.init(plot, dark.matches ? "dark" : null, { renderer: "svg" });
      const options = JSON.parse(f.querySelector(".options").textContent);
      options.backgroundColor = "transparent";
      chart.setOption(options);
      const links = JSON.parse(f.querySelector(".links").textContent) || [];
      chart.on("click", (p) => {
        const to = links[p.seriesIndex] && links[p.seriesIndex][p.dataIndex];
        if (to) { location.hash = to; open(to); }
      });
    }
  };
  draw();
  dark.addEventListener("change", draw);
  addEventListener("resize", () => figures.forEach((f) => echarts.getInstanceByDom(f.querySelector(".plot")).resize()));
  addEventListener("beforeprint", () => figures.forEach((f) => echarts.getInstanceByDom(f.querySelector(".plot")).resize()));
})();
