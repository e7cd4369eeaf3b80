package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/internal/fault"
)

// campaignCommand computes many points, on this machine or on a cluster.
func (a *app) campaignCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "campaign",
		Short: "compute many points of a command, on this machine or on a cluster",
		Long: `A campaign computes the points of a command side by side: the points of a sweep, for
example. All it needs is a folder. Workers take points from it and write results into it,
and whatever ends them, what is done is done: resume computes what is missing. The results
are those of the command itself.`,
		Args: options.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.campaignSubmitCommand(), a.campaignStatusCommand(), a.campaignCollectCommand(),
		a.campaignResumeCommand(), a.campaignCancelCommand(), a.campaignWorkCommand())
	return c
}

func (a *app) campaignSubmitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "submit FILE",
		Short: "begin a campaign; on this machine, compute it",
		Long: `submit makes the folder of a campaign: what a small file says, with copies of all files
that are read. Then it has the points computed. On this machine that is done at once, and
Ctrl-C keeps what is done. The file names a command, its files, and its options by their
names:

    kind: sweep
    files: [app.x, arch.x]
    vary: [PCIX.bandwidth=10MB/s..1GB/s, top.pipes=1..4]
    points: 100

A range has so many points, but one of whole numbers, as that of top.pipes here, has no more
than there are: these are 400 points. A comma within [ ] ends a value; "fpga=1,2" is in
quotes for that. Before the folder is made, the files, the options and each value of vary are
checked as the command itself does.`,
		Example: `xopt campaign submit sweep.campaign.yaml
xopt campaign submit sweep.campaign.yaml --dir /shared/run1 --workers 8`,
		Args: options.ExactArgs(1, "a campaign file"),
		RunE: func(c *cobra.Command, args []string) error { return a.submitFile(c, args[0]) },
	}
}

func (a *app) campaignStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "say how far a campaign is, from its files alone",
		Long: `status reads the folder of a campaign, and nothing else: how many points are done, failed
(they reported an error), set aside (they took their process with them three times), in
the hand of workers, and waiting; and about how much time is left. With --watch it goes on
until all is done, and has Slurm replace workers that have died: it asks once a minute.
docs/campaigns.md has the fields of --json with their units.`,
		Example: `xopt campaign status /shared/run1
xopt campaign status /shared/run1 --watch`,
		Args: options.ExactArgs(1, "the folder of a campaign"),
		RunE: func(c *cobra.Command, args []string) error { return a.campaignStatus(c.Context(), args[0]) },
	}
}

func (a *app) campaignCollectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "collect DIR",
		Short: "print or write the result of a campaign, as its command would",
		Long: `collect puts the results of all points together, and prints and writes what the command
itself would: the same tables, the same files. Nothing is written into the folder of a
campaign, this one or another.`,
		Example: `xopt campaign collect /shared/run1
xopt campaign collect /shared/run1 -o table.csv --report page`,
		Args: options.ExactArgs(1, "the folder of a campaign"),
		RunE: func(c *cobra.Command, args []string) error { return a.collect(c.Context(), args[0]) },
	}
}

func (a *app) campaignResumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "compute what is missing of a campaign",
		Long: `resume computes the points of a campaign that have no result: those that were not begun,
those that failed or were set aside, and those whose results are damaged. It can be called
while others compute.`,
		Example: "xopt campaign resume /shared/run1",
		Args:    options.ExactArgs(1, "the folder of a campaign"),
		RunE:    func(c *cobra.Command, args []string) error { return a.resumeCampaign(c.Context(), args[0]) },
	}
}

func (a *app) campaignCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel DIR",
		Short: "have the workers of a campaign end; what is done is kept",
		Long: `cancel has the workers of a campaign end, wherever they are, and its jobs in Slurm. Who
waits for the campaign, such as submit on this machine, ends with the exit code 130.`,
		Example: "xopt campaign cancel /shared/run1",
		Args:    options.ExactArgs(1, "the folder of a campaign"),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := openCampaign(args[0])
			if err != nil {
				return err
			}
			return a.cancelCampaign(c.Context(), f, args[0])
		},
	}
}

// cancelCampaign has the workers of a campaign end, if it is not done already.
func (a *app) cancelCampaign(ctx context.Context, f *campaign.Folder, dir string) error {
	r := a.runOf(f)
	s, err := r.Look()
	whole := err == nil && s.Complete() // what cannot be looked at can be cancelled
	before := f.Cancelled()
	if !whole && !before {
		if err := f.Cancel(); err != nil {
			return fmt.Errorf("cancelling the campaign: %w", err)
		}
	}
	if err := r.CancelJobs(ctx); err != nil {
		return err
	}
	switch dir = shellWord(dir); {
	case whole:
		a.note("all %d points are done, and there is nothing to cancel; xopt campaign collect %s prints the result",
			s.All, dir)
	case before:
		a.note("it was cancelled before; it goes on with: xopt campaign resume %s", dir)
	default:
		a.note("its workers end within seconds; what is done is kept, and goes on with: xopt campaign resume %s", dir)
	}
	return nil
}

// openCampaign opens the folder of a campaign.
func openCampaign(dir string) (*campaign.Folder, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(whole); err == nil && !info.IsDir() {
		return nil, faults.NotAFolder.Usagef("%s is a file; name the folder of a campaign", dir)
	}
	f, err := campaign.Open(whole)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.NoCampaign.Usagef("%s holds no campaign; xopt campaign submit begins one", dir)
	}
	if err != nil {
		return nil, fault.Usage(err)
	}
	return f, nil
}

// kindIn is the kind of a campaign, which this version must be able to compute.
func kindIn(f *campaign.Folder) (*campaignKind, error) {
	k := kindOf(f.Kind)
	if k == nil {
		return nil, faults.UnknownKind.Usagef("the campaign in %s is of kind %q, which this version of xopt does "+
			"not know", f.Dir, f.Kind)
	}
	if f.Version != version() {
		return nil,
			fault.OtherVersion.Usagef("the campaign in %s was submitted with xopt %s, and this is %s: answers "+
				"could differ; use the same version, or submit it anew into another folder", f.Dir, f.Version,
				version())
	}
	return k, nil
}

// campaignWorkCommand works on a campaign; submit and engines call it.
func (a *app) campaignWorkCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "work DIR",
		Short:   "compute points of a campaign; called by submit and by engines",
		Example: "xopt campaign work /shared/run1",
		Hidden:  true,
		Args:    options.ExactArgs(1, "the folder of a campaign"),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := openCampaign(args[0])
			if err != nil {
				return err
			}
			return a.workAs(c.Context(), f)
		},
	}
}
