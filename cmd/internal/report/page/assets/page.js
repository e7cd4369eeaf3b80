"use strict";
(() => {
  // Footnotes also appear when the mouse is over their number.
  const noted = (a) => document.getElementById(decodeURIComponent(a.hash.slice(1)));
  for (const a of document.querySelectorAll("a.ref")) a.title = noted(a).textContent;
  // The text of a row, with its footnotes.
  const said = (item) => [item, ...[...item.querySelectorAll("a.ref")].map(noted)].map((e) => e.textContent).join(" ").toLowerCase();
  // A filter box: it hides list items that do not contain its text.
  const filtered = (list) => list.dataset.filter !== undefined && list.dataset.filter !== "";
  const addFilter = (before, list, name, items, then) => {
    const label = document.createElement("label"), box = document.createElement("input"), count = document.createElement("span");
    label.className = "filter";
    label.append("filter ", box, " ", count);
    box.type = "search";
    box.setAttribute("aria-label", `filter: ${name}`);
    count.setAttribute("role", "status");
    box.oninput = () => {
      const text = list.dataset.filter = box.value.trim().toLowerCase();
      let left = 0;
      for (const item of items()) {
        const hide = text !== "" && !said(item).includes(text);
        item.classList.toggle("filtered", hide);
        if (!hide) left++;
      }
      count.textContent = text === "" ? "" : `${left} of ${items().length}`;
      if (then) then();
    };
    before.before(label);
  };
  // A click on a heading sorts its table. Long tables are folded and have a filter.
  const SHOWN = 25, FILTERED = 12;
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0], rows = [...body.rows];
    const fold = () => {
      [...body.rows].forEach((r, i) => r.classList.toggle("folded", i >= SHOWN && !table.dataset.all && !filtered(table)));
    };
    if (rows.length > SHOWN + 5) {
      const more = document.createElement("button");
      more.type = "button";
      more.className = "more";
      more.textContent = `show all ${rows.length} rows`;
      more.onclick = () => {
        const first = body.rows[SHOWN];
        table.dataset.all = "1";
        fold();
        more.remove();
        first.tabIndex = -1;
        first.focus();
      };
      table.parentElement.after(more);
      fold();
    } else {
      table.dataset.all = "1";
    }
    const scroll = table.parentElement;
    if (rows.length >= FILTERED) addFilter(scroll, table, scroll.dataset.name, () => [...body.rows], fold);
    const key = (r, i) => {
      const c = r.cells[i];
      return c.dataset.v === undefined ? c.textContent : Number(c.dataset.v);
    };
    if (!table.tHead) continue;
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      const button = th.querySelector("button");
      if (button) button.onclick = () => {
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
    button.setAttribute("aria-live", "polite");
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
  // The code of many mappings is a list with its own filter.
  for (const section of document.querySelectorAll(".section")) {
    const codes = [...section.querySelectorAll("details.code")];
    if (codes.length === 0) continue;
    const list = document.createElement("div");
    list.className = "codes";
    codes[0].before(list);
    list.append(...codes.filter((c) => c.parentElement === list.parentElement));
    if (codes.length >= FILTERED) addFilter(list, section, "mappings", () => codes);
  }
  // Scrolling elements can be reached by keyboard.
  const reach = () => {
    for (const s of document.querySelectorAll(".scroll")) {
      const scrolls = s.scrollWidth > s.clientWidth || s.scrollHeight > s.clientHeight;
      if (scrolls) {
        const name = s.dataset.name || s.closest("figure, details").querySelector("h3, figcaption, summary").textContent;
        s.tabIndex = 0;
        s.setAttribute("role", "region");
        s.setAttribute("aria-label", `${name}, scrolls`);
        s.classList.add("scrolls");
      } else {
        for (const a of ["tabindex", "role", "aria-label"]) s.removeAttribute(a);
        s.classList.remove("scrolls");
      }
    }
  };
  reach();
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  // In print, only the code of mappings stays folded.
  const unfolded = [];
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details.table, details.warnings")) {
      if (!d.open) { d.open = true; unfolded.push(d); }
    }
  });
  addEventListener("afterprint", () => { for (const d of unfolded.splice(0)) d.open = false; });
  const open = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    if (target.tagName === "DETAILS") target.open = true;
    const folded = target.closest("tr.folded");
    if (folded) {
      const more = folded.closest("figure, details").querySelector(".more");
      if (more) more.click();
    }
    target.scrollIntoView();
  };
  // The table of contents covers the page. It closes after a click on a link, or on Escape.
  const contents = document.querySelector(".contents");
  contents.addEventListener("click", (e) => { if (e.target.closest("a")) contents.open = false; });
  contents.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !contents.open) return;
    contents.open = false;
    contents.firstElementChild.focus();
  });
  addEventListener("hashchange", () => open(decodeURIComponent(location.hash.slice(1))));
  if (location.hash) open(decodeURIComponent(location.hash.slice(1)));
})();
