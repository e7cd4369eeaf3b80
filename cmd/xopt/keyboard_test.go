package main

import (
	"path/filepath"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// reachable marks and counts the elements that a user can click: visible controls and links, and other elements in
// the focus order.
const reachable = `(() => {
  let n = 0;
  for (const e of document.querySelectorAll("a[href], button, input, select, summary, pre, [tabindex='0']")) {
    if (e.closest("details:not([open])") && e.closest("details:not([open])").firstElementChild !== e) continue;
    if (e.checkVisibility({ visibilityProperty: true }) && !e.disabled) { e.dataset.wanted = ""; n++; }
  }
  return n;
})()`

// focused marks the focused element as reached, and returns what is wrong with it.
const focused = `(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return "end";
  const again = e.dataset.reached !== undefined;
  e.dataset.reached = "";
  if (again) return "end";
  const s = getComputedStyle(e), box = e.getBoundingClientRect();
  const name = e.outerHTML.slice(0, 120);
  if (!e.matches(":focus-visible") || s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2)
    return "no outline: " + name;
  if (box.width === 0 || box.bottom <= 0 || box.top >= innerHeight) return "not in the window: " + name;
  const header = document.querySelector("header");
  if (!header.contains(e) && box.top > 0 && box.bottom <= header.getBoundingClientRect().bottom && !e.matches(".skip"))
    return "behind the header: " + name;
  return "";
})()`

// TestTabWalk walks through a page with the Tab key. It must reach every control and link, each with a visible
// outline and in the window.
func TestTabWalk(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	dir := searched(t)
	for _, scheme := range []string{"light", "dark"} {
		b := openTab(t, filepath.Join(dir, "out", "pipes2.html"), 1280, 900, scheme)
		want := int(b.eval(reachable).(float64))
		const tab, maximum = 9, 2000
		wrong := 0
		for range maximum {
			b.pressKey("Tab", tab)
			output := b.text(focused)
			if output == "end" {
				break
			}
			if output != "" && wrong < 5 {
				t.Errorf("%s: %s", scheme, output)
				wrong++
			}
		}
		missed := b.text(`[...document.querySelectorAll("[data-wanted]:not([data-reached])")]
			.map((e) => e.outerHTML.slice(0, 120)).join("\n")`)
		if missed != "" {
			t.Errorf("%s: not reached by Tab: %s", scheme, missed)
		}
		if want < 50 {
			t.Errorf("%d controls and links", want)
		}
		t.Logf("%s: %d controls and links", scheme, want)
		// Enter on a name in a row leads to its box in the drawing.
		b.eval(`document.querySelector("#kernels a.drawn").focus()`)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "Enter", "code": "Enter",
			"text":                  "\r",
			"windowsVirtualKeyCode": 13})
		if got := b.text(`document.querySelector(".drawing .chosen")?.dataset.name`); !strings.HasPrefix(got, "top.") {
			t.Errorf("%s: Enter on the first kernel chooses %q", scheme, got)
		}
		// The drawing has no violations while its tools are in use: a part is selected, another mapping is drawn.
		b.eval(`(() => { const w = document.querySelector(".drawing .which"); w.value = "1"; w.onchange(); })()`)
		b.eval(axe)
		found := b.text(`axe.run("figure.drawing").then((r) => r.violations
			.filter((v) => v.impact === "serious" || v.impact === "critical")
			.map((v) => v.id + ": " + v.nodes[0].html.slice(0, 200)).join("\n"))`)
		if found != "" {
			t.Errorf("%s: axe-core finds in the drawing: %s", scheme, found)
		}
	}
}
