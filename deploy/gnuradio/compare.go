package gnuradio

import (
	"context"
	"errors"

	"xopt/deploy/faults"
)

// Comparison contains the rates of two flow graphs that ran alternately.
type Comparison struct {
	GNURadio string       `json:"gnuradio"`
	Sinks    [2]Sink      `json:"sinks"`
	Rates    [2][]float64 `json:"rates"` // items/s at the sink, by pair
	Means    [2]Estimate  `json:"means"`
	Gain     Estimate     `json:"gain"` // of the second graph, relative to the first
	Others   float64      `json:"others"`
	Replaced []string     `json:"replaced,omitempty"`
	// Interrupted is set if ctx ended before all pairs had run. The gain is that of the complete pairs.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Compare runs two flow graphs alternately and compares their rates at the sink with the same name. If ctx ends after
// two pairs, Compare returns the comparison of the complete pairs.
func Compare(ctx context.Context, graphs [2]*FlowGraph, o Options) (_ *Comparison, err error) {
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var mods [2]*module
	for i := range graphs {
		if mods[i], err = l.compile(ctx, graphs[i]); err != nil {
			return nil, err
		}
	}
	c := &Comparison{}
	for pair := range o.Pairs {
		o.step("comparing, pair %d of %d", pair+1, o.Pairs)
		err := l.addPair(ctx, c, mods, pair)
		if c.Interrupted = ctx.Err() != nil && pair >= minCompared; c.Interrupted {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	complete := min(len(c.Rates[0]), len(c.Rates[1]))
	for i := range c.Rates {
		c.Rates[i] = c.Rates[i][:complete] // an interrupted pair may have one run
		c.Means[i] = estimate(c.Rates[i])
	}
	c.Gain = gains(logRatios(c.Rates[1], c.Rates[0]))
	return c, nil
}

// minCompared is the minimum number of complete pairs of which Compare returns the gain after an interruption: two
// pairs have an interval.
const minCompared = 2

// addPair runs each graph once. The graph that runs first alternates.
func (l *lab) addPair(ctx context.Context, c *Comparison, mods [2]*module, pair int) error {
	const windows = 4
	for k := range mods {
		i := (k + pair) % len(mods)
		r, err := l.run(ctx, mods[i], l.options.plan(windows))
		if err != nil {
			return err
		}
		if err := c.add(r, i, [2]*FlowGraph{mods[0].graph, mods[1].graph}); err != nil {
			return err
		}
	}
	return nil
}

// add adds a run of one of the graphs.
func (c *Comparison) add(r *record, i int, graphs [2]*FlowGraph) error {
	if c.Sinks[i].UID == "" {
		c.Sinks[i] = chooseSink(r.Blocks, r.Windows)
		if other := &c.Sinks[1-i]; other.UID != "" && other.Name != c.Sinks[i].Name {
			same, ok := sinkNamed(r.Blocks, other.Name, other.Port)
			if !ok {
				return faults.SinksDiffer.Usagef("%s has no sink %s, at which the rate of %s is measured: "+
					"compare flow graphs with the same sinks", graphs[i].Path, other.Name, graphs[1-i].Path)
			}
			c.Sinks[i] = same
		}
	}
	c.GNURadio, c.Replaced = r.GNURadio, r.Replaced
	c.Rates[i] = append(c.Rates[i], estimate(c.Sinks[i].rates(r.Windows)).Mean)
	c.Others = max(c.Others, othersIn(r.Windows))
	return nil
}

func sinkNamed(blocks []Block, name string, port int) (Sink, bool) {
	for i := range blocks {
		if b := &blocks[i]; b.Label() == name && port < len(b.Inputs) {
			return Sink{b.UID, name, port, max(1, b.Inputs[port])}, true
		}
	}
	return Sink{}, false
}
