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

// maxMessage bounds the messages of rivals, in bytes.
const maxMessage = 16 << 20

// rivals compares deployments with other frameworks.
func rivals() *benchmark {
	return &benchmark{
		use:   "rivals",
		short: "a chain of eleven kernels, jpeg and des as xopt deploys them, beside oneTBB and GNU Radio",
		long: `rivals runs the chain of Lancaster 2011, section 4.7.2 (bench/apps/chain) on two cores of this
machine: as xopt deploys it, on oneTBB (parallel_pipeline and flow graph, with a message or
16 KiB of messages in a token) and on GNU Radio 3.10. All have the same statements of work,
compiled with the same flags, on the same two cores, and their runs alternate. Of xopt's
mappings (one core, cut in two, two copies, two whole chains, and the one that the search
finds) and of the numbers of tokens the one counts that is fastest in short runs before.
The model's prediction of that mapping stands beside its rate: from what each kernel takes
where all run on one core, and what messages cost between cores. The processor time of a
message is printed, too: other work on the machine changes it less.

jpeg and des (bench/apps) run beside oneTBB's parallel_pipeline, from the sources of the same
kernels, with a filter for each and one element of the source, or many, in a token. Their
outputs are compared byte for byte before. The kernels without state, which are parallel
filters there, are declared stateless for xopt. GNU Radio has no part in them: its scheduler
gives blocks items at rates that are declared, and the entropy coder of jpeg has none.

The default takes about eight minutes; --only measures one part: the chain, the skewed chain of
which one kernel has half of the work, jpeg or des. What is not installed is named and left out:

    apt-get install libtbb-dev
    apt-get install --no-install-recommends gnuradio-dev`,
		example: `xbench rivals
xbench rivals --message 16384 --runs 21
xbench rivals --only jpeg,des
xbench rivals --md docs/results/rivals.md`,
		declare: func(f *pflag.FlagSet) measure {
			t := timingOf(f, 7, 200*time.Millisecond)
			bytes := f.Int("message", 0, "size of the messages in `bytes`, a multiple of 8; 0 for 64, "+
				"1024, 16384 and 262144")
			only := f.StringSlice("only", nil, "only these `parts`, separated by commas: "+
				strings.Join(micro.RivalParts(), ", "))
			return func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				if err := errors.Join(t.check(shortestWindow), oneOf("only", *only, micro.RivalParts())); err != nil {
					return nil, nil, err
				}
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
				if err != nil {
					return nil, nil, fmt.Errorf("comparing with other frameworks: %w", err)
				}
				return cases, []*report.Table{report.Rivals(cases, t.runs, t.window), report.RivalRatios(cases),
					report.RivalCosts(cases), report.RivalApps(cases, t.runs, t.window)}, nil
			}
		},
	}
}
