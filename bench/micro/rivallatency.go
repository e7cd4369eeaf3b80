package micro

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The parameters of the runs that measure latencies. These are separate runs, because recording latencies reduces the
// rate by some percent.
const (
	latencyRuns  = 3     // number of runs of each framework
	latencyCount = 20000 // approximate number of recorded latencies in a run
	latencyWarm  = 0.2   // fraction of a run's latencies that are discarded
	latencyRank  = 0.99  // reported quantile
)

// latencies measures the latencies of messages in alternating runs of xopt and its rivals. A latency is the time from
// the writing of a message in the source to its reading in the sink. The message contains the time of its writing. The
// measuring code is the same in each framework. latencies stores the medians of the 99 % quantiles in c.P99, in s.
func (r *rivalChain) latencies(ctx context.Context, c *RivalsCase, best deployment, chosen [rivalWays]*way) error {
	if c.App != "" {
		return nil
	}
	best.every = max(1, int(c.Rates[rivalXopt].Value*r.o.Window.Seconds()/latencyCount))
	best.output = filepath.Join(r.dir, "latencies")
	prog, err := r.deploy(ctx, &c.RivalInput, best)
	if err != nil {
		return err
	}
	var of [rivalWays][]float64
	for range latencyRuns {
		for kind := range rivalWays {
			var list []float64
			switch w := chosen[kind]; {
			case kind == rivalXopt:
				if _, err = runXopt(ctx, prog, c.Bytes, r.o.Window); err == nil {
					list, err = readLatencies(best.output)
				}
			case w != nil:
				timed := *w
				timed.every = best.every
				var now ran
				now, err = r.run(ctx, &c.RivalInput, &timed, r.o.Window)
				list = now.latencies
			}
			if err != nil && !errors.Is(err, errNothing) {
				return errors.Join(fmt.Errorf("measuring latencies of %s: %w", RivalWays()[kind], err), prog.Remove())
			}
			if p99, ok := highLatency(list); ok {
				of[kind] = append(of[kind], p99)
			}
		}
	}
	for kind := range rivalWays {
		if len(of[kind]) > 0 {
			c.P99[kind] = median(of[kind])
		}
	}
	return prog.Remove()
}

// highLatency returns the 99 % quantile of a run's latencies in s, excluding those at the start of the run. It returns
// false if the run has too few latencies for this quantile.
func highLatency(list []float64) (float64, bool) {
	list = slices.Sorted(slices.Values(list[int(latencyWarm*float64(len(list))):]))
	at := int(math.Ceil(latencyRank*float64(len(list)))) - 1
	if float64(len(list))*(1-latencyRank) < 1 {
		return 0, false
	}
	return list[at], true
}

// readLatencies reads the latencies in s from the output file of the sink of a program that xopt deployed.
func readLatencies(path string) ([]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading latencies: %w", err)
	}
	list := make([]float64, len(data)/8)
	if _, err := binary.Decode(data, binary.NativeEndian, list); err != nil {
		return nil, fmt.Errorf("reading latencies: %w", err)
	}
	return list, nil
}

// splitLatencies parses the output of a rival's program. It returns the latencies in s, one per line, and the line with
// the counts.
func splitLatencies(out []byte) (list []float64, counts string, err error) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		line := lines.Text()
		if strings.Contains(line, " ") {
			return list, line, nil
		}
		x, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, "", fmt.Errorf("unexpected latency %q, expected a number of seconds", line)
		}
		list = append(list, x)
	}
	return nil, "", fmt.Errorf("the output of %d bytes contains no line with counts", len(out))
}
