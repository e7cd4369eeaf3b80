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
}

// Compare runs two flow graphs alternately and compares their rates at the sink with the same name.
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
	const windows = 4
	for pair := range o.Pairs {
		o.step("comparing, pair %d of %d", pair+1, o.Pairs)
		for k := range mods {
			i := (k + pair) % len(mods) // no graph is always first
			r, err := l.run(ctx, mods[i], o.plan(windows))
			if err != nil {
				return nil, err
			}
			if err := c.add(r, i, graphs); err != nil {
				return nil, err
			}
		}
	}
	for i := range c.Rates {
		c.Means[i] = estimate(c.Rates[i])
	}
	c.Gain = gains(logRatios(c.Rates[1], c.Rates[0]))
	return c, nil
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
