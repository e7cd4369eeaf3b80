package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"xopt/bench"
	"xopt/bench/tgff"
	"xopt/internal/infile"
	"xopt/internal/report"
)

// syntheticFlags are what bench synthetic has.
type syntheticFlags struct {
	seed                 uint64
	tasks, graph, buffer int
	cores                int
	from, output         string
	unit, arrival        time.Duration
}

// benchSyntheticCommand writes synthetic applications.
func (a *app) benchSyntheticCommand() *cobra.Command {
	var f syntheticFlags
	c := &cobra.Command{
		Use:   "synthetic",
		Short: "write a synthetic application: drawn as in Beard 2013, section 4.5, or of a .tgff file",
		Long: `synthetic writes an application to a folder: app.x, arch.x, the C of its kernels, and
its task graph as app.tgff. It is drawn from a seed as TGFF draws task graphs, with the
parameters of Beard 2013, section 4.5: 1 to 80 tasks with 1 to 4 arcs in and out, 20 us
of work within 10 %, exponentially distributed, and 1 to 64 bytes on an arc. Or it is
made of a graph of a .tgff file, with the times and sizes of its tables.

    xopt bench synthetic --random-seed 7 -o seven
    xopt bench synthetic --tgff office.tgff --graph 1 --time-unit 1us -o office
    xopt calibrate seven/app.x seven/arch.x -o seven.profile.json`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.synthetic(&f) },
	}
	flags := c.Flags()
	flags.Uint64Var(&f.seed, "random-seed", 1, "what to draw from")
	flags.IntVar(&f.tasks, "tasks", 0, "how many tasks; 0 draws 1 to 80")
	flags.StringVar(&f.from, "tgff", "", "take a task graph of this `FILE`")
	flags.IntVar(&f.graph, "graph", 0, "which of its graphs, by number")
	flags.DurationVar(&f.unit, "time-unit", time.Second, "what a time of 1 in that file is")
	flags.DurationVar(&f.arrival, "arrival", 0, "mean time between what the source sends, exponentially;\n"+
		"0 for as fast as it is taken")
	flags.IntVar(&f.buffer, "buffer", 0, "elements that each edge buffers; 0 for xopt's own choice")
	flags.IntVar(&f.cores, "cores", 2, "cores of the architecture")
	flags.StringVarP(&f.output, "out", "o", "synthetic", "write to this `FOLDER`, which must not exist")
	return c
}

func (a *app) synthetic(f *syntheticFlags) error {
	const most = 10_000
	if f.tasks < 0 || f.tasks > most || f.buffer < 0 || f.cores < 1 || f.cores > most || f.unit <= 0 || f.arrival < 0 {
		return &usageError{fmt.Errorf("--tasks %d, --buffer %d, --cores %d, --time-unit %v, --arrival %v: want up "+
			"to %d tasks and 1 to %d cores, and nothing below 0",
			f.tasks, f.buffer, f.cores, f.unit, f.arrival, most, most)}
	}
	g := bench.DrawTaskGraph(f.seed, f.tasks)
	if f.from != "" {
		if f.tasks != 0 {
			return &usageError{errors.New("--tasks is for graphs that are drawn; leave it out with --tgff")}
		}
		r, err := infile.Open(f.from)
		if err != nil {
			return &usageError{fmt.Errorf("reading task graphs: %w", err)}
		}
		defer r.Close()
		file, err := tgff.Read(f.from, r)
		if err != nil {
			return &usageError{err}
		}
		if g, err = bench.FromTGFF(file, f.graph, f.unit.Seconds(), f.seed); err != nil {
			return &usageError{fmt.Errorf("%s: %w", f.from, err)}
		}
	}
	if _, err := os.Lstat(f.output); !errors.Is(err, fs.ErrNotExist) {
		return &usageError{fmt.Errorf("%s exists; name a new folder with -o", f.output)}
	}
	if err := os.MkdirAll(f.output, 0o755); err != nil {
		return fmt.Errorf("writing a synthetic application: %w", err)
	}
	if err := g.Write(f.output, bench.TaskGraphX{Buffer: f.buffer, Arrival: f.arrival.Seconds(),
		Cores: f.cores}); err != nil {
		return err
	}
	if err := report.WriteFile(filepath.Join(f.output, "app.tgff"), g.File().Write); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %d tasks, %d arcs, %d kernels with the source and the sink; drawn, not "+
		"measured\n",
		f.output, len(g.Graph.Tasks), len(g.Graph.Arcs), len(g.Graph.Tasks)+2)
	return err
}
