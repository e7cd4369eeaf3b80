package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/page"
	"xopt/internal/testkit"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// pipelineX returns an application with a chain of kernels with random figures, on twelve cores and two FPGAs.
func pipelineX(kernels int) (app, arch string) {
	random := rand.New(rand.NewPCG(1, uint64(kernels)))
	var b strings.Builder
	b.WriteString("block Source { output UNSIGNED8[64] y; };\nblock Sink { input UNSIGNED8[64] x; };\n")
	for i := range kernels - 2 {
		fmt.Fprintf(&b, "block K%d { input UNSIGNED8[64] x; output UNSIGNED8[64] y; };\n", i)
	}
	b.WriteString("block top {\n    Source source; Sink sink;\n")
	for i := range kernels - 2 {
		fmt.Fprintf(&b, "    K%d k%d;\n", i, i)
	}
	b.WriteString("    e0: source -> k0;\n")
	for i := range kernels - 3 {
		fmt.Fprintf(&b, "    e%d: k%d -> k%d;\n", i+1, i, i+1)
	}
	fmt.Fprintf(&b, "    last: k%d -> sink;\n};\nuse top;\nplatform C { impl Source; impl Sink; ", kernels-3)
	for i := range kernels - 2 {
		fmt.Fprintf(&b, "impl K%d; ", i)
	}
	b.WriteString("};\nplatform HDL { ")
	for i := range kernels - 2 {
		if i%3 == 0 {
			fmt.Fprintf(&b, "impl K%d; ", i)
		}
	}
	b.WriteString("};\nimpl Source on C (mu=\"2GB/s\", from=\"assumed\");\n" +
		"impl Sink on C (mu=\"2GB/s\", from=\"assumed\");\n")
	for i := range kernels - 2 {
		fmt.Fprintf(&b, "impl K%d on C (mu=\"%dMB/s\", gain=1, from=\"assumed\");\n", i, 50+random.IntN(900))
		if i%3 == 0 {
			fmt.Fprintf(&b, "impl K%d on HDL (mu=\"%dMB/s\", gain=1, lut=%d, from=\"assumed\");\n", i,
				200+random.IntN(900), 1000+random.IntN(9000))
		}
	}
	return b.String(), `#include "std.x"
resource proc[12] is C;
resource fpga[2] is HDL (lut=50000);
resource mem is memory ({ proc }, bandwidth="10GB/s", from="assumed");
resource PCI is bus ({ proc, fpga }, bandwidth="2GB/s", from="assumed");
`
}

// xopt runs the program in a folder.
func xopt(t testing.TB, dir string, args ...string) {
	t.Helper()
	if out, err := asXopt(t, dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("xopt %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// opened returns a page after its scripts have run in headless Chromium.
func opened(t *testing.T, path string) string {
	t.Helper()
	chromium := testkit.Tool(t, "chromium", "chromium")
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=12000", "--enable-logging=stderr", "--dump-dom", "file://"+path)
	var dom, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &dom, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console says: %s", line)
		}
	}
	return dom.String()
}

// TestPages opens pages in a browser: of a search, of a run, and of an application with 80 kernels and a hundred
// candidates. There are no console errors, charts and drawing are present, and the headline is that of the result
// file.
func TestPages(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	configs, err := filepath.Abs("../../configs/examples")
	if err != nil {
		t.Fatal(err)
	}
	bench, err := filepath.Abs("../../bench/apps")
	if err != nil {
		t.Fatal(err)
	}
	app, arch := pipelineX(80)
	for _, c := range []struct {
		name  string
		args  []string // without --report
		size  int      // maximum, in bytes
		times int      // how often each candidate is repeated, because sizing one takes a second
	}{
		{"veritas", []string{"search", configs + "/gayen-veritas/pipes2.x", configs + "/gayen-veritas/arch_slow.x",
			"--top", "2"}, 2e6, 1},
		{"jpeg", []string{"search", configs + "/beard-jpeg/app.x", configs + "/beard-jpeg/arch.x", "--evals", "20000"},
			2e6, 1},
		{"jpegrun", []string{"deploy", bench + "/jpeg/app.x", bench + "/jpeg/arch.x", bench + "/jpeg/map.x",
			"--elements", "60", "--frame", "20ms"}, 5e6, 1},
		{"des", []string{"deploy", bench + "/des/app.x", bench + "/des/arch.x", bench + "/des/map.x", "--elements",
			"100000"}, 5e6, 1},
		{"synthetic", []string{"search", "app.x", "arch.x", "--top", "2", "--evals", "20000"}, 5e6, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := testkit.Files(t, map[string]string{"app.x": app, "arch.x": arch})
			xopt(t, dir, append(c.args, "--report", "out")...)
			pages, err := filepath.Glob(filepath.Join(dir, "out", "*.html"))
			if err != nil || len(pages) != 1 {
				t.Fatal(pages, err)
			}
			r := repeated(t, dir, pages[0], c.times)
			info, err := os.Stat(pages[0])
			if err != nil || info.Size() > int64(c.size) {
				t.Errorf("%d bytes, want %d at the most: %v", info.Size(), c.size, err)
			}
			dom := opened(t, pages[0])
			accessible(t, pages[0])
			printed(t, pages[0], dom)
			var want []string
			if r.Measured != nil {
				want = append(want, report.RunThroughput(r.Measured))
			}
			if len(r.Candidates) > 0 {
				best := &r.Candidates[0]
				want = append(want, units.Rate(float64(best.Throughput)), report.LimitNames(best.Bottlenecks, 0))
				if w := report.Basis(best); !strings.Contains(dom, html.EscapeString(w)+"<") { // buffers may precede it
					t.Errorf("the page does not say %q", w)
				}
			}
			for _, w := range want {
				if !strings.Contains(dom, ">"+html.EscapeString(w)+"<") {
					t.Errorf("the page does not say %q", w)
				}
			}
			charts := chartsOf(r)
			if got := strings.Count(dom, "_echarts_instance_="); got != charts || charts == 0 {
				t.Errorf("%d charts are drawn, want %d", got, charts)
			}
			if !strings.Contains(dom, "<svg") || !strings.Contains(dom, `class="node"`) {
				t.Error("the mapping is not drawn")
			}
			if c.times > 1 && (len(r.Candidates) < 100 || strings.Count(dom, `id="candidate-`) < 100) {
				t.Error("candidates are missing")
			}
		})
	}
}

// repeated returns the result of a page. With times above 1 it repeats the candidates, and writes the page again.
func repeated(t *testing.T, dir, page string, times int) *result.Result {
	t.Helper()
	path := strings.TrimSuffix(page, ".html") + ".result.json"
	r, err := result.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if times == 1 {
		return r
	}
	few := r.Candidates
	for n := len(few); n < times*len(few); n++ {
		c := few[n%len(few)]
		c.Name = fmt.Sprint(n + 1)
		r.Candidates = append(r.Candidates, c)
	}
	var text bytes.Buffer
	if err := r.Encode(&text); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text.String())
	xopt(t, dir, "report", path, "-o", page)
	return r
}

// chartsOf returns the number of charts on the page of a result.
func chartsOf(r *result.Result) (charts int) {
	for _, s := range report.Of(r).Sections {
		for _, x := range s.Parts {
			if x.Chart != nil {
				charts++
			}
		}
	}
	return charts
}

// BenchmarkPage writes the page of 80 kernels and a hundred candidates.
func BenchmarkPage(b *testing.B) {
	app, arch := pipelineX(80)
	dir := testkit.Files(b, map[string]string{"app.x": app, "arch.x": arch})
	xopt(b, dir, "search", "app.x", "arch.x", "--top", "100", "--evals", "100000")
	r, err := result.ReadFile(filepath.Join(dir, "app.result.json"))
	if err != nil || len(r.Candidates) != 100 {
		b.Fatal(len(r.Candidates), err)
	}
	for b.Loop() {
		var out counter
		if err := page.Write(&out, report.Of(r), ""); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out)/1e6, "MB")
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)
