package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// campaignCommand returns xopt campaign, which computes many points on this machine or on a cluster.
func (a *app) campaignCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "campaign",
		Short: "compute many points of a command in parallel or on a cluster",
		Long: `A campaign computes the points of a command in parallel, such as the points of a sweep.
It needs only a folder, from which workers claim points and to which they write results. Completed
points survive any interruption, and resume computes the missing points. The results equal the results of
the command itself.`,
		Args: options.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.campaignSubmitCommand(), onFolder(a.campaignStatus, &cobra.Command{
		Use:   "status DIR",
		Short: "show the progress of a campaign",
		Long: `status reads only the folder of a campaign. It prints the number of points that are done,
running, waiting, failed (the command reported an error) and given up (the process died three times),
and the estimated remaining time. With --watch it repeats until the campaign is complete, once a minute
under Slurm, and replaces dead Slurm workers. The page docs/campaigns.md lists the fields of --json.`,
		Example: `xopt campaign status /shared/run1
xopt campaign status /shared/run1 --watch`,
	}), onFolder(a.collect, &cobra.Command{
		Use:   "collect DIR",
		Short: "print or write the combined result of a campaign",
		Long: `collect combines the results of all points, and prints and writes the same tables and
files as the command itself. It writes nothing to the campaign folder.`,
		Example: `xopt campaign collect /shared/run1
xopt campaign collect /shared/run1 -o table.csv --report page`,
	}), onFolder(a.resumeCampaign, &cobra.Command{
		Use:   "resume DIR",
		Short: "compute the missing points of a campaign",
		Long: `resume computes the points of a campaign without a valid result: points that did
not start, failed, were given up or are damaged. Other workers may run at the same time.`,
		Example: "xopt campaign resume /shared/run1",
	}), onFolder(a.cancelCampaign, &cobra.Command{
		Use:   "cancel DIR",
		Short: "stop the workers of a campaign, and keep its results",
		Long: `cancel stops the workers of a campaign on all machines, and its Slurm jobs. Commands that
wait for the campaign, such as submit, end with exit code 130.`,
		Example: "xopt campaign cancel /shared/run1",
	}), onFolder(a.workAs, &cobra.Command{
		Use:     "work DIR",
		Short:   "compute points of a campaign (started by submit and by engines)",
		Example: "xopt campaign work /shared/run1",
		Hidden:  true,
	}))
	return c
}

// onFolder completes a command that works on the folder of a campaign. dir is the folder's path in the arguments.
func onFolder(run func(ctx context.Context, f *campaign.Folder, dir string) error, c *cobra.Command) *cobra.Command {
	c.Args = options.ExactArgs(1, "the folder of a campaign")
	c.RunE = func(c *cobra.Command, args []string) error {
		f, err := campaign.OpenGiven(args[0])
		if err != nil {
			return err
		}
		return run(c.Context(), f, args[0])
	}
	return c
}

func (a *app) campaignSubmitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "submit FILE",
		Short: "create a campaign from a file, and start it",
		Long: `submit creates the folder of a campaign from a small file, with copies of all input
files. Then it starts the computation: on this machine at once, where Ctrl-C keeps completed points, or
on a cluster. The file names a command, its files and its options:

    kind: sweep
    files: [app.x, arch.x]
    vary: [PCIX.bandwidth=10MB/s..1GB/s, top.pipes=1..4]
    points: 100

Each range has this number of points. A range of integers, such as top.pipes, has at most one point for
each integer, so this campaign has 400 points. Inside [ ], a comma ends a value, so "fpga=1,2" needs
quotes. submit checks files, options and all values of vary before it creates the folder.`,
		Example: `xopt campaign submit sweep.campaign.yaml
xopt campaign submit sweep.campaign.yaml --dir /shared/run1 --workers 8`,
		Args: options.ExactArgs(1, "a campaign file"),
		RunE: func(c *cobra.Command, args []string) error { return a.submitFile(c, args[0]) },
	}
}

// cancelCampaign stops the workers of an unfinished campaign.
func (a *app) cancelCampaign(ctx context.Context, f *campaign.Folder, dir string) error {
	r := a.runOf(f)
	s, err := r.Look()
	complete := err == nil && s.Complete() // an unreadable campaign can be cancelled, too
	before := f.Cancelled()
	if !complete && !before {
		if err := f.Cancel(); err != nil {
			return fmt.Errorf("cancelling the campaign: %w", err)
		}
	}
	if err := r.CancelJobs(ctx); err != nil {
		return err
	}
	switch dir = safetext.ShellWord(dir); {
	case complete:
		a.note("all %d points are complete; nothing to cancel (xopt campaign collect %s prints the result)",
			s.All, dir)
	case before:
		a.note("the campaign is already cancelled; to continue: xopt campaign resume %s", dir)
	default:
		a.note("the workers stop within seconds and keep completed points; to continue: xopt campaign resume %s",
			dir)
	}
	return nil
}

// kindIn returns the kind of a campaign, or an error if this version cannot compute it.
func kindIn(f *campaign.Folder) (*campaignKind, error) {
	k := kindOf(f.Kind)
	if k == nil {
		return nil, faults.UnknownKind.Usagef("the campaign in %s is of kind %q, which this xopt does not support; "+
			"use xopt %s", f.Dir, f.Kind, f.Version)
	}
	if f.Version != version() {
		return nil,
			fault.OtherVersion.Usagef("the campaign in %s was submitted with xopt %s; this is xopt %s, whose "+
				"results may differ (use the same version, or submit to a new folder)", f.Dir, f.Version,
				version())
	}
	return k, nil
}

// campaignStatus shows the progress of a campaign.
func (a *app) campaignStatus(ctx context.Context, f *campaign.Folder, dir string) error {
	r := a.runOf(f)
	s, err := r.Look()
	if a.settings.Campaign.Watch {
		s, err = r.Watch(ctx)
	}
	if err != nil {
		return err
	}
	if f.Engine.Name == campaign.Slurm && !s.IsOver() {
		r.LoseWorkers(ctx, s)
	}
	if a.settings.JSON {
		return a.printJSON(f.Progress(s))
	}
	f.WriteStatus(a.stdout, s)
	r.Failures(s)
	if why := f.Refused(); why != "" && !s.Complete() {
		a.note("Slurm refused to start workers: %s", why)
	}
	switch {
	case s.Complete():
		a.note("to print the result: xopt campaign collect %s", safetext.ShellWord(dir))
	case s.Cancelled:
		a.note("cancelled; to continue: xopt campaign resume %s", safetext.ShellWord(dir))
	case len(s.Workers) == 0 && f.Engine.Name == campaign.Slurm:
		a.note("no worker is running: Slurm has not started any worker yet, or all workers have ended (xopt "+
			"campaign resume %s checks Slurm and starts missing workers)", safetext.ShellWord(dir))
	case len(s.Workers) == 0:
		a.note("no worker is running; to continue: xopt campaign resume %s", safetext.ShellWord(dir))
	}
	return nil
}
