package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
)

// campaigns are what an app needs to run a command for a campaign.
type campaigns struct {
	sealed  bool              // options come from flags alone
	points  []campaign.Point  // of a campaign, and
	answers []json.RawMessage // their answers: nothing is computed
}

// computer computes a point; its answer becomes JSON.
type computer func(context.Context, *campaign.Task) (any, error)

// campaignKind is a kind of campaign: a command, and how it is cut into points.
type campaignKind struct {
	name    string // of the kind, in campaign files
	command string // that it is made of
	// settle sets what the answers would depend on the machine for, and refuses what a campaign cannot do; nil for
	// nothing. a has the settings of the command, here and in what follows.
	settle func(a *app) error
	// check is an error where every point would fail, as far as that is known before any is computed; nil for nothing.
	check func(a *app, c *cobra.Command, files []string) error
	// plan checks what is written of the result, with the options of the command; nil where nothing can be.
	plan func(a *app, files []string) error
	// points lists the points.
	points func(a *app, c *cobra.Command, files []string) ([]campaign.Point, error)
	// computer prepares what computes points.
	computer func(a *app, c *cobra.Command, files []string) (computer, error)
	// collect prints the answers in place of the command; nil where the command itself does, with
	// app.answers in place of what it would compute.
	collect func(a *app, c *cobra.Command, files []string) error
	// shows says that what is shown has a place for each point, also for those that are missing.
	shows bool
	// exact says that a point has the same answer each time; those of others hold times.
	exact bool
	// alone says that a point needs its machine for itself, because it measures.
	alone bool
	// writes are the options that say what is printed and written of the result.
	writes []string
}

// The kinds of which something more is known: searches, and nodes that are calibrated.
const (
	searchKind = "search"
	nodesKind  = "calibrate"
)

// campaignKinds are all kinds.
func campaignKinds() []campaignKind {
	figures := []string{"json", "report", "csv", "md", "force"}
	return []campaignKind{
		{name: "sweep", command: "sweep", settle: (*app).settleSweep, plan: (*app).planSweep,
			points: (*app).sweepPoints, computer: (*app).sweepComputer, exact: true, shows: true,
			writes: []string{"out", "json", "report", "csv", "plots", "force"}},
		{name: searchKind, command: "search", settle: (*app).settleSearch, check: (*app).checkSearch,
			plan: (*app).planSearch, points: (*app).seedPoints, computer: (*app).searchComputer,
			collect: (*app).collectSearch, writes: []string{"out", "json", "report", "csv", "full", "force"}},
		{name: "validate", command: "validate", settle: (*app).settleValidation, plan: (*app).planValidated,
			points: (*app).validationPoints, computer: (*app).validationComputer, alone: true, writes: figures},
		{name: nodesKind, command: "calibrate", settle: (*app).settleCalibration, check: (*app).checkNodes,
			plan: (*app).planNodes, points: (*app).nodePoints, computer: (*app).nodeComputer,
			collect: (*app).collectNodes, alone: true, writes: []string{"out", "json", "csv", "force"}},
	}
}

// kindOf finds a kind by its name; nil where there is none.
func kindOf(name string) *campaignKind {
	return kindWith(func(k *campaignKind) bool { return k.name == name })
}

// kindOfCommand finds a kind by its command; nil where there is none.
func kindOfCommand(command string) *campaignKind {
	return kindWith(func(k *campaignKind) bool { return k.command == command })
}

func kindWith(is func(*campaignKind) bool) *campaignKind {
	kinds := campaignKinds()
	for i := range kinds {
		if is(&kinds[i]) {
			return &kinds[i]
		}
	}
	return nil
}

func kindNames() []string {
	var names []string
	for _, k := range campaignKinds() {
		names = append(names, k.name)
	}
	return names
}

// cores is how many cores a point uses; 0 for all of its machine.
func (k *campaignKind) cores(a *app) int {
	if k.alone {
		return 0
	}
	return max(1, a.settings.Threads)
}

// optionsOf returns an app with the options of the command of a kind, and that command, which does not run. Where
// sealed is set, the flags alone set them; else the environment and xopt.yaml do so as well.
func (a *app) optionsOf(ctx context.Context, k *campaignKind, w *campaign.What, sealed bool) (*app, *cobra.Command,
	error) {
	sub := &app{stdout: a.stdout, stderr: a.stderr, notes: a.notes, kept: a.kept, begun: a.begun,
		campaigns: campaigns{sealed: sealed}}
	sub.own = commandsOf(sub)
	sub.table = sub.options()
	root, err := sub.rootCommand()
	if err != nil {
		return nil, nil, err
	}
	c, _, err := root.Find(strings.Fields(k.command))
	if err != nil {
		return nil, nil, err
	}
	if err := c.ParseFlags(w.Options); err != nil {
		return nil, nil, &usageError{err}
	}
	if err := c.ValidateArgs(w.Files); err != nil {
		return nil, nil, err
	}
	c.SetContext(ctx)
	if err := sub.load(c); err != nil {
		return nil, nil, err
	}
	sub.settleProfile(w.Files)
	return sub, c, nil
}

// flush hands on what was printed.
func (a *app) flush() {
	if err := errors.Join(a.stdout.Flush(), a.stderr.Flush()); err != nil {
		a.code = max(a.code, exitFailed)
	}
}
