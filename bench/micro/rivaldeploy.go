package micro

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"xopt/deploy/program"
)

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
