// Package networks creates networks of hosts on one machine, and compares xopt's predictions of mappings on these
// networks with runs. Each host is a Linux network namespace. The cables between hosts have a bandwidth and a delay.
//
// Package networks calibrates, searches, predicts and runs with the same packages as the commands of xopt. It requires
// root privileges for creating namespaces.
package networks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/run"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/mapper"
)

// Options configures [Measure].
type Options struct {
	Runs     int // number of runs of each mapping, which alternate
	Window   time.Duration
	Mappings int // number of mappings on each network
	Networks []Network
	Seed     uint64
	Budget   time.Duration // time for the windows of a calibration; 0 for the default
	// Command is the command that starts a part of a run, and Version the version of its program (run.Parts).
	Command  []string
	Version  string
	Progress func(stage string, done, all int)
}

// Network is a set of hosts and the cables between them.
type Network struct {
	Hosts int
	Cable Cable
}

// Networks returns the networks that a machine with the given number of processors can emulate. At unlimited
// bandwidths, or bandwidths close to the rate of a processor, each host needs its own processor, because the model
// ignores that the hosts share a machine.
func Networks(processors int) []Network {
	list := []Network{{2, Cable{Bits: 80e6}}, {2, Cable{Bits: 80e6, Delay: 100 * time.Microsecond}},
		{2, Cable{Bits: 80e6, Delay: 20 * time.Millisecond}}, {2, Cable{Bits: 800e6}}, {2, Cable{}},
		{3, Cable{Bits: 80e6}}, {3, Cable{Bits: 80e6, Delay: 5 * time.Millisecond}}}
	if processors > 2 {
		list = append(list, Network{3, Cable{Bits: 800e6}}, Network{3, Cable{}})
	}
	return list
}

// Case is the result of [Measure] for one network.
type Case struct {
	Network   Network
	Bandwidth float64 // calibrated, bytes/s
	Latency   float64 // calibrated, s
	Send      float64 // processor time for sending a byte, s
	Receive   float64
	Mappings  []Mapping
}

// Mapping is a mapping with its predicted and measured throughput in bytes/s.
type Mapping struct {
	Text      string // the mapping in X
	First     bool   // first candidate of the search
	Allowed   bool   // satisfies the constraints of the search
	Predicted float64
	Measured  float64 // median of the runs; 0 if it could not be measured
	Fail      string
}

// Median returns the median and the maximum of the predictions' relative errors.
func (c *Case) Median() (median, worst float64) {
	var list []float64
	for _, m := range c.Mappings {
		if m.Measured > 0 {
			list = append(list, math.Abs(m.Predicted/m.Measured-1))
		}
	}
	if len(list) == 0 {
		return math.NaN(), math.NaN()
	}
	return profile.MedianOf(list).Value, slices.Max(list)
}

// Choice returns the relative difference in measured throughput between the search's first candidate and the fastest
// mapping that satisfies the search's constraints.
func (c *Case) Choice() float64 {
	best, first := 0.0, math.NaN()
	for _, m := range c.Mappings {
		if m.Allowed {
			best = max(best, m.Measured)
		}
		if m.First {
			first = m.Measured
		}
	}
	return 1 - first/best
}

// Measure calibrates each network, and searches for a mapping with the first source on the first host and the sink on
// the last host. It predicts and runs this mapping, and random mappings with the same constraints. If there are too few
// such mappings, it adds other mappings that use several hosts.
func Measure(ctx context.Context, o Options) (list []Case, err error) {
	dir, err := apps.Unpack("test1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{Options: o, dir: dir}
	if err := b.kernels(ctx); err != nil {
		return nil, fmt.Errorf("calibrating the kernels of test1: %w", err)
	}
	for i, n := range o.Networks {
		b.at = i
		c, err := b.measure(ctx, n)
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		if err != nil {
			return list, fmt.Errorf("%d hosts, %v: %w", n.Hosts, n.Cable, err)
		}
		list = append(list, *c)
	}
	return list, nil
}

// bench is the state of a call of Measure.
type bench struct {
	Options
	dir     string
	at      int
	profile *profile.Profile // profile of the kernels
}

func (b *bench) report(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...), b.at, len(b.Networks))
	}
}

// load reads the application with a machine in X and the figures of a profile.
func (b *bench) load(machine string, purpose design.Purpose, p *profile.Profile) (*design.Design, error) {
	path := filepath.Join(b.dir, "machine.x")
	if err := os.WriteFile(path, []byte("#include \"std.x\"\n"+machine), 0o644); err != nil {
		return nil, fmt.Errorf("writing the machine: %w", err)
	}
	var figures *design.Measured
	if p != nil {
		figures = design.FromProfile("the calibration", p, nil)
	}
	return calibrate.Load([]string{filepath.Join(b.dir, "app.x"), path}, nil,
		design.Options{Purpose: purpose, Profile: figures})
}

// recorded is the number of elements in the calibration's recorded run.
const recorded = 2000

// kernels calibrates the kernels once, because their times are the same on all hosts.
func (b *bench) kernels(ctx context.Context) error {
	b.report("calibrating kernels")
	d, err := b.load("resource proc is C;\nmap { top } to proc;\n", design.ForDeploy, nil)
	if err != nil {
		return err
	}
	b.profile, _, err = calibrate.Calibrate(ctx, d, calibrate.Options{Elements: recorded, Budget: b.Budget})
	return err
}

// machine returns the X code that describes the hosts of a lab.
func machine(l *Lab) string {
	hosts, addresses := make([]string, len(l.Hosts())), make([]string, len(l.Hosts()))
	for i, h := range l.Hosts() {
		hosts[i], addresses[i] = fmt.Sprintf("%q", h), fmt.Sprintf("%q", l.Address(i))
	}
	return fmt.Sprintf("resource proc[%d] is C (host=[%s], address=[%s]);\nresource net is network ({ proc });\n"+
		"fix { top.gen1 } to proc[1]; fix { top.store } to proc[%d];\n", len(hosts), strings.Join(hosts, ", "),
		strings.Join(addresses, ", "), len(hosts))
}

func (b *bench) measure(ctx context.Context, n Network) (_ *Case, err error) {
	lab, err := NewLab(ctx, n.Hosts, n.Cable)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lab.Close()) }()
	ctx = run.WithParts(ctx, &run.Parts{Command: b.Command, Version: b.Version, Launch: lab.Launch})
	x := machine(lab)
	b.report("%d hosts, %v: calibrating the network", n.Hosts, n.Cable)
	d, err := b.load(x, design.ForCheck, nil)
	if err != nil {
		return nil, err
	}
	p := *b.profile
	if p.Links, err = calibrate.Links(ctx, d, calibrate.Options{Budget: b.Budget}); err != nil {
		return nil, err
	}
	if len(p.Links) != 1 {
		return nil, fmt.Errorf("calibrated %d links, expected 1 link", len(p.Links))
	}
	c := &Case{Network: n}
	for _, f := range []struct {
		to   *float64
		from *profile.Figure
	}{{&c.Bandwidth, p.Links[0].Bandwidth}, {&c.Latency, p.Links[0].Latency}, {&c.Send, p.Links[0].Send},
		{&c.Receive, p.Links[0].Receive}} {
		if f.from != nil {
			*f.to = f.from.Value
		}
	}
	if d, err = b.load(x, design.ForSearch, &p); err != nil {
		return nil, err
	}
	return c, b.compare(ctx, c, d)
}

// bufferSeed is the seed of the simulations that predict mappings with the buffers of their runs.
const bufferSeed = 1

// settling is the excluded time at the start of a run, in which TCP adapts to the network.
const settling = time.Second

// compare predicts and runs the mappings of a case.
func (b *bench) compare(ctx context.Context, c *Case, d *design.Design) error {
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: b.Seed, Threads: runtime.NumCPU()})
	if err != nil {
		return fmt.Errorf("searching mappings: %w", err)
	}
	mappings := b.drawn(d, c.Network.Hosts, found.Candidates[0].Mapping)
	list := make([]validate.Choice, len(mappings))
	for i, m := range mappings {
		list[i] = validate.Choice{Name: text(d, m), Mapping: m, Buffers: b.buffers(c, d)}
	}
	cases, err := validate.Mappings(ctx, d, list, validate.Options{Runs: b.Runs, Window: b.Window,
		WarmUp: settling, Seed: b.Seed, BufferSeed: bufferSeed, Progress: func(done, all, _ int, _ time.Duration) {
			b.report("%d hosts, %v: step %d of %d", c.Network.Hosts, c.Network.Cable, done, all)
		}})
	if err != nil {
		return err
	}
	for i := range cases {
		x := &cases[i]
		c.Mappings = append(c.Mappings, Mapping{Text: x.Name, First: i == 0,
			Allowed: allowed(d, x.Mapping, c.Network.Hosts), Predicted: x.Predicted, Measured: x.Measured,
			Fail: x.Fail})
	}
	return nil
}

// minBuffer is the minimum buffer size of an edge in bytes, so that buffers do not limit the rate on the network.
const minBuffer = 4 << 20

// buffers returns buffer sizes in elements by edge, several times the data in flight on the network.
func (b *bench) buffers(c *Case, d *design.Design) map[int]int {
	sizes := make(map[int]int)
	for e := range d.Program.Edges {
		bytes := max(minBuffer, 8*c.Bandwidth*c.Latency)
		sizes[e] = int(bytes / d.Problem.Application.Edges[e].ElementBytes)
	}
	return sizes
}

// drawn returns the mapping of the search and random mappings, all distinct. The random mappings satisfy the
// constraints of the search. If there are too few such mappings, it adds others that use several hosts.
func (b *bench) drawn(d *design.Design, hosts int, first *flow.Mapping) []*flow.Mapping {
	list := []*flow.Mapping{first}
	seen := map[string]bool{text(d, first): true}
	rng := rand.New(rand.NewPCG(b.Seed, uint64(b.at)))
	for _, allowed := range []bool{true, false} {
		for range 100 * b.Mappings { // enough to find all mappings if there are few
			m := &flow.Mapping{Place: make([]int, len(d.Program.Kernels)), Route: make([][]int, len(d.Program.Edges))}
			used := make(map[int]bool)
			for k := range m.Place {
				m.Place[k] = rng.IntN(hosts)
				if at, fixed := fixedHost(d, k, hosts); fixed && allowed {
					m.Place[k] = at
				}
				used[m.Place[k]] = true
			}
			if name := text(d, m); !seen[name] && len(list) < b.Mappings && len(used) >= min(hosts, 2) {
				seen[name] = true
				list = append(list, m)
			}
		}
	}
	return list
}

// fixedHost returns the host on which the constraints place kernel k, which must be the first source or the sink. It
// returns false for other kernels.
func fixedHost(d *design.Design, k, hosts int) (at int, fixed bool) {
	switch d.Program.Kernels[k].Name {
	case "top.gen1":
		return 0, true
	case "top.store":
		return hosts - 1, true
	}
	return 0, false
}

// allowed reports whether a mapping satisfies the constraints.
func allowed(d *design.Design, m *flow.Mapping, hosts int) bool {
	for k, r := range m.Place {
		if at, fixed := fixedHost(d, k, hosts); fixed && r != at {
			return false
		}
	}
	return true
}

// text returns a mapping as X code.
func text(d *design.Design, m *flow.Mapping) string {
	var parts []string
	for r := range d.Program.Resources {
		var in []string
		for k, at := range m.Place {
			if at == r {
				in = append(in, d.Program.Kernels[k].Name)
			}
		}
		if len(in) > 0 {
			parts = append(parts, fmt.Sprintf("map { %s } to %s;", strings.Join(in, ", "), d.Program.Resources[r].Name))
		}
	}
	return strings.Join(parts, " ")
}
