package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench/draw/taskgraph"
	"xopt/cmd/faults"
	"xopt/cmd/internal/options"
	"xopt/flow/exchange/tgff"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
)

// synthetic contains the options of syntheticCommand.
type synthetic struct {
	seed                        uint64
	tasks, graph, buffer, cores int
	from, folder                string
	unit, arrival               time.Duration
}

// syntheticCommand returns the command that writes synthetic applications.
func syntheticCommand(s *session) *cobra.Command {
	o := &synthetic{}
	c := &cobra.Command{
		Use:   "synthetic",
		Short: "write a synthetic application: random as in Beard 2013, section 4.5, or from a .tgff file",
		Long: `synthetic writes an application to a folder: app.x, arch.x, the C of its kernels, and its
task graph as app.tgff. The graph is random, as TGFF generates task graphs, with the
parameters of Beard 2013, section 4.5: 1 to 80 tasks with 1 to 4 arcs in and out,
exponentially distributed work with a mean of 20 us ±10 %, and 1 to 64 bytes on an arc. With
--tgff, the graph, its times and its sizes come from a .tgff file.`,
		Example: `xbench synthetic --seed 7 -o seven
xbench synthetic --tgff office.tgff --graph 1 --time-unit 1us -o office
xopt calibrate seven/app.x seven/arch.x -o seven.profile.json`,
		Args: options.MaxArgs(0),
		RunE: func(*cobra.Command, []string) error { return o.write(s) },
	}
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of the random application")
	f.IntVar(&o.tasks, "tasks", 0, "`number` of tasks; 0 for a random number from 1 to 80")
	f.StringVar(&o.from, "tgff", "", "read the task graph from this `file`")
	f.IntVar(&o.graph, "graph", 0, "`number` of the graph in the file of --tgff")
	f.DurationVar(&o.unit, "time-unit", time.Second, "`duration` of one unit of time in the file of --tgff")
	f.DurationVar(&o.arrival, "arrival", 0, "mean `time` between the elements of the source, exponentially "+
		"distributed; 0 for as fast as possible")
	f.IntVar(&o.buffer, "buffer", 0, "`number` of elements in the buffer of each edge; 0 for xopt's default")
	f.IntVar(&o.cores, "cores", 2, "`number` of cores of the architecture")
	f.StringVarP(&o.folder, "out", "o", "synthetic", "write to this `folder`, which must not exist")
	return c
}

// check rejects invalid options.
func (o *synthetic) check() error {
	if o.from != "" && o.tasks != 0 {
		return faults.OptionsConflict.Usagef("--tasks applies to random graphs only (omit it with --tgff)")
	}
	if _, err := os.Lstat(o.folder); !errors.Is(err, fs.ErrNotExist) {
		return fault.AlreadyExists.Usagef("%s exists (choose a new folder with -o)", o.folder)
	}
	return errors.Join(between("tasks", o.tasks, 0, maxGraphs), between("graph", o.graph, 0, maxGraphs),
		between("time-unit", o.unit, 1, maxDuration), between("arrival", o.arrival, 0, maxDuration),
		between("buffer", o.buffer, 0, 1<<30), between("cores", o.cores, 1, maxGraphs))
}

// write draws or reads the graph and writes the application.
func (o *synthetic) write(s *session) error {
	if err := o.check(); err != nil {
		return err
	}
	g := taskgraph.Draw(o.seed, o.tasks)
	if o.from != "" {
		r, err := infile.Open(o.from)
		if err != nil {
			return faults.WrongTaskGraphs.Usagef("reading task graphs: %w", err)
		}
		defer r.Close() //nolint:errcheck // it was read only
		file, err := tgff.Read(o.from, r)
		if err != nil {
			return fault.Usage(err)
		}
		if g, err = taskgraph.FromTGFF(file, o.graph, o.unit.Seconds(), o.seed); err != nil {
			return faults.WrongTaskGraphs.Usagef("%s: %w", o.from, err)
		}
	}
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return fmt.Errorf("writing a synthetic application: %w", err)
	}
	if err := g.Write(o.folder, taskgraph.Options{Buffer: o.buffer, Arrival: o.arrival.Seconds(),
		Cores: o.cores}); err != nil {
		return err
	}
	if err := output.WriteFile(filepath.Join(o.folder, "app.tgff"), g.File().Write); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.stdout, "%s: %d tasks, %d arcs, %d kernels including the source and the sink; random, "+
		"not measured\n", o.folder, len(g.Graph.Tasks), len(g.Graph.Arcs), len(g.Graph.Tasks)+2)
	return err
}
