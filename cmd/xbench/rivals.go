package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/micro"
	"xopt/cmd/internal/report"
	"xopt/internal/fault"
)

// maxMessage is the maximum message size in bytes.
const maxMessage = 16 << 20

// rivals returns the benchmark that compares deployments by xopt with other frameworks.
func rivals() *benchmark {
	return &benchmark{
		use:   "rivals",
		short: "a chain of eleven kernels, jpeg and des in xopt, oneTBB and GNU Radio",
		long: `rivals runs the chain of Lancaster 2011, section 4.7.2 (bench/apps/chain) on two cores of this
machine: deployed by xopt, on oneTBB (parallel_pipeline and flow graph, with one message or 16
KiB of messages in a token) and on GNU Radio 3.10. All execute the same C statements, compiled
with the same flags, on the same two cores, and their runs alternate. Short alternating runs
first select the fastest of xopt's mappings (one core, divided in two, two copies, two complete
chains, and the result of the search) and the fastest number of tokens: the slower half leaves
after every two runs. The command also shows the predicted rate of the mapping, from the service
times on one core and the cost of messages between cores.
The processor time of a message is shown because other programs influence it less than the rate.
Separate runs measure the latencies of about 20,000 messages.

For jpeg and des (bench/apps), the comparison is with oneTBB's parallel_pipeline. The pipeline
has a filter for each kernel, from the same sources, and one or more elements of the source in a
token. Before the runs, the command compares the outputs byte for byte. Kernels without state
are parallel filters in oneTBB, and declared stateless for xopt. GNU Radio is excluded: its
scheduler needs declared rates, and the entropy coder of jpeg has no fixed rate.

By default, the command takes about 40 minutes. --only selects parts: the chain, the skewed
chain (one kernel has half of the work), jpeg or des. After an interruption, the command
shows the comparisons that are complete. It skips and lists frameworks that are not installed.
To install the frameworks:

    apt-get install libtbb-dev
    apt-get install --no-install-recommends gnuradio-dev`,
		example: `xbench rivals
xbench rivals --message 16384 --runs 21
xbench rivals --only jpeg,des
xbench rivals --md docs/results/rivals.md`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			t := timingOf(f, 11, time.Second)
			bytes := f.Int("message", 0, "size of the messages in `bytes`, a multiple of 8; 0 for 64, "+
				"1024, 16384 and 262144")
			only := f.StringSlice("only", nil, "only these `parts`, separated by commas: "+
				strings.Join(micro.RivalParts(), ", "))
			check := func() error { return errors.Join(t.check(), oneOf("only", *only, micro.RivalParts())) }
			return check, func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				o := micro.RivalsOptions{Runs: t.runs, Window: t.window, Only: *only, Progress: s.progress,
					Note: func(text string) { s.remark("note: " + text) }}
				if *bytes != 0 {
					if *bytes < 8 || *bytes%8 != 0 || *bytes > maxMessage {
						return nil, nil, fault.WrongValue("message", *bytes,
							"a multiple of 8 from 8 to %d", maxMessage)
					}
					o.Bytes = []int{*bytes}
				}
				cases, err := micro.Rivals(ctx, o)
				switch {
				case ctx.Err() != nil && len(cases) == 0:
					return nil, nil, ctx.Err()
				case ctx.Err() != nil:
					s.remark("interrupted: the tables contain only complete comparisons")
					err = errInterrupted
				case err != nil:
					return nil, nil, fmt.Errorf("comparing with other frameworks: %w", err)
				}
				return cases, []*report.Table{report.Rivals(cases, t.runs, t.window), report.RivalRatios(cases),
					report.RivalCosts(cases), report.RivalLatencies(cases, t.window),
					report.RivalApps(cases, t.runs, t.window)}, err
			}
		},
	}
}
