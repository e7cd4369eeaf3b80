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

// arenaOptions contains the options of the arena.
type arenaOptions struct {
	sets, methods []string
	only          string
	from, export  string
	limit         time.Duration
	threads       int
	seed          uint64
}

// arenaRuns returns the benchmark that compares xopt's search with other methods on published task graphs.
func arenaRuns() *benchmark {
	return &benchmark{
		use:   "arena",
		short: "published task graphs: xopt's search and other methods",
		long: `arena searches published task graphs for the mapping with the shortest period. It compares this
mapping with the proven bound, with published results, and with mappings of other methods. All
methods have the same cost model. The period is the largest of three times: the load of the
busiest core, the load of the bus, and the shortest period that the cycles of the graph allow.
Stateless tasks may run on several cores, which share their iterations.

Opponents have as much time as xopt used, but at least 1 s. If the best mapping has copies, its
time to best is the time of the complete search. The rate of moves counts only annealing
without copies, and not the proof. xbench computes each period of xopt from the X files and
again from the task graph, and stops if the two periods differ.

The sets dvbs2-amp, amp-chains, csdf-tue, farsi and dagbench are part of xbench
(bench/arena/data/NOTICES.md). For the sets sdf3, csdf-kiter, preesm and amp-chains-all, --from
names the folder. The graphs of StreamIt are not supported, because they have no times. A
published period is the shortest with contiguous stages, as computed by its authors. Other
mappings can have shorter periods. For graphs without a machine, xbench assumes three machines:
4c has four equal cores; 8b4l has eight cores, and four cores that need twice the time; 2c1a has
two cores and an accelerator. The accelerator runs the half of the tasks with the most work, in
a quarter of the time. If the source has times for accelerators, 2c1a has one accelerator of
each kind. A cycle takes 1 ns. In dagbench, one bus with the speed of the slowest link replaces
all links. Tasks of farsi and dagbench count as stateful.

With the opponent milp, xbench also searches the front of throughput and cores of each instance
without stateless tasks and with at most 50 tasks. milp has the same time for all numbers of
cores together, but at least 1 s for each.`,
		example: `xbench arena --set dvbs2-amp
xbench arena --time 10s --md docs/results/arena.md
xbench arena --set sdf3 --from ~/graphs
xbench arena --set dvbs2-amp --only 16B4L --export x     write X files instead`,
		declare: func(f *pflag.FlagSet) (func() error, measure) {
			o := &arenaOptions{}
			f.StringSliceVar(&o.sets, "set", arena.Shipped(), "`sets` of graphs to search")
			f.StringVar(&o.only, "only", "", "search only instances whose name contains this `text`")
			f.StringVar(&o.from, "from", "", "`folder` with the files of sets that are not part of xbench")
			f.StringVar(&o.export, "export", "", "write the instances as X files to this `folder`, without a search")
			f.StringSliceVar(&o.methods, "method", nil, "`methods` to compare with xopt, or none (default: all)")
			f.DurationVar(&o.limit, "time", 10*time.Second, "`time` limit of each search")
			f.IntVar(&o.threads, "threads", 2, "`number` of threads of each search, and of opponents that run at once")
			f.Uint64Var(&o.seed, "seed", 1, "seed of all random choices")
			return o.check, o.run
		},
	}
}

// check rejects invalid options.
func (o *arenaOptions) check() error {
	return errors.Join(between("time", o.limit, shortestSearch, maxWindow),
		between("threads", o.threads, 1, maxThreads),
		oneOf("set", o.sets, append(arena.Shipped(), arena.Downloaded()...)))
}

// run searches the instances, or writes them for --export.
func (o *arenaOptions) run(ctx context.Context, s *session, _ []string) (any, []*report.Table, error) {
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
	options := &arena.Options{Opponents: methods, Progress: s.progress,
		SearchOptions: arena.SearchOptions{Time: o.limit, Threads: o.threads, Seed: o.seed}}
	rows, err := arena.Compare(ctx, list, options)
	if errors.Is(err, context.Canceled) && len(rows) > 0 {
		err = errInterrupted
	} else if err != nil && len(rows) == 0 {
		return nil, nil, err
	}
	tables := report.Arena(rows, o.limit, o.threads)
	if err != nil || !slices.ContainsFunc(methods, func(m arena.Opponent) bool { return m.Name == exact }) {
		return arenaResult{rows, nil}, tables, err
	}
	fronts, err := arena.Fronts(ctx, list, options, opponents.MILPOn)
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	return arenaResult{rows, fronts}, append(tables, report.ArenaFronts(fronts, exact)...), err
}

// exact is the name of the opponent that also searches fronts.
const exact = "milp"

// arenaResult contains the results of the arena.
type arenaResult struct {
	Instances []arena.Row   `json:"instances"`
	Fronts    []arena.Front `json:"fronts,omitempty"`
}

// opponents returns the opponents that --method names. Without --method, it returns all opponents.
func (o *arenaOptions) opponents() ([]arena.Opponent, error) {
	all := opponents.Methods()
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

// instances reads the instances of --set whose names contain the text of --only.
func (o *arenaOptions) instances() ([]arena.Instance, error) {
	var list []arena.Instance
	for _, name := range o.sets {
		folder := o.from
		if slices.Contains(arena.Shipped(), name) {
			folder = ""
		} else if folder == "" {
			return nil, fault.WrongOptionValue.Usagef("--set %s: this set is not part of xbench (name the folder of "+
				"%s.json with --from)", name, name)
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
