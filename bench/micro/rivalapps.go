package micro

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// rivalApp is an application of bench/apps for the comparison with oneTBB, whose parallel_pipeline runs the same kernel
// sources.
type rivalApp struct {
	name string // name of the folder
	// stateless lists the blocks without state. oneTBB runs their filters in parallel. The comparison declares them
	// stateless for xopt, because the application's files do not.
	stateless []string
	figures   string            // X statements with figures of the model that are not measured
	set       map[string]string // configs
	batches   [2][]int          // number of source firings per token to try: without and with batches
	mappings  map[string]string
	elements  uint64 // number of elements in the run that compares outputs
}

// figuresX is the name of the file with [rivalApp.figures].
const figuresX = "figures.x"

// The pictures for jpeg are small, so that a run processes many pictures. The 128 × 96 pixels of a picture are 192
// blocks of 192 bytes. Each of four kernels also receives the size of the picture: two numbers of four bytes.
const (
	jpegSizes  = "route Read.rgb = 36864/36896; route Read.size = 32/36896;\n"
	jpegBlocks = "top.convert, top.luma.dct, top.luma.quant, top.luma.zigzag, top.cb.dct, top.cb.quant, " +
		"top.cb.zigzag, top.cr.dct, top.cr.quant, top.cr.zigzag"
	jpegRest = "top.luma.entropy, top.cb.entropy, top.cr.entropy"
	desUnit  = "top.des.initial, top.des.round, top.des.final"
)

// rivalApps returns the applications to compare.
func rivalApps() []rivalApp {
	return []rivalApp{
		{name: "jpeg", stateless: []string{"RGB2YCbCr", "DCT", "Quantize", "ZigZag"}, figures: jpegSizes,
			set:     map[string]string{"top.read.width": "128", "top.read.height": "96"},
			batches: [2][]int{{1}, {16, 85}}, elements: 5,
			mappings: map[string]string{
				"one core": "map { top } to proc[1];",
				"two copies": "map { " + jpegBlocks + " } to proc[1] & proc[2];\n" +
					"map { top.read, top.write, " + jpegRest + " } to proc[1];",
				"two copies, separate coders": "map { " + jpegBlocks + " } to proc[1] & proc[2];\n" +
					"map { top.read, top.luma.entropy } to proc[1];\n" +
					"map { top.cb.entropy, top.cr.entropy, top.write } to proc[2];",
				"two copies, ratio 1:2": "map { " + jpegBlocks + " } to proc[1] & 2 proc[2];\n" +
					"map { top.read, top.write, " + jpegRest + " } to proc[1];",
			}},
		{name: "des", stateless: []string{"Initial", "Round", "Final"}, figures: "route Keys.k = 1;\n",
			batches: [2][]int{{1}, {256, 2048}}, elements: 50_000,
			mappings: map[string]string{
				"one core": "map { top } to proc[1];",
				"two copies": "map { " + desUnit + " } to proc[1] & proc[2];\n" +
					"map { top.blocks, top.des.keys, top.store } to proc[1];",
				"two copies, ratio 4:5": "map { " + desUnit + " } to 4 proc[1] & 5 proc[2];\n" +
					"map { top.blocks, top.des.keys, top.store } to proc[1];",
			}},
	}
}

// rivalAppOf returns the application with the given name; nil for another name, such as the chain's.
func rivalAppOf(name string) *rivalApp {
	list := rivalApps()
	if i := slices.IndexFunc(list, func(a rivalApp) bool { return a.name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// ways returns the settings to try for a method of running the application.
func (a *rivalApp) ways(kind int) []way {
	var batches []int
	switch kind {
	case rivalPipeline:
		batches = a.batches[0]
	case rivalPipelineBatch:
		batches = a.batches[1]
	}
	var list []way
	for _, batch := range batches {
		for _, tokens := range []int{2, 4, 16} {
			list = append(list, way{framework: "oneTBB", kind: "pipeline", batch: batch, tokens: tokens})
		}
	}
	return list
}

// oneCore returns the mapping of all kernels to one core.
func (r *rivalChain) oneCore() string {
	if r.app != nil {
		return r.app.mappings["one core"]
	}
	return "map { top } to core[1];"
}

// declare writes the X statements that the application lacks: its stateless blocks and the model's figures.
func (r *rivalChain) declare() error {
	names, err := filepath.Glob(filepath.Join(r.dir, "*.x"))
	if err != nil {
		return fmt.Errorf("declaring blocks stateless: %w", err)
	}
	left := slices.Clone(r.app.stateless)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("declaring blocks stateless: %w", err)
		}
		left = slices.DeleteFunc(left, func(block string) bool {
			head := []byte("block " + block + " {")
			found := bytes.Contains(text, head)
			text = bytes.Replace(text, head, []byte(string(head)+" stateless;"), 1)
			return found
		})
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return fmt.Errorf("declaring blocks stateless: %w", err)
		}
		if filepath.Base(name) == "map.x" {
			r.app.mappings["bundled mapping"] = string(text)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("application %s has no block %s", r.app.name, strings.Join(left, ", "))
	}
	if err := os.WriteFile(filepath.Join(r.dir, figuresX), []byte(r.app.figures), 0o644); err != nil {
		return fmt.Errorf("writing figures: %w", err)
	}
	return nil
}

// buildApp compiles the application for oneTBB, if oneTBB is installed, and checks its output.
func (r *rivalChain) buildApp(ctx context.Context) error {
	flags, missing, err := installed(ctx, "tbb", "libtbb-dev")
	if err != nil {
		return err
	}
	if missing != "" {
		r.missing("oneTBB", missing)
		return nil
	}
	p, err := r.program(&RivalInput{App: r.app.name}, r.oneCore())
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, "tokens")
	objects, err := writeTokens(ctx, p, dir)
	if err != nil {
		return fmt.Errorf("compiling %s for oneTBB: %w", r.app.name, err)
	}
	path := filepath.Join(dir, "app_tbb")
	args := slices.Concat([]string{"-std=c++17", "-O2", "-falign-functions=64", "-I", dir, "-o", path,
		filepath.Join(dir, "app_tbb.cpp")}, objects, flags)
	if out, err := exec.CommandContext(ctx, "g++", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s for oneTBB: %w\n%s", r.app.name, err, out)
	}
	r.programs["oneTBB"] = path
	if err := r.compare(ctx, p); err != nil {
		return fmt.Errorf("comparing the outputs of %s: %w", r.app.name, err)
	}
	return nil
}

// appArguments returns the arguments of the program that runs the application on oneTBB.
func (r *rivalChain) appArguments(w *way, ms int64, elements uint64, output string) []string {
	return []string{fmt.Sprint(w.batch), fmt.Sprint(w.tokens), fmt.Sprint(ms), fmt.Sprint(elements), "-", output,
		fmt.Sprint(r.cpus[0]), fmt.Sprint(r.cpus[1])}
}

// compare returns an error if the application's output on oneTBB, for several token sizes, differs from its output when
// deployed by xopt.
func (r *rivalChain) compare(ctx context.Context, p *xlang.Program) error {
	d, err := design.New(p, design.Options{Purpose: design.ForDeploy})
	if err != nil {
		return err
	}
	output := filepath.Join(r.dir, "output")
	prog, err := program.New(ctx, d, program.Options{CPUs: 2, Elements: r.app.elements, Output: output}, "")
	if err != nil {
		return err
	}
	m, err := run.Once(ctx, prog, run.Options{})
	if rerr := prog.Remove(); err == nil {
		err = rerr
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case m.Failure != nil:
		return m.Failure
	}
	want, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	for _, w := range slices.Concat(r.app.ways(rivalPipeline), []way{{batch: 7, tokens: 3}},
		r.app.ways(rivalPipelineBatch)) {
		if err := os.Remove(output); err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, r.programs["oneTBB"],
			r.appArguments(&w, 0, r.app.elements, output)...).CombinedOutput(); err != nil {
			return fmt.Errorf("oneTBB with %s: %w\n%s", w, err, out)
		}
		got, err := os.ReadFile(output)
		if err != nil {
			return err
		}
		if len(want) == 0 || !bytes.Equal(got, want) {
			return fmt.Errorf("oneTBB with %s: its output of %d bytes differs from the %d bytes of xopt", w,
				len(got), len(want))
		}
	}
	return nil
}

// onceRate is the service rate in bytes/s of a kernel that sends only at the start. It has no effect on predictions.
const onceRate = 1e9

// appModel returns a model with the service rate and the gain of each kernel, from a run of all kernels on one core.
// Service times include the work of the process between kernels.
func (r *rivalChain) appModel(p *xlang.Program, d *program.Description, m *run.Measurement) (*rivalModel, error) {
	busy := 0.0
	for k := range m.Kernels {
		busy += m.Kernels[k].Busy / m.Seconds
	}
	if !(busy > 0) || !(m.Throughput > 0) || !(m.SinkRate > 0) {
		return nil, errNothing
	}
	x := &rivalModel{program: p, links: r.links, scale: m.SinkRate / m.Throughput}
	for k := range m.Kernels {
		kernel, rate := &p.Kernels[k], m.Kernels[k].ServiceRate*min(busy, 1)
		if kernel.Once {
			rate = onceRate
		}
		if !(rate > 0) {
			return nil, errNothing
		}
		attrs := [][2]string{{"mu", fmt.Sprintf("%.0fB/s", rate)}}
		if len(kernel.Inputs) > 0 && len(kernel.Outputs) > 0 && kernel.Emits == nil {
			attrs = append(attrs, [2]string{"gain", fmt.Sprintf("%.9g", m.Kernels[k].Gain)})
		}
		x.times = append(x.times, design.Override{Target: d.Kernels[k].Name, Attrs: attrs})
	}
	return x, nil
}
