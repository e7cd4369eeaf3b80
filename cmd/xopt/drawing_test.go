package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// used acts on a page like a user, and writes the visible state into an element.
const used = `<script>
addEventListener("load", async () => {
  const out = [], say = (what, v) => out.push(what + "=" + v + ";");
  const wait = (ms) => new Promise((f) => setTimeout(f, ms));
  const until = async (holds) => {
    for (let i = 0; i < 60 && !holds(); i++) await wait(50);
    return holds();
  };
  const sheet = document.querySelector(".drawing .sheet"), svg = () => sheet.querySelector("svg");
  const click = (g) => g.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const press = (key) => sheet.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const wide = () => Number(svg().getAttribute("viewBox").split(" ")[2]);
  const left = () => Number(svg().getAttribute("viewBox").split(" ")[0]);
  say("nodes", svg().querySelectorAll(".node").length);
  say("first", sheet.dataset.detail);
  say("pixels", Math.round(11 * sheet.clientWidth / wide()));
  const before = wide();
  press("+");
  say("zoomed", wide() < before);
  const at = left();
  press("ArrowRight");
  say("moved", left() > at);
  const parts = svg().querySelector(".node[data-parts]");
  if (parts) {
    const was = sheet.dataset.detail;
    click(parts);
    say("opened", await until(() =>
      sheet.dataset.detail !== was && svg().querySelectorAll(".node.chosen").length > 0));
  } else {
    click(svg().querySelector(".node"));
    const row = document.querySelector("tr.found");
    say("row", row && row.closest("[id]").id + " " + row.cells[0].textContent);
    click(svg().querySelector(".link[data-name]"));
    const link = document.querySelector("tr.found");
    say("link", link && link.closest("[id]").id + " " + link.cells[0].textContent);
    click(document.querySelector("#kernels tbody tr:last-child a.drawn"));
    await until(() => svg().querySelector(".chosen"));
    const chosen = svg().querySelector(".chosen");
    say("back", chosen && chosen.dataset.name);
  }
  const which = document.querySelector(".drawing .which");
  if (which) {
    which.value = "1";
    which.onchange();
    await until(() => sheet.dataset.mapping === "1");
    say("second", sheet.dataset.mapping + " " + svg().getAttribute("aria-label"));
  }
  const pre = document.createElement("pre");
  pre.id = "used";
  pre.textContent = out.join(" ");
  document.body.append(pre);
});
</script>`

// clicked clicks three times on a kernel of an FPGA, and records the tables that this leads to.
const clicked = `<script>
addEventListener("load", () => {
  const out = [], kernel = document.querySelector('.drawing .node[data-name="top.queens[1]"]');
  for (let i = 0; i < 3; i++) {
    kernel.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const row = document.querySelector("tr.found");
    out.push(row.closest("[id]").id + " " + row.cells[0].textContent);
  }
  out.push(document.querySelector(".drawing .said").textContent);
  const pre = document.createElement("pre");
  pre.id = "used";
  pre.textContent = out.join("; ");
  document.body.append(pre);
});
</script>`

// TestDrawingOfRun checks that clicks on a kernel on an FPGA lead to its measurements, one table after the other: its
// row among kernels, its cycles, its states.
func TestDrawingOfRun(t *testing.T) {
	testkit.Long(t, "it opens a browser, and builds a simulation")
	testkit.Tools(t, "verilator", "g++", "cc")
	t.Parallel()
	dir := testkit.Files(t, nil)
	xopt(t, dir, "examples", "queens")
	xopt(t, dir, "deploy", "queens/app.x", "queens/hybrid.x", "queens/hardware.x", "--set", "top.n=6", "--elements",
		"36", "--report", "out")
	pages, err := filepath.Glob(filepath.Join(dir, "out", "*.html"))
	if err != nil || len(pages) != 1 {
		t.Fatalf("%v, %v", pages, err)
	}
	found := usedPage(t, pages[0], clicked)
	for _, want := range []string{"run-kernels top.queens[1]; run-cycles top.queens[1]; run-states top.queens[1]; ",
		"States of kernels on FPGAs; table 3 of "} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in %s", want, found)
		}
	}
}

// usedPage returns the results of a script in a page.
func usedPage(t *testing.T, page, script string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, append(text, script...), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := opened(t, page)
	_, after, ok := strings.Cut(dom, `<pre id="used">`)
	if !ok {
		t.Fatal("the script did not come to its end")
	}
	found, _, _ := strings.Cut(after, "</pre>")
	return found
}

// searched returns a folder in which out contains the page and the result of a search for veritas with two pipes.
func searched(t *testing.T) string {
	t.Helper()
	configs, err := filepath.Abs("../../configs/examples/gayen-veritas")
	if err != nil {
		t.Fatal(err)
	}
	dir := testkit.Files(t, nil)
	xopt(t, dir, "search", configs+"/pipes2.x", configs+"/arch_slow.x", "--time", "2m", "--report", "out")
	return dir
}

// TestDrawing uses the drawing of a page in a browser. It zooms and moves, a kernel and a link lead to their rows, a
// row leads back, and another mapping is drawn.
func TestDrawing(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	dir := searched(t)
	found := usedPage(t, filepath.Join(dir, "out", "pipes2.html"), used)
	for _, want := range []string{"nodes=18;", "first=kernels;", "zoomed=true;", "moved=true;",
		"row=kernels top.read;", "link=resources PCIX;", "back=top.out;",
		"second=1 Placement and load, predicted, mapping 2;"} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in %s", want, found)
		}
	}
}

// TestDrawingOfManyKernels checks that a thousand kernels are drawn as few boxes at first, which open by a click.
// Every mapping can be drawn, and the page is below 5 MB.
func TestDrawingOfManyKernels(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	app, arch := pipelineX(1000)
	dir := testkit.Files(t, map[string]string{"app.x": app, "arch.x": arch})
	xopt(t, dir, "search", "app.x", "arch.x", "--top", "2", "--evals", "2000", "--report", "out")
	page := filepath.Join(dir, "out", "app.html")
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 5e6 {
		t.Errorf("%d bytes", info.Size())
	}
	found := usedPage(t, page, used)
	for _, want := range []string{"first=blocks;", "zoomed=true;", "moved=true;", "opened=true;", "second=1 "} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in %s", want, found)
		}
	}
	t.Logf("%d bytes; %s", info.Size(), found)
}
