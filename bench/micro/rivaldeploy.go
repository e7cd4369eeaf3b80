package micro

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"xopt/calibrate"
	"xopt/deploy/program"
)

// pilots is the number of short runs of each mapping or setting. xbench compares the fastest run of each to choose the
// mapping or setting.
const pilots = 2

// bestMapping returns the mapping that is fastest in short runs, among the fixed mappings and the mapping of the
// search. It stores the name and the predicted rate of this mapping, and the relative rate of the mapping of the
// search, in c.
func (r *rivalChain) bestMapping(ctx context.Context, c *RivalsCase) (best deployment, err error) {
	x, err := r.model(ctx, &c.RivalInput)
	if err != nil {
		return best, err
	}
	list := r.mappings()
	if list[foundName], err = r.searched(ctx, x); err != nil {
		return best, err
	}
	maximum, found := -1.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(list)) {
		x, err := r.predict(ctx, &c.RivalInput, x, list[name])
		if err != nil {
			return best, err
		}
		rate, err := r.pilot(ctx, &c.RivalInput, x)
		if err != nil {
			return best, fmt.Errorf("running the mapping %q: %w", name, err)
		}
		if name == foundName {
			found = rate
		}
		if rate > maximum {
			best, maximum, c.Mapping, c.Predicted = x, rate, name, x.rate
		}
	}
	if maximum > 0 {
		c.Found = found / maximum
	}
	return best, nil
}

// deployment is a mapping with its predicted rate in messages/s, and the predicted flow of each edge in bytes/s.
type deployment struct {
	mapping string
	rate    float64
	flow    []float64
	every   int    // the sink records the latency of every n-th message; 0 for none
	output  string // file with the recorded latencies
}

// rivalMemory is the maximum total memory in bytes of the buffers of a run.
const rivalMemory = 1 << 30

// deploy builds the program of a mapping, with the same buffer sizes as the command xopt deploy.
func (r *rivalChain) deploy(ctx context.Context, c *RivalInput, x deployment) (*program.Program, error) {
	if err := os.WriteFile(filepath.Join(r.dir, "map.x"), []byte(x.mapping+"\n"), 0o644); err != nil {
		return nil, fmt.Errorf("writing a mapping: %w", err)
	}
	set := maps.Clone(r.set(c))
	if x.every > 0 {
		set["top.every"] = fmt.Sprint(x.every)
	}
	return buildFolder(ctx, r.dir, set, program.Options{CPUs: 2, Flow: x.flow, Output: x.output,
		Growth: program.Growth{MaxBytes: rivalMemory, AtLeastStart: true}}, nil)
}

// pilot builds the program of a mapping, and returns its rate in the fastest of some short runs, in bytes/s.
func (r *rivalChain) pilot(ctx context.Context, c *RivalInput, x deployment) (rate float64, err error) {
	prog, err := r.deploy(ctx, c, x)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	for i := 0; i < pilots && err == nil; i++ {
		var now float64
		now, err = calibrate.SinkRate(ctx, prog, max(r.o.Window/3, minPilot))
		rate = max(rate, now)
	}
	return rate, err
}

// minPilot is the minimum duration of short runs.
const minPilot = 60 * time.Millisecond
