"use strict";
(() => {
  if (typeof echarts === "undefined") return;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const figures = [...document.querySelectorAll("figure.chart")];
  const escape = (s) => String(s).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const digits = (v) => {
    if (typeof v !== "number") return String(v);
    const a = Math.abs(v);
    if (a !== 0 && (a >= 1e9 || a < 1e-4)) return Number(v.toPrecision(3)).toString();
    const decimals = a === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(a)));
    return decimals ? v.toFixed(decimals).replace(/\.?0+$/, "") : v.toFixed(0);
  };
  const quantity = (v, axis) => digits(v) + (axis.unit && typeof v === "number" ? " " + axis.unit : "");
  // The tooltip of a point: its name, then each axis with its unit.
  const words = (said, categories) => (p) => {
    if (p.componentType !== "series") return escape(p.name);
    const s = said.series[p.seriesIndex];
    const head = `<strong>${escape(p.name && !categories ? p.name : p.seriesName)}</strong>`;
    const line = (name, value) => `<br>${escape(name)}: ${escape(value)}`;
    if (s && s.kind === "spans") return head + line(said.x.name, `${quantity(p.value[0], said.x)} to ${quantity(p.value[2], said.x)}`);
    if (s && s.kind === "boxes") {
      const [, low, q1, median, q3, high] = p.value;
      return `<strong>${escape(p.name)}</strong>` + [["highest whisker", high], ["upper quartile", q3], ["median", median], ["lower quartile", q1], ["lowest whisker", low]]
        .map(([n, v]) => line(n, quantity(v, said.y))).join("");
    }
    if (!Array.isArray(p.value)) return head + line(said.x.name, p.name) + line(said.y.name, quantity(p.value, said.y));
    const x = categories ? p.name : quantity(p.value[0], said.x);
    return head + line(said.x.name, x) + line(said.y.name, quantity(p.value[1], said.y));
  };
  // The tooltip of all lines at the mouse position: highlighted lines first, then the remaining lines by value.
  const LISTED = 10;
  const listed = (said, categories) => (list) => {
    const points = list.filter((p) => said.series[p.seriesIndex] && Array.isArray(p.value));
    if (points.length === 0) return "";
    const faint = (p) => (said.series[p.seriesIndex].faint ? 1 : 0);
    points.sort((a, b) => faint(a) - faint(b) || (faint(a) ? b.value[1] - a.value[1] : a.seriesIndex - b.seriesIndex));
    const at = categories ? points[0].name : quantity(points[0].value[0], said.x);
    const one = (p) => `<br>${p.marker}${escape(said.series.length === 1 ? said.y.name : p.seriesName)}: ${escape(quantity(p.value[1], said.y))}`;
    const more = points.length > LISTED ? `<br>and ${points.length - LISTED} more` : "";
    return `<strong>${escape(said.x.name)}: ${escape(at)}</strong>` + points.slice(0, LISTED).map(one).join("") + more;
  };
  const LABELLED = 12; // maximum number of points with names beside them
  // Each series has its colour, dashes and symbol. Other elements have the text colour.
  const style = (options, said, ink, soft, ground) => {
    const count = options.series.reduce((n, s, i) => n + (said.series[i] && said.series[i].colors ? s.data.length : 0), 0);
    const stairs = said.series.some((s) => s.kind === "steps"); // names are beside the lines, not on them
    // Names of points in the right half are left of them, so that they are not cut off.
    const at = options.series.flatMap((s) => (s.data || []).map((d) => (Array.isArray(d.value) ? d.value[0] : 0)));
    const middle = (Math.min(...at) + Math.max(...at)) / 2;
    const right = (v) => v > middle;
    options.series.forEach((s, i) => {
      const x = said.series[i];
      if (!x) { // the diagonal
        s.lineStyle = { color: ink, type: "dashed", width: 1 };
        s.itemStyle = { color: ink };
        return;
      }
      const color = x.color || ink;
      s.itemStyle = { color };
      s.emphasis = { focus: "series" };
      switch (x.kind) {
      case "line": case "steps":
        s.lineStyle = { color, width: 2, type: x.dashes || "solid" };
        s.symbol = x.symbol;
        // The first series, which is the best, is on top. Dashed lines are above solid lines, which stay visible in
        // the gaps.
        s.z = 10 - i + (x.dashes ? options.series.length : 0);
        if (x.faint) {
          s.lineStyle = { color, width: 1, opacity: 0.7 };
          s.showSymbol = false;
          s.z = 1;
        } else if (i < 8) s.z += 5;
        break;
      case "area": // the area between the second and the third number of each point
        Object.assign(s, { type: "custom", encode: { x: 0, y: [1, 2] }, silent: true, clip: true, z: 0, itemStyle: { color, opacity: 0.25 } });
        s.renderItem = (p, api) => {
          if (p.dataIndex > 0) return null;
          const at = (j) => s.data.map((d) => api.coord([d.value[0], d.value[j]]));
          return { type: "polygon", shape: { points: [...at(1), ...at(2).reverse()] }, style: api.style() };
        };
        break;
      case "spans": // horizontal bars from the first to the third number, in the row of the second
        Object.assign(s, { type: "custom", encode: { x: [0, 2], y: 1 }, clip: true, itemStyle: { color } });
        s.renderItem = (p, api) => {
          const [x, y] = api.coord([api.value(0), api.value(1)]), height = api.size([0, 1])[1] * 0.7;
          return { type: "rect", shape: { x, y: y - height / 2, width: Math.max(0.5, api.coord([api.value(2), 0])[0] - x), height }, style: api.style() };
        };
        break;
      case "boxes":
        s.itemStyle = { color: "transparent", borderColor: ink, borderWidth: 1.2 };
        break;
      case "bars":
        s.itemStyle = { color, borderColor: ink, borderWidth: 0.5, decal: { symbol: "none" } };
        if (said.series.some((o) => o.hatch)) {
          s.stack = "bars";
          options.aria = { enabled: true, label: { enabled: false }, decal: { show: true } };
        }
        if (x.hatch) Object.assign(s.itemStyle, { color: ground, decal: { symbol: "rect", color, dashArrayX: [1, 0], dashArrayY: [3, 4], rotation: -Math.PI / 4 } });
        break;
      default:
        s.symbol = x.symbol;
        if (x.kind === "markers") s.z = 100;
        if (x.colors && x.kind !== "markers") s.itemStyle = { color: soft };
        if (x.colors && count <= LABELLED) s.label = { show: true, position: "right", color: ink, formatter: (p) => p.name.replace(/^mappings? /, "") };
        if (s.label) s.labelLayout = (p) => ({ moveOverlap: "shiftY", dy: stairs ? (right(s.data[p.dataIndex].value[0]) ? -10 : 10) : 0 });
        if (s.label) s.data.forEach((d) => { if (right(d.value[0])) d.label = { position: "left" }; });
        if (x.colors) s.data.forEach((d, j) => { d.itemStyle = { color: x.colors[j], borderColor: x.kind === "markers" ? ink : ground, borderWidth: 1 }; });
      }
    });
    if (said.bands && options.series.length > 0) {
      const label = { show: said.bands.length <= LABELLED, color: ink, position: "insideTop" };
      options.series[0].markArea = {
        silent: true, animation: false, label,
        data: said.bands.map((b) => [{ name: b.name, xAxis: b.from, itemStyle: { color: b.color, opacity: 0.13 } }, { xAxis: b.to }]),
      };
    }
    if (said.limits && options.series.length > 0) {
      options.series[0].markLine = {
        silent: true, symbol: "none", animation: false,
        lineStyle: { color: ink, type: [6, 3], width: 1.2 },
        label: { formatter: "{b}", color: ink, backgroundColor: ground, padding: [1, 3], position: "insideStartTop", distance: [4, 4] },
        data: said.limits.map((l) => ({ name: l.name, [l.vertical ? "xAxis" : "yAxis"]: l.value })),
      };
      for (const l of said.limits) { // the line is inside the axes
        const axis = options[l.vertical ? "xAxis" : "yAxis"][0];
        if (axis.type === "value" && axis.max === undefined) axis.max = (e) => (l.value > e.max ? Number((l.value * 1.02).toPrecision(3)) : null);
      }
    }
  };
  const axis = (a, ink, soft, grid) => {
    a.axisLine = { show: true, lineStyle: { color: soft } };
    a.axisTick = { show: true };
    a.splitLine = { show: a.type !== "category", lineStyle: { color: grid } };
    a.axisLabel = Object.assign({ color: ink, hideOverlap: true }, a.axisLabel);
    if (a.data && a.name === "") Object.assign(a.axisLabel, { interval: 0, width: Math.min(220, innerWidth / 3), overflow: "truncate" });
    if (a.type !== "category") a.axisLabel.formatter = (v) => digits(v);
    a.nameTextStyle = { color: ink };
  };
  const draw = (isDark) => {
    const [ink, soft, grid, ground] = isDark ? ["#e3e8ed", "#9aa7b3", "#34404b", "#14191e"] : ["#1d2630", "#5b6874", "#d9e0e6", "#ffffff"];
    for (const f of figures) {
      const plot = f.querySelector(".plot");
      const old = echarts.getInstanceByDom(plot);
      if (old) old.dispose();
      const chart = echarts.init(plot, null, { renderer: "svg" });
      const options = JSON.parse(f.querySelector(".options").textContent);
      const said = JSON.parse(f.querySelector(".said").textContent);
      options.backgroundColor = "transparent";
      options.xAxis.forEach((a) => axis(a, ink, soft, grid));
      options.yAxis.forEach((a) => { axis(a, ink, soft, grid); a.nameTextStyle.align = "left"; });
      Object.assign(options.legend, { textStyle: { color: ink }, pageTextStyle: { color: ink }, pageIconColor: ink, pageIconInactiveColor: soft, itemWidth: said.series.some((x) => x.kind === "line" || x.kind === "steps") ? 30 : 14, left: 0 });
      const categories = options.xAxis[0].type === "category";
      Object.assign(options.tooltip, { formatter: (options.tooltip.trigger === "axis" ? listed : words)(said, categories), confine: true, backgroundColor: ground, borderColor: soft, textStyle: { color: ink } });
      style(options, said, ink, soft, ground);
      chart.setOption(options);
      chart.on("click", (p) => {
        const links = said.series[p.seriesIndex] && said.series[p.seriesIndex].links;
        const link = links && links[p.dataIndex], which = document.querySelector("select.which");
        if (link && which && link.startsWith("candidate-")) { // draw the mapping
          which.value = Number(link.slice("candidate-".length)) - 1;
          which.onchange();
          which.closest("figure").scrollIntoView();
        } else if (link) location.hash = link;
      });
    }
  };
  draw(dark.matches);
  dark.addEventListener("change", () => draw(dark.matches));
  addEventListener("resize", () => figures.forEach((f) => echarts.getInstanceByDom(f.querySelector(".plot")).resize()));
  // Paper is white, and narrower or wider than the window: the charts scale instead of being cut off.
  addEventListener("beforeprint", () => {
    if (dark.matches) draw(false);
    for (const f of figures) {
      const svg = f.querySelector(".plot svg");
      if (svg) svg.setAttribute("viewBox", `0 0 ${parseFloat(svg.getAttribute("width"))} ${parseFloat(svg.getAttribute("height"))}`);
    }
  });
  addEventListener("afterprint", () => { if (dark.matches) draw(true); });
})();
