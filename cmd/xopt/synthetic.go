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
	"xopt/flow/exchange/tgff"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
)

// syntheticFlags are what bench synthetic has.
type syntheticFlags struct {
	tasks, graph, buffer int
	cores                int
	from, output         string
	unit, arrival        time.Duration
}

// benchSyntheticCommand writes synthetic applications.
func (a *app) benchSyntheticCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "synthetic",
		Short: "write a synthetic application: drawn as in Beard 2013, section 4.5, or of a .tgff file",
		Long: `synthetic writes an application to a folder: app.x, arch.x, the C of its kernels, and
its task graph as app.tgff. It is drawn from a seed as TGFF draws task graphs, with the
parameters of Beard 2013, section 4.5: 1 to 80 tasks with 1 to 4 arcs in and out, 20 us
of work within 10 %, exponentially distributed, and 1 to 64 bytes on an arc. Or it is
made of a graph of a .tgff file, with the times and sizes of its tables.`,
		Example: `xopt bench synthetic --seed 7 -o seven
xopt bench synthetic --tgff office.tgff --graph 1 --time-unit 1us -o office
xopt calibrate seven/app.x seven/arch.x -o seven.profile.json`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return a.synthetic(&a.settings.synthetic) },
	}
}

func (a *app) synthetic(f *syntheticFlags) error {
	g := taskgraph.Draw(a.settings.Seed, f.tasks)
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
		if g, err = taskgraph.FromTGFF(file, f.graph, f.unit.Seconds(), a.settings.Seed); err != nil {
			return &usageError{fmt.Errorf("%s: %w", f.from, err)}
		}
	}
	if _, err := os.Lstat(f.output); !errors.Is(err, fs.ErrNotExist) {
		return &usageError{fmt.Errorf("%s exists; name a new folder with -o", f.output)}
	}
	if err := os.MkdirAll(f.output, 0o755); err != nil {
		return fmt.Errorf("writing a synthetic application: %w", err)
	}
	if err := g.Write(f.output, taskgraph.Options{Buffer: f.buffer, Arrival: f.arrival.Seconds(),
		Cores: f.cores}); err != nil {
		return err
	}
	if err := output.WriteFile(filepath.Join(f.output, "app.tgff"), g.File().Write); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %d tasks, %d arcs, %d kernels with the source and the sink; drawn, not "+
		"measured\n",
		f.output, len(g.Graph.Tasks), len(g.Graph.Arcs), len(g.Graph.Tasks)+2)
	return err
}
