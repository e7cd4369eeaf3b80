package flowgraphs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/deploy/gnuradio"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/scratch"
)

// Options configures a study.
type Options struct {
	Folder           string // folder with GNU Radio's examples
	Examples, Random int    // numbers of graphs to measure
	Seed             uint64
	Time             time.Duration // measured duration of each run
	Pairs            int           // number of pairs of runs in a comparison
	// Progress receives the number of complete graphs; nil for none.
	Progress func(done, all int)
}

// Study contains the results for all graphs.
type Study struct {
	Graphs []Graph `json:"graphs"`
	// Skipped lists the selected examples that cannot be measured, with the reasons.
	Skipped []Skipped `json:"skipped"`
}

// Skipped is an example that cannot be measured, with the reason.
type Skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Graph compares the results of package gnuradio for a flow graph with experiments. Rates are in items/s at the sink.
type Graph struct {
	Name   string         `json:"name"`
	Random bool           `json:"random"`
	Blocks int            `json:"blocks"`
	Rate   float64        `json:"rate"`
	Limit  gnuradio.Limit `json:"limit"`
	// Slowed contains the effects of additional work in the busiest block, and in another block.
	Slowed []gnuradio.Slowed `json:"slowed"`
	// Agrees reports whether these effects match the reported limit (see [Agrees]).
	Agrees bool `json:"agrees"`
	// Pinnings contains the gains of the pinnings that the measurement tried.
	Pinnings []Pinning `json:"pinnings"`
	// Change is the change of the flow graph by the command apply; "" for none.
	Change   string            `json:"change"`
	Promised gnuradio.Estimate `json:"promised"` // gain of Change that the commands measure and doctor report
	Gain     gnuradio.Estimate `json:"gain"`     // gain of Change, measured in another comparison
	Cost     gnuradio.Estimate `json:"cost"`     // relative change of the rate due to the counters
	Others   float64           `json:"others"`   // number of processors that other programs used
}

// Pinning is the relative gain of a pinning of threads to processors, predicted by the model and measured.
type Pinning struct {
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
}

// familiar returns the names of the examples that were used to develop the model. Studies exclude them.
func familiar() []string {
	return []string{"resampler_demo.grc", "demo_qam.grc", "rx_ofdm.grc", "fecapi_decoders.grc",
		"fecapi_ldpc_decoders.grc", "burst_tagger.grc", "stream_demux_demo.grc", "loopback-gsmfr.grc",
		"show_dialgauge1.grc", "msg_to_var.grc", "qtgui_tags_viewing.grc"}
}

// Run measures the graphs. When ctx is done, it returns the results of the complete graphs with an error.
func Run(ctx context.Context, o Options) (_ *Study, err error) {
	s := &study{options: o, result: &Study{}}
	if s.dir, err = scratch.Dir("", scratch.Bench); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	if err := s.examples(ctx); err != nil {
		return s.result, err
	}
	for i := range o.Random {
		seed := o.Seed*1000 + uint64(i)
		if err := s.add(ctx, fmt.Sprintf("random %d", seed), []byte(Random(seed)), true); err != nil {
			return s.result, err
		}
	}
	return s.result, nil
}

type study struct {
	options Options
	dir     string
	result  *Study
}

// examples measures examples in random order until enough are complete.
func (s *study) examples(ctx context.Context) error {
	if s.options.Examples == 0 {
		return nil
	}
	var paths []string
	err := filepath.WalkDir(s.options.Folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".grc" && !slices.Contains(familiar(), d.Name()) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("listing the examples of GNU Radio: %w", err)
	}
	random := rand.New(rand.NewPCG(s.options.Seed, 1))
	random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for _, path := range paths {
		if len(s.result.Graphs) == s.options.Examples {
			break
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.options.Folder, path)
		if err != nil {
			return err
		}
		if err := s.add(ctx, name, text, false); err != nil {
			return err
		}
	}
	return nil
}

// add measures one graph in its own folder, because graphs write files. It records examples that cannot be measured as
// skipped.
func (s *study) add(ctx context.Context, name string, text []byte, random bool) error {
	dir, err := os.MkdirTemp(s.dir, "graph")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "flow.grc")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	o := gnuradio.Options{Headless: true, Unthrottle: true, Time: s.options.Time, Pairs: s.options.Pairs}
	g, err := measured(ctx, path, o)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.Of(err) == fault.NotInstalled:
		return err
	case err != nil:
		s.result.Skipped = append(s.result.Skipped, Skipped{name, strings.ReplaceAll(err.Error(), path, name)})
		return nil
	}
	g.Name, g.Random = name, random
	s.result.Graphs = append(s.result.Graphs, *g)
	if s.options.Progress != nil {
		s.options.Progress(len(s.result.Graphs), s.options.Examples+s.options.Random)
	}
	return nil
}

// measured executes the steps of a user: measure, doctor --verify, apply and compare.
func measured(ctx context.Context, path string, o gnuradio.Options) (*Graph, error) {
	flow, err := gnuradio.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := gnuradio.Measure(ctx, flow, o)
	if err != nil {
		return nil, err
	}
	if m.Rate.Mean == 0 {
		return nil, fmt.Errorf("no item reached %s in the windows", m.Sink.Name)
	}
	g := &Graph{Blocks: len(m.Blocks), Rate: m.Rate.Mean, Limit: m.Limit(), Cost: m.Cost, Others: m.Others}
	x, err := gnuradio.Verify(ctx, flow, m, o)
	if err != nil {
		return nil, fmt.Errorf("slowing blocks: %w", err)
	}
	g.Slowed, g.Agrees = x.Cases, x.Agrees(g.Limit.Kind, len(m.CPUs))
	for i := range m.Trials {
		if t := &m.Trials[i]; t.Affinity != nil {
			g.Pinnings = append(g.Pinnings, Pinning{m.Pinned(t.Affinity), t.Gain.Mean})
		}
	}
	best := m.Best()
	if best == nil {
		return g, nil
	}
	text, err := flow.Apply(best, m.Blocks)
	if err != nil {
		return nil, err
	}
	fast := filepath.Join(filepath.Dir(path), "fast.grc")
	if err := os.WriteFile(fast, text, 0o600); err != nil {
		return nil, err
	}
	changed, err := gnuradio.Read(fast)
	if err != nil {
		return nil, err
	}
	c, err := gnuradio.Compare(ctx, [2]*gnuradio.FlowGraph{flow, changed}, o)
	if err != nil {
		return nil, fmt.Errorf("comparing with the changed graph: %w", err)
	}
	g.Change, g.Promised, g.Gain = best.Text, best.Gain, c.Gain
	return g, nil
}

// Summary contains the figures of a study that have goals. Errors are absolute differences of relative changes: 0.05 is
// 5 percentage points.
type Summary struct {
	Named       int     // number of graphs with a reported limit; other graphs are unsteady
	Agreement   float64 // fraction of the reported limits that agree with the experiment
	SlowedError float64 // median error of the predicted effect of additional work
	PinnedError float64 // median error of the predicted gains of pinnings
	Applied     int     // number of graphs with a recommended change
	GainError   float64 // median difference between the reported gain and the gain in another comparison
	Slower      int     // number of applied changes whose interval excludes a gain
	Cost        float64 // median change of the rate due to the counters
}

// Summary returns the statistics of the graphs; NaN for statistics without data.
func (s *Study) Summary() Summary {
	var x Summary
	var slowed, pinned, gain, cost []float64
	agree := 0
	for i := range s.Graphs {
		g := &s.Graphs[i]
		cost = append(cost, g.Cost.Mean)
		if g.Limit.Kind == gnuradio.LimitUnsteady {
			continue
		}
		x.Named++
		if g.Agrees {
			agree++
		}
		for k := range g.Slowed {
			slowed = append(slowed, math.Abs(g.Slowed[k].Predicted-g.Slowed[k].Measured.Mean))
		}
		for _, p := range g.Pinnings {
			pinned = append(pinned, math.Abs(p.Predicted-p.Measured))
		}
		if g.Change == "" {
			continue
		}
		x.Applied++
		gain = append(gain, math.Abs(g.Promised.Mean-g.Gain.Mean))
		if g.Gain.High < 0 {
			x.Slower++
		}
	}
	x.Agreement = float64(agree) / float64(x.Named)
	x.SlowedError, x.PinnedError = profile.MedianOf(slowed).Value, profile.MedianOf(pinned).Value
	x.GainError, x.Cost = profile.MedianOf(gain).Value, profile.MedianOf(cost).Value
	return x
}
