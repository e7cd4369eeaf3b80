package main

import (
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"xopt/bench/networks"
	"xopt/cmd/internal/report"
)

// benchHostsCommand holds predictions of mappings over hosts against runs.
func (a *app) benchHostsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hosts",
		Short: "predictions of mappings over several hosts, beside runs over networks of this machine",
		Long: `hosts makes networks of two and three hosts out of this machine: each host is a network
namespace of Linux, and the cables between them have a bandwidth of 80 or 800 Mbit/s, or are
not limited, and a delay of up to 20 ms. It calibrates the kernels of test1 and each network,
and searches the best mapping that has the first source on the first host and the sink on the
last. It runs that and others, drawn at random, and compares the throughput with what was
predicted, and the search's choice with the best that it could have chosen.

It needs root and the command ip. A network that is not limited, or of three hosts and 800
Mbit/s, wants a processor for each host, and is left out where there are fewer: the model
knows nothing of hosts that are one machine.`,
		Example: `xopt bench hosts
xopt bench hosts --runs 1 --mappings 5`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				self = os.Args[0]
			}
			f := &a.settings.bench
			progress := ""
			cases, err := networks.Measure(c.Context(), networks.Options{Runs: f.runs, Window: f.window,
				Mappings: f.mappings, Seed: a.settings.Seed, Networks: networks.Networks(runtime.NumCPU()),
				Command: []string{self, "part"}, Version: version(),
				Progress: func(stage string, done, all int) {
					if stage != progress {
						progress = stage
						a.note("network %d of %d: %s", done+1, all, stage)
					}
				}})
			if err != nil {
				return err
			}
			return a.showBench(cases, report.Hosts(cases, f.runs, f.window), report.HostMappings(cases))
		},
	}
}
