package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"xopt/bench/micro"
	"xopt/cmd/internal/report"
)

// maxMessage bounds the messages of bench rivals, in bytes.
const maxMessage = 16 << 20

// benchRivalsCommand compares deployments with other frameworks.
func (a *app) benchRivalsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rivals",
		Short: "a chain of eleven kernels, jpeg and des as xopt deploys them, beside oneTBB and GNU Radio",
		Long: `rivals runs the chain of Lancaster 2011, section 4.7.2 (bench/apps/chain) on two cores of this
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
		Example: `xopt bench rivals
xopt bench rivals --message 16384 --runs 21
xopt bench rivals --only jpeg,des
xopt bench rivals --md docs/results/rivals.md`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			f := &a.settings.bench
			o := micro.RivalsOptions{Runs: f.runs, Window: f.window, Only: f.only, Progress: a.benchProgress(),
				Note: func(text string) { a.remark("note: " + text) }}
			if f.message != 0 {
				if f.message < 8 || f.message%8 != 0 || f.message > maxMessage {
					return wrongUse("--message is %d, want a multiple of 8 from 8 to %d", f.message, maxMessage)
				}
				o.Bytes = []int{f.message}
			}
			cases, err := micro.Rivals(c.Context(), o)
			if err != nil {
				return fmt.Errorf("comparing with other frameworks: %w", err)
			}
			return a.showBench(cases, report.Rivals(cases, f.runs, f.window), report.RivalRatios(cases),
				report.RivalCosts(cases), report.RivalApps(cases, f.runs, f.window))
		},
	}
}
