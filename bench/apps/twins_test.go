package apps_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// twin is a kernel in C and in Verilog.
type twin struct {
	dir, block string
	set        map[string]string // configs of the block
	fixed      string            // an input that consumes only one element
	files      []string          // nil for app.x and arch.x
	slow       bool              // it needs more cycles than it has words
	narrow     bool              // its 32-bit samples have 24 bits, as its block specifies
}

// TestTwins sends the same random data to kernels in Verilog and in C. Their outputs must be the same bytes, whatever
// stalls there are at any port.
func TestTwins(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	fixed := []string{"fixed.x", "arch.x"}
	for _, x := range []twin{
		{dir: "jpeg", block: "RGB2YCbCr"}, {dir: "jpeg", block: "DCT"}, {dir: "jpeg", block: "ZigZag"},
		{dir: "jpeg", block: "Quantize"}, {dir: "jpeg", block: "Quantize", set: map[string]string{"quality": "13",
			"chroma": "1"}},
		{dir: "jpeg", block: "Quantize", set: map[string]string{"quality": "100"}},
		{dir: "des", block: "Initial"}, {dir: "des", block: "Round", fixed: "k"}, {dir: "des", block: "Final"},
		{dir: "test1", block: "HALF"}, {dir: "iir", block: "Damp", narrow: true},
		{dir: "blastn", block: "Bloom", fixed: "f", slow: true},
		{dir: "veritas", block: "Convert", files: fixed, slow: true}, {dir: "veritas", block: "ZeroPad", files: fixed},
		{dir: "veritas", block: "CoreFFT", files: fixed, slow: true},
		{dir: "veritas", block: "LowPass", files: fixed}, {dir: "veritas", block: "CoreIFFT", files: fixed, slow: true},
		{dir: "veritas", block: "Chopper", files: fixed},
	} {
		t.Run(x.block+fmt.Sprint(len(x.set), x.set["quality"]), func(t *testing.T) {
			t.Parallel()
			if x.block != "HALF" && x.block != "ZigZag" && x.block != "Round" {
				testkit.Long(t, "it compiles a simulation of each kernel")
			}
			x.compare(t, cache)
		})
	}
}

// twinElements is the number of elements that each kernel consumes.
const twinElements = 300

func (x twin) compare(t *testing.T, cache *rtl.Cache) {
	dir := t.TempDir()
	d, k := x.program(t, dir)
	kernel := &d.Program.Kernels[k]
	prog, err := program.New(context.Background(), d, program.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Well(context.Background(), prog, run.Options{})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil || m.Failure != nil {
		t.Fatal(err, m)
	}
	fpga := xsim.AnyFPGA()
	module, err := fpga.Open(context.Background(), cache, d.Program, k)
	if err != nil {
		t.Fatal(err)
	}
	simulation, err := cache.Simulate(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	for seed, stall := range []float64{0, 0.5, 0.9, 0.1} {
		var feeds []rtl.Feed
		for _, p := range kernel.Inputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Input: true, Element: int(p.ElementBytes),
				File: filepath.Join(dir, p.Name), Stall: stall})
		}
		for i, p := range kernel.Outputs {
			feeds = append(feeds, rtl.Feed{Port: p.Name, Element: int(p.ElementBytes), File: filepath.Join(dir,
				p.Name+".out"), Stall: stall * float64(i+1) / float64(len(kernel.Outputs))})
		}
		r, err := simulation.Run(context.Background(), feeds, rtl.Options{Once: true, Seed: uint64(seed + 1),
			Quiet: 5000})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Streams {
			if s.Input {
				continue
			}
			want, err := os.ReadFile(filepath.Join(dir, s.Name+".out"))
			if err != nil {
				t.Fatal(err)
			}
			element := kernel.Outputs[slices.IndexFunc(kernel.Outputs,
				func(p xlang.Port) bool { return p.Name == s.Name })].ElementBytes
			if s.Wrong || s.Compared != uint64(len(want)) || len(want) == 0 ||
				s.Elements*uint64(element) != s.Compared {
				t.Errorf("with stalls in %g of the cycles, %s: %d elements, %d of %d bytes are equal", stall, s.Name,
					s.Elements, s.Compared, len(want))
			}
		}
		if stall == 0 && !x.slow { // a word of the widest stream in every cycle, except for filling the pipeline
			words := uint64(0)
			for _, s := range r.Streams {
				words = max(words, s.Words)
			}
			if r.LastMove > words+300 {
				t.Errorf("%d words took %d cycles", words, r.LastMove)
			}
		}
	}
}

// program returns a design with the block between sources that send random data and sinks that write their
// inputs, all in C. The data are in files named after the ports.
func (x twin) program(t *testing.T, dir string) (*design.Design, int) {
	app := apptest.App{Dir: x.dir, Files: x.files}.Load(t, "")
	var block *xlang.Kernel
	for i := range app.Program.Kernels {
		if app.Program.Kernels[i].Block == x.block {
			block = &app.Program.Kernels[i]
			break
		}
	}
	random := rand.New(rand.NewPCG(7, uint64(len(x.block))))
	out := &xlang.Program{Top: "top", Platforms: app.Program.Platforms, Linktypes: app.Program.Linktypes,
		Resources: app.Program.Resources[:1], Impls: app.Program.Impls}
	under := *block
	under.Name, under.Config = "top.kernel", xlang.Values{}
	for name, v := range block.Config {
		if text, ok := x.set[name]; ok {
			v.Text = text
			if _, err := fmt.Sscan(text, &v.Number); err != nil {
				t.Fatal(err)
			}
		}
		under.Config[name] = v
	}
	out.Kernels = []xlang.Kernel{under}
	add := func(code string, port xlang.Port, file string) int {
		name := fmt.Sprintf("Port%d", len(out.Kernels))
		text := strings.NewReplacer("BLOCK", name, "SIZE", fmt.Sprint(int(port.ElementBytes))).Replace(code)
		path := filepath.Join(dir, name+".c")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		port.Name = "p"
		k := xlang.Kernel{Name: "top." + strings.ToLower(name), Block: name,
			Config: xlang.Values{"file": {Text: file, Quoted: true, Type: "STRING"}}}
		if strings.Contains(code, "_go(") {
			k.Outputs = []xlang.Port{port}
		} else {
			k.Inputs = []xlang.Port{port}
		}
		out.Kernels = append(out.Kernels, k)
		out.Impls = append(out.Impls, xlang.Impl{Block: name, Platform: "C",
			Attrs: xlang.Values{"src": {Text: path, Quoted: true}}, Dir: dir})
		return len(out.Kernels) - 1
	}
	for i, p := range block.Inputs {
		data := make([]byte, twinElements*int(p.ElementBytes))
		if p.Name == x.fixed {
			data = data[:int(p.ElementBytes)]
		}
		for j := range data {
			data[j] = byte(random.Uint32())
		}
		for j := 3; x.narrow && j < len(data); j += 4 {
			data[j] = byte(int8(data[j-1]) >> 7) // the sign
		}
		path := filepath.Join(dir, p.Name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		out.Edges = append(out.Edges, xlang.Edge{Name: p.Name, From: add(fileSource, p, path), To: 0, ToPort: i})
	}
	for i, p := range block.Outputs {
		out.Edges = append(out.Edges, xlang.Edge{Name: p.Name + ".out", From: 0, FromPort: i,
			To: add(fileSink, p, filepath.Join(dir, p.Name+".out"))})
	}
	for k := range out.Kernels {
		out.Maps = append(out.Maps, xlang.Map{Kernel: k, Edge: -1})
	}
	d, err := design.New(out, design.Options{Purpose: design.ForCheck})
	if err != nil {
		t.Fatal(err)
	}
	return d, 0
}

const fileSource = `#include <stdio.h>
#include "X_BLOCK.h"
void X_BLOCK_init(X_BLOCK *d) { if (!(d->state = fopen(d->config.file, "rb"))) X_fail("cannot read"); }
int X_BLOCK_go(X_BLOCK *d) {
    unsigned char element[SIZE];
    if (fread(element, SIZE, 1, d->state) != 1)
        return 1;
    __builtin_memcpy(X_BLOCK_p(d, 1), element, SIZE);
    X_BLOCK_p_send(d, 1);
    return 0;
}
void X_BLOCK_destroy(X_BLOCK *d) { fclose(d->state); }
`

const fileSink = `#include <stdio.h>
#include "X_BLOCK.h"
void X_BLOCK_init(X_BLOCK *d) { if (!(d->state = fopen(d->config.file, "wb"))) X_fail("cannot write"); }
void X_BLOCK_push(X_BLOCK *d) {
    for (; X_BLOCK_p_avail(d) > 0; X_BLOCK_p_release(d, 1))
        if (fwrite(X_BLOCK_p(d), SIZE, 1, d->state) != 1)
            X_fail("cannot write");
}
void X_BLOCK_destroy(X_BLOCK *d) { fclose(d->state); }
`
