package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"xopt/bench/arena"
	"xopt/bench/arena/opponents"
	"xopt/cmd/internal/report"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// arenaOptions are the options of the arena.
type arenaOptions struct {
	sets, methods []string
	only          string
	from, export  string
	limit         time.Duration
	threads       int
	seed          uint64
}

// arenaRuns returns the benchmark on published task graphs.
func arenaRuns() *benchmark {
	return &benchmark{
		use:   "arena",
		short: "published task graphs: xopt's search and other methods",
		long: `arena searches published task graphs for the mapping with the shortest period, and compares it
with the proven bound, with published results, and with other methods. All methods have the same
cost model: the period is the largest load of a core or of the bus, and never below the limit of
the graph's cycles. Stateless tasks may run on several cores, which share their iterations.

Opponents have as much time as xopt used, and at least 1 s. The time to best of a mapping with
copies is the time of the complete search. The rate counts the mappings that the search without
copies scored. Each result of xopt is computed twice, from X files and from the problem; these
must be equal.

The sets dvbs2-amp, amp-chains, csdf-tue, farsi and dagbench are part of xbench
(bench/arena/data/NOTICES.md). Others (sdf3, csdf-kiter, preesm, amp-chains-all) are read from the
folder of --from. StreamIt's graphs have no times. Published periods are the best of contiguous
stages, computed by their authors; a mapping with other stages may be better. Where a set gives no
machine, it is assumed: 4c has four equal cores, 8b4l has eight cores and four that need twice the
time, and 2c1a has two cores and an accelerator for the larger half of the tasks, four times as
fast unless the source gives its times. Times in cycles are converted with 1 GHz. DAGBench's links
are one bus. Tasks of farsi and dagbench count as stateful.`,
		example: `xbench arena --set dvbs2-amp
xbench arena --time 10s --md docs/results/arena.md
xbench arena --set sdf3 --from ~/graphs
xbench arena --set dvbs2-amp --only 16B4L --export x     write X files instead`,
		declare: func(f *pflag.FlagSet) measure {
			o := &arenaOptions{}
			f.StringSliceVar(&o.sets, "set", arena.Shipped(), "`sets` of graphs")
			f.StringVar(&o.only, "only", "", "only instances whose name contains this `text`")
			f.StringVar(&o.from, "from", "", "`folder` with the files of sets that are not part of xbench")
			f.StringVar(&o.export, "export", "", "write the instances as X files to this `folder`, and run nothing")
			f.StringSliceVar(&o.methods, "method", nil, "opponents to run, or none (default all `methods`)")
			f.DurationVar(&o.limit, "time", 10*time.Second, "`time` limit of each search")
			f.IntVar(&o.threads, "threads", 2, "`number` of threads of each search, and of opponents at a time")
			f.Uint64Var(&o.seed, "seed", 1, "seed of all random choices")
			return func(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
				return o.run(ctx, s)
			}
		},
	}
}

func (o *arenaOptions) run(ctx context.Context, s *session) (any, []*report.Table, error) {
	names := append(arena.Shipped(), arena.Downloaded()...)
	if err := errors.Join(between("time", o.limit, shortestSearch, maxWindow), between("threads", o.threads, 1,
		maxThreads), oneOf("set", o.sets, names)); err != nil {
		return nil, nil, err
	}
	methods, err := o.opponents()
	if err != nil {
		return nil, nil, err
	}
	list, err := o.instances()
	if err != nil {
		return nil, nil, err
	}
	if o.export != "" {
		return nil, nil, exportInstances(ctx, list, o.export, s)
	}
	rows, err := arena.Compare(ctx, list, &arena.Options{Opponents: methods, Progress: s.progress,
		SearchOptions: arena.SearchOptions{Time: o.limit, Threads: o.threads, Seed: o.seed}})
	if errors.Is(err, context.Canceled) && len(rows) > 0 {
		err = errInterrupted
	} else if err != nil && len(rows) == 0 {
		return nil, nil, err
	}
	return rows, report.Arena(rows, o.limit, o.threads), err
}

// opponents returns the requested opponents.
func (o *arenaOptions) opponents() ([]arena.Opponent, error) {
	var all []arena.Opponent
	for _, m := range opponents.Methods() {
		all = append(all, arena.Opponent{Name: m.Name, Run: m.Run, NotApplicable: opponents.ErrNotApplicable})
	}
	if len(o.methods) == 0 {
		return all, nil
	}
	names := []string{"none"}
	for _, m := range all {
		names = append(names, m.Name)
	}
	if err := oneOf("method", o.methods, names); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(m arena.Opponent) bool { return !slices.Contains(o.methods, m.Name) }), nil
}

// instances reads the requested instances.
func (o *arenaOptions) instances() ([]arena.Instance, error) {
	var list []arena.Instance
	for _, name := range o.sets {
		folder := o.from
		if slices.Contains(arena.Shipped(), name) {
			folder = ""
		} else if folder == "" {
			return nil, fault.WrongOptionValue.Usagef("--set %s: this set is not part of xbench; name the folder that "+
				"contains %s.json with --from", name, name)
		}
		more, err := arena.Load(name, folder, o.only)
		if err != nil {
			return nil, fault.Usage(err)
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, fault.WrongValue("only", o.only, "part of the name of an instance, such as 16B4L")
	}
	return list, nil
}

// exportInstances writes the application and the machine of each instance in X.
func exportInstances(ctx context.Context, list []arena.Instance, folder string, s *session) error {
	plan, files := &output.Plan{Force: s.force}, make(map[string]output.Kind)
	for i := range list {
		files[list[i].Problem.Name+".app.x"] = output.Imported()
		files[list[i].Problem.Name+".arch.x"] = output.Imported()
	}
	plan.Into("--export", folder, files)
	if err := plan.Err(); err != nil {
		return err
	}
	for i := range list {
		base := filepath.Join(folder, list[i].Problem.Name)
		if err := errors.Join(output.WriteRendered(ctx, base+".app.x", list[i].WriteApplication),
			output.WriteRendered(ctx, base+".arch.x", list[i].WriteMachine)); err != nil {
			return err
		}
	}
	s.note(fmt.Sprintf("wrote %s to %s", units.Counted(2*len(list), "file", "files"), folder))
	return nil
}
