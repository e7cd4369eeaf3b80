// Command up starts a Slurm of four nodes on this machine in the folder that it is given, to try campaigns on, or
// ends the one that is there: up DIR, up -down DIR. It prints what a shell must set to use it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"xopt/cmd/internal/campaign/cluster"
)

func main() {
	down := flag.Bool("down", false, "end the cluster of the folder, with its jobs, and remove the folder")
	nodes := flag.Int("nodes", 4, "how many nodes of one processor")
	flag.Parse()
	if flag.NArg() != 1 || *nodes < 1 {
		fmt.Fprintln(os.Stderr, "usage: up [-nodes N] DIR, or up -down DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *nodes, *down); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, nodes int, down bool) error {
	if down {
		c, err := cluster.In(dir)
		if err != nil {
			return err
		}
		return c.Down(ctx)
	}
	c, err := cluster.Up(ctx, dir, nodes)
	if err != nil {
		return err
	}
	fmt.Printf("# a Slurm of %d nodes is up; this shell uses it after:\nexport SLURM_CONF=%s\n", nodes,
		filepath.Join(c.Dir, "slurm.conf"))
	return nil
}
