package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// at returns the window position of a chart's point, given by its axis values.
const at = `((id, x, y) => {
  const plot = document.querySelector("#" + id + " .plot");
  plot.scrollIntoView({ block: "center" });
  const p = echarts.getInstanceByDom(plot).convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [x, y]);
  const box = plot.getBoundingClientRect();
  return [box.left + p[0], box.top + p[1]];
})`

// tooltip returns the lines of a chart's tooltip.
const tooltip = `((id) => {
  const plot = document.querySelector("#" + id + " .plot");
  const over = (e) => getComputedStyle(e).position === "absolute" && e.innerText;
  const tip = [...plot.children].find((e) => e.tagName === "DIV" && over(e));
  return tip ? tip.innerText : "";
})`

// pointAt moves the mouse to a point of a series in a chart, and returns the tooltip.
func (b *tab) pointAt(c *report.Chart, series, point int) string {
	b.t.Helper()
	s := &c.Series[series]
	place := b.eval(fmt.Sprintf(at+`("%s", %g, %g)`, c.ID, s.X[point], s.Y[point])).([]any)
	b.point(place[0].(float64)-3, place[1].(float64))
	b.point(place[0].(float64), place[1].(float64))
	b.eval(`new Promise((f) => setTimeout(f, 300))`)
	return b.text(tooltip + `("` + c.ID + `")`)
}

// chartOf returns a chart of a result.
func chartOf(t *testing.T, path, id string) *report.Chart {
	t.Helper()
	r, err := result.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Of(r).Sections {
		for _, x := range s.Parts {
			if x.Chart != nil && x.Chart.ID == id {
				return x.Chart
			}
		}
	}
	t.Fatalf("%s has no chart %s", path, id)
	return nil
}

// TestCharts points at charts with the mouse. Tooltips show words and units, coinciding points show the names of all,
// and limits are labelled lines.
func TestCharts(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	dir := searched(t)
	result := filepath.Join(dir, "out", "pipes2.result.json")
	b := openTab(t, filepath.Join(dir, "out", "pipes2.html"), 1280, 900, "light")
	for _, c := range []struct {
		chart         string
		series, point int
		want          []string // in the tooltip
	}{
		// of a point: its name, then each axis with its unit
		{"pareto-buffers", 0, 0, []string{"mapping 1\n", "total of the recommended buffer sizes: ",
			"B\nthroughput: 5.16 MB/s"}},
		// of lines: where the mouse is, then each line with its unit
		{"whatif-1", 0, 5, []string{"bandwidth of PCIX: ", " MB/s\n", "mapping 1: ", "mapping 2: ", " MB/s"}},
		{"history", 0, 0, []string{"time: ", " s\n", "throughput: ", "B/s"}},
	} {
		x := chartOf(t, result, c.chart)
		got := b.pointAt(x, c.series, c.point)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s says %q, which lacks %q", c.chart, got, w)
			}
		}
	}
	shown := func(id string) string {
		return b.text(`[...document.querySelectorAll("#` + id + ` svg text")].map((e) => e.textContent).join("|")`)
	}
	// Mappings 3 and 4 need as many resources for as much.
	if got := "|" + shown("pareto-cores") + "|"; !strings.Contains(got, "|3 = 4|") {
		t.Errorf("the tie has no name: %s", got)
	}
	inside := b.text(`[...document.querySelectorAll("#pareto-cores svg text")].every((e) => {
const box = e.getBoundingClientRect(), all = e.closest("svg").getBoundingClientRect();
return box.left >= all.left && box.right <= all.right; })`)
	if inside != "true" {
		t.Error("a name of a point is cut off")
	}
	// Ceilings have a line at the throughput, and hatched bars.
	if got := shown("ceilings"); !strings.Contains(got, "fpga") {
		t.Errorf("no ceiling of the FPGA: %s", got)
	}
	dashed := b.text(`document.querySelectorAll("#ceilings svg path[stroke-dasharray]").length`)
	hatched := b.text(`document.querySelectorAll("#ceilings svg pattern").length > 0`)
	if dashed != "1" || hatched != "true" {
		t.Errorf("%s dashed lines, want 1; hatched: %s", dashed, hatched)
	}
}

// TestBuffersFit checks that the table of buffers fits a window of 1280 pixels, with one line per row. The reasons
// are below it, and a filter finds rows by them.
func TestBuffersFit(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	b := openTab(t, filepath.Join(searched(t), "out", "pipes2.html"), 1280, 900, "light")
	if got := b.text(`(() => { const s = document.querySelector("#buffers .scroll");
return s.scrollWidth - s.clientWidth; })()`); got != "0" {
		t.Errorf("the table is %s pixels wider than its room", got)
	}
	const rows = `[...document.querySelectorAll("#buffers tbody tr")]`
	if got := b.text(`Math.max(...` + rows + `.map((r) => r.offsetHeight)) < 40`); got != "true" {
		t.Error("a row has two lines")
	}
	b.eval(`(() => { const box = document.querySelector("#buffers .filter input"); box.value = "without a join";
box.oninput(); })()`)
	if got := b.text(rows + `.filter((r) => !r.classList.contains("filtered")).length`); got != "2" {
		t.Errorf("%s rows are left of the filter, want 2", got)
	}
}

// TestFrontDrawsItsMappings clicks the cheapest point of a front: the drawing shows its mapping.
func TestFrontDrawsItsMappings(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	dir := testkit.Files(t, nil)
	fig7, err := filepath.Abs("../../configs/examples/beard-fig7")
	if err != nil {
		t.Fatal(err)
	}
	xopt(t, dir, "search", fig7+"/app.x", fig7+"/arch.x", "--objective", "throughput,cores", "--report", "out")
	b := openTab(t, filepath.Join(dir, "out", "app.html"), 1280, 900, "light")
	c := chartOf(t, filepath.Join(dir, "out", "app.result.json"), "front")
	b.pointAt(c, 1, 0)
	place := b.eval(fmt.Sprintf(at+`("front", %g, %g)`, c.Series[1].X[0], c.Series[1].Y[0])).([]any)
	for _, event := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": event, "x": place[0], "y": place[1], "button": "left",
			"clickCount": 1})
	}
	b.eval(`new Promise((f) => setTimeout(f, 300))`)
	want := fmt.Sprint(c.Series[1].Mappings[0] - 1)
	if got := b.text(`document.querySelector("#mapping .sheet").dataset.mapping`); got != want || want == "0" {
		t.Errorf("mapping %s is drawn, want %s", got, want)
	}
}
