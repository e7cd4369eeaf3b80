package rtl

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xopt/hdl"
	"xopt/hdl/faults"
	"xopt/internal/cache"
	"xopt/internal/files/scratch"
	"xopt/internal/release"
)

//go:embed harness
var harnessFiles embed.FS

// Simulation is the compiled simulation of a module.
type Simulation struct {
	Module *Module
	path   string
}

// Feed describes the data of a stream in a run.
type Feed struct {
	Port    string // port of the block
	Input   bool
	Element int // bytes
	// Follows is true for an input that is joined to an earlier input. Its elements do not count as firings.
	Follows bool
	// Firing is the number of elements of an input that a firing consumes; 0 for 1.
	Firing int
	// Once is true for an input that receives its data only once, such as a table. Its elements do not count as
	// firings.
	Once bool
	// File contains the elements of an input, or the expected elements of an output; "" for none.
	File string
	// Keep is the file that receives the output; "" for none.
	Keep string
	// Stall is the probability that there is no word, or no space, in a cycle.
	Stall float64
	// Stalls is a file of stalls that replaces Stall; "" for none. It contains one byte per cycle; the byte is not 0 if
	// the stream stalls. The run repeats the file.
	Stalls string
}

// Options contain the limits and seeds of a run.
type Options struct {
	Cycles  uint64 // maximum number of cycles; 0 for 2^62
	Firings uint64 // the run ends after this number of firings; 0 for no limit
	Window  uint64 // firings per window; 0 for no windows
	Quiet   uint64 // the run ends when no word has moved for this number of cycles; 0 for 100 000
	Once    bool   // send inputs only once
	Seed    uint64 // seed for stalls, and for registers without a reset
	Hash    uint64 // number of words of each output that the hashes in Result cover
}

// Result contains the counts of a run.
type Result struct {
	Cycles, Firings uint64
	Stuck           bool // no word moved at the end, although an input had words
	LastMove        uint64
	Latency         uint64 // cycles from the first input word to the first output word
	// Services is the number of intervals between firings after the first window. Sum, Squares, Min and Max are
	// their sum, sum of squares, minimum and maximum, in cycles.
	Services               uint64
	Sum, Squares, Min, Max float64
	Windows                []Window
	Streams                []Counts // in the order of Module.Streams
	Spent                  Spent
}

// Window describes the end of a window: its length, and the words of each stream since the start of the run.
type Window struct {
	Cycles uint64
	Words  []uint64
}

// Counts contains the numbers of cycles of a stream in which a word moved, a word waited for space, or there was no
// word.
type Counts struct {
	Name                          string
	Input                         bool
	Words, Elements, Waited, Idle uint64
	// Compared is the number of bytes that were compared with the file. Wrong is true if some bytes differed. WrongAt
	// is the index of the first of these bytes.
	Compared uint64
	Wrong    bool
	WrongAt  uint64
	Hash     string
}

// Harness is the C++ program that drives the model of a module. It may include Vk.h (the model), streams.h (the table
// of its streams), record.h (the records of the agent) and cycles.h (the classification of a kernel's cycles).
type Harness struct {
	Main  string            // file that includes the other files
	Files map[string]string // by name
}

// Simulate builds the simulation of a module.
func (c *Cache) Simulate(ctx context.Context, m *Module) (*Simulation, error) {
	const main = "isolate.cpp"
	if m.clocked {
		return nil, fmt.Errorf("building the simulation of module %s: %w", m.Top, errClocked)
	}
	text, err := harnessFiles.ReadFile("harness/" + main)
	if err != nil {
		return nil, fmt.Errorf("building the simulation of module %s: %w", m.Top, err)
	}
	path, err := c.Program(ctx, m, Harness{main, map[string]string{main: string(text)}})
	if err != nil {
		return nil, err
	}
	return &Simulation{m, path}, nil
}

// simulationFlags returns the compiler flags of simulations: the words in CXXFLAGS, as in make, or -O2 by default.
func simulationFlags() []string {
	if flags := strings.Fields(os.Getenv("CXXFLAGS")); len(flags) > 0 {
		return flags
	}
	return []string{"-O2"}
}

// Program verilates a module, compiles it with a harness, and returns the path of the program. It caches the program by
// the contents of the module and the harness.
func (c *Cache) Program(ctx context.Context, m *Module, h Harness) (path string, err error) {
	what := "building the simulation of module " + m.Top
	record, err := hdl.AgentRecord().CHeader()
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	version := c.Version(ctx, "verilator")
	if version == "" {
		_, err := need("verilator", what)
		return "", err
	}
	flags := simulationFlags()
	common, err := c.runtime(ctx, version, flags)
	if err != nil {
		return "", err
	}
	files := maps.Clone(h.Files)
	cycles, err := harnessFiles.ReadFile("harness/cycles.h")
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	files["record.h"], files["streams.h"], files["cycles.h"] = record, m.streams()+m.extra, string(cycles)
	parts := []string{"simulate", version, c.Version(ctx, "g++"), strings.Join(flags, " "), h.Main, m.text()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	dir, err := c.kept.Folder(ctx, cache.Key(parts...), func(dir string) error {
		if err := m.verilate(ctx, dir, what); err != nil {
			return err
		}
		return (&harnessBuild{dir, what, common, h.Main, files}).compile(ctx, flags)
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sim"), nil
}

// verilate generates the model with Verilator in the folder v below dir.
func (m *Module) verilate(ctx context.Context, dir, what string) error {
	names, err := writeFiles(dir, m.verilog)
	if err != nil {
		return err
	}
	// The seed of a run determines the initial values of registers without a reset and signals without a driver.
	args := append(lint(), "--cc", "--prefix", "Vk", "--top-module", m.Top, "--Mdir", "v", "-O3", "--x-assign",
		"unique", "--x-initial", "unique")
	_, err = run(ctx, dir, what, "verilator", append(append(args, m.parameterArgs()...), names...)...)
	if err != nil {
		return m.named(err)
	}
	return nil
}

// harnessBuild is a harness, and a model that was generated in the folder v below dir.
type harnessBuild struct {
	dir, what string
	common    string // folder of the code that all simulations share
	main      string // name of one of the files
	files     map[string]string
}

// compile compiles a model and its harness in one call of the compiler.
func (b *harnessBuild) compile(ctx context.Context, flags []string) error {
	sources, err := filepath.Glob(filepath.Join(b.dir, "v", "*.cpp"))
	if err != nil {
		return err
	}
	var all strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&all, "#include %q\n", filepath.Join("v", filepath.Base(s)))
	}
	fmt.Fprintf(&all, "#include %q\n", b.main)
	if err := os.WriteFile(filepath.Join(b.dir, "all.cpp"), []byte(all.String()), 0o644); err != nil {
		return err
	}
	for name, text := range b.files {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	root, err := verilatorRoot(ctx)
	if err != nil {
		return err
	}
	args := append(slices.Clone(flags), "-std=gnu++17", "-I.", "-Iv", "-I"+filepath.Join(root, "include"),
		"-I"+filepath.Join(root, "include", "vltstd"), "-DVM_TRACE=0", "-include",
		filepath.Join(b.common, commonHeader), "-o", "sim", "all.cpp", filepath.Join(b.common, "verilated.o"),
		filepath.Join(b.common, "verilated_threads.o"), "-lpthread")
	_, err = run(ctx, b.dir, b.what, "g++", args...)
	return err
}

func verilatorRoot(ctx context.Context) (string, error) {
	out, err := run(ctx, "", "finding the installation folder", "verilator", "--getenv", "VERILATOR_ROOT")
	return strings.TrimSpace(string(out)), err
}

// commonHeader is precompiled, because reading these headers takes longer than compiling a small model.
const (
	commonHeader   = "common.h"
	commonIncludes = "#include <algorithm>\n#include <fstream>\n#include <iostream>\n#include <map>\n" +
		"#include <string>\n#include <vector>\n#include \"verilated.h\"\n"
)

// runtime compiles the code that all simulations share.
func (c *Cache) runtime(ctx context.Context, version string, flags []string) (string, error) {
	what := "building the common code of simulations"
	key := cache.Key("runtime", version, c.Version(ctx, "g++"), strings.Join(flags, " "), commonIncludes)
	return c.kept.Folder(ctx, key, func(dir string) error {
		root, err := verilatorRoot(ctx)
		if err != nil {
			return err
		}
		include := filepath.Join(root, "include")
		args := append(slices.Clone(flags), "-std=gnu++17", "-I"+include, "-I"+filepath.Join(include, "vltstd"),
			"-DVM_TRACE=0")
		header := filepath.Join(dir, commonHeader)
		if err := os.WriteFile(header, []byte(commonIncludes), 0o644); err != nil {
			return err
		}
		if _, err := run(ctx, dir, what, "g++", append(slices.Clone(args), "-x", "c++-header", header)...); err != nil {
			return err
		}
		_, err = run(ctx, dir, what, "g++", append(args, "-c", filepath.Join(include, "verilated.cpp"),
			filepath.Join(include, "verilated_threads.cpp"))...)
		return err
	})
}

// streams returns the C++ table of a module's streams.
func (m *Module) streams() string {
	var b strings.Builder
	b.WriteString("#include \"record.h\"\nstatic std::vector<Stream> streams(Vk *k) {\n    return {\n")
	for _, s := range m.Streams {
		fmt.Fprintf(&b, "        {\"%s\", %t, %d, (uint8_t *)&k->%[4]s_tdata, &k->%[4]s_tvalid, &k->%[4]s_tready},\n",
			s.Name, s.Input, s.Width/8, streamText{Input: s.Input}.Side()+"_"+s.Name)
	}
	b.WriteString("    };\n}\n")
	drain := "nullptr"
	if m.Drains {
		drain = "&k->drain"
	}
	fmt.Fprintf(&b, "static inline CData *drain_of(Vk *k) { (void)k; return %s; }\n", drain)
	b.WriteString("static inline void ask_nothing(Vk *k) {\n    (void)k;\n")
	for i := range m.parts {
		fmt.Fprintf(&b, "    k->seen%d_ask = 0;\n", i)
	}
	b.WriteString("}\n")
	fmt.Fprintf(&b, "static inline Cycles cycles_of(Vk *k) { (void)k; return %s; }\n", m.cycles(m.watched, "state"))
	return b.String()
}

// Run runs the simulation once. feeds must contain each stream of the module exactly once.
func (s *Simulation) Run(ctx context.Context, feeds []Feed, o Options) (_ *Result, err error) {
	what := "simulating module " + s.Module.Top
	script, err := s.script(feeds, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	f, err := scratch.File("", scratch.RTL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(script)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	out, err := run(ctx, "", what, s.path, f.Name(), "+verilator+rand+reset+2", "+verilator+seed+"+
		strconv.FormatUint(o.Seed%(1<<31-1)+1, 10))
	if err != nil {
		return nil, err
	}
	var r Result
	counters := json.NewDecoder(bytes.NewReader(out))
	counters.DisallowUnknownFields() // the harness names the fields of Result
	if err := counters.Decode(&r); err != nil {
		return nil, fmt.Errorf("%s: cannot read the counters of the simulation: %w", what, err)
	}
	if !r.Spent.setCounts(s.Module.Streams, s.Module.watched) {
		return nil, fmt.Errorf("%s: the cycle counters belong to another module: delete the simulation from the cache",
			what)
	}
	return &r, nil
}

// script returns the input of the harness.
func (s *Simulation) script(feeds []Feed, o Options) (string, error) {
	var b strings.Builder
	number := func(word string, n uint64) {
		if n > 0 {
			fmt.Fprintf(&b, "%s %d\n", word, n)
		}
	}
	if o.Cycles == 0 {
		o.Cycles = 1 << 62
	}
	number("cycles", o.Cycles)
	number("firings", o.Firings)
	number("window", o.Window)
	number("quiet", o.Quiet)
	number("seed", o.Seed)
	number("hash", o.Hash)
	if o.Once {
		b.WriteString("once\n")
	}
	fed := make(map[string]bool)
	for _, f := range feeds {
		stream, words, err := s.Module.Words(f.Port, f.Input, f.Element)
		if err != nil {
			return "", err
		}
		name := "m." + stream.Name
		if f.Input {
			name = "s." + stream.Name
		}
		fed[name] = true
		fmt.Fprintf(&b, "element %s %d\n", name, words)
		if f.Follows {
			fmt.Fprintf(&b, "follows %s\n", name)
		}
		if f.Firing > 1 {
			fmt.Fprintf(&b, "firing %s %d\n", name, f.Firing)
		}
		if f.Once {
			fmt.Fprintf(&b, "only %s\n", name)
		}
		if f.Stall > 0 {
			fmt.Fprintf(&b, "stall %s %.17g\n", name, f.Stall)
		}
		for _, x := range []struct{ word, path string }{{"file", f.File}, {"keep", f.Keep}, {"stalls", f.Stalls}} {
			if strings.ContainsAny(x.path, "\n") {
				return "", fmt.Errorf("cannot use the path %q, because it contains a line break", x.path)
			}
			if x.path != "" {
				fmt.Fprintf(&b, "%s %s %s\n", x.word, name, x.path)
			}
		}
	}
	for _, x := range s.Module.Streams {
		if name := map[bool]string{true: "s.", false: "m."}[x.Input] + x.Name; !fed[name] {
			return "", faults.StreamIncomplete.Errorf("stream %[2]s of module %[1]s is not a port of its block",
				s.Module.Top, x.Name)
		}
	}
	return b.String(), nil
}

// without returns the error for a port without a stream in the module.
func (m *Module) without(port string, input bool) error {
	way := "output"
	if input {
		way = "input"
	}
	return faults.StreamIncomplete.Errorf("module %s has no stream for %s port %s: expected %s_%s_tdata, _tvalid and "+
		"_tready", m.Top, way, port, streamText{Input: input}.Side(), streamName(port))
}

// watchText is the input of watch.v.tmpl.
type watchText struct {
	Version, Top, Inner, Parameters string
	Streams                         []streamText
	States                          []stateText
	Drains                          bool
}

// Watch returns a module with outputs for the given state machines, so that a simulation can count their states.
// Without state machines, it returns the module itself.
func (m *Module) Watch(machines []Machine) (*Module, error) {
	if len(machines) == 0 {
		return m, nil
	}
	text := watchText{Version: release.Version, Top: "xopt_watch_" + m.Top, Inner: m.Top, Parameters: m.parameters(),
		Drains: m.Drains}
	for _, s := range m.Streams {
		text.Streams = append(text.Streams, streamText{Name: s.Name, Input: s.Input, High: s.Width - 1})
	}
	for i := range machines {
		text.States = append(text.States, stateText{fmt.Sprintf("state%d", i), machines[i].Width - 1,
			"kernel." + machines[i].Path})
	}
	verilog, err := fill("watch.v.tmpl", text)
	if err != nil {
		return nil, err
	}
	return &Module{Top: text.Top, Streams: m.Streams, Drains: m.Drains, watched: machines,
		verilog: append(slices.Clip(m.verilog), file{"watch.v", verilog})}, nil
}

// Watched returns the state machines that the module shows.
func (m *Module) Watched() []Machine { return m.watched }
