// Package engine computes the points of a campaign with a worker on this machine, with Slurm jobs, or with workers on
// hosts reached by ssh. It starts workers, acts as a worker, and replaces dead workers.
package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/campaign/slurm"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// Exit codes of a command that computes points.
const (
	Done        = 0
	Interrupted = 130
)

// fruitlessJobs is the number of worker starts without a completed point after which xopt starts no more workers.
const fruitlessJobs = 3

// Run is the computation of a campaign's points, with its display.
type Run struct {
	Folder         *campaign.Folder
	Note           func(format string, args ...any)
	StartBar       func() Bar // starts the progress display
	Stdout, Stderr io.Writer  // output of a worker on this machine
	Quiet          bool
	Node           string   // name of this machine in a campaign of the ssh engine
	Flags          []string // flags for the commands of points; answers do not depend on them
}

// Bar shows the progress of a campaign.
type Bar interface {
	Step(done, all int)
	Stall(waits bool, why string)
	Clear() // removes the bar; required before a note
	Stop()
}

// Names lists the engines.
func Names() []string { return []string{campaign.Local, campaign.Slurm, campaign.SSH} }

// OneOnEachHost explains why the ssh engine does not accept a number of workers.
const OneOnEachHost = "each host has one worker, which computes points in parallel on all its cores"

// Start computes the remaining points. It returns the exit code for a command that does nothing else.
func (r *Run) Start(ctx context.Context) (code int, err error) {
	if err := r.Folder.Trusted(); err != nil {
		return 0, err
	}
	state, err := r.Look()
	if err != nil {
		return 0, err
	}
	if !state.IsOver() && !state.Cancelled {
		if err := Fits(&r.Folder.Engine, state.Nodes); err != nil {
			return 0, err
		}
	}
	switch r.Folder.Engine.Name {
	case campaign.Local:
		return r.startLocal(ctx)
	case campaign.Slurm:
		return r.startSlurm(ctx)
	case campaign.SSH:
		return r.startHosts(ctx)
	}
	return 0, r.unknown()
}

// Work runs a worker of the engine.
func (r *Run) Work(ctx context.Context) (code int, err error) {
	if err := r.Folder.Trusted(); err != nil {
		return 0, err
	}
	switch r.Folder.Engine.Name {
	case campaign.Local:
		return r.work(ctx)
	case campaign.Slurm:
		return r.workInSlurm(ctx)
	case campaign.SSH:
		return r.workAttached(ctx)
	}
	return 0, r.unknown()
}

func (r *Run) unknown() error {
	return faults.WrongEngine.Usagef("the campaign in %s uses the unknown engine %q, expected one of %s",
		r.Folder.Dir, r.Folder.Engine.Name, strings.Join(Names(), ", "))
}

// Look reads the state of the campaign.
func (r *Run) Look() (*campaign.State, error) {
	w := campaign.NewWatch(r.Folder, r.Folder.Engine.Stale)
	if err := w.Look(); err != nil {
		return nil, err
	}
	return w.State(), nil
}

// Fits returns an error if an engine evidently cannot compute a campaign. nodes lists the nodes of the points; nil if
// any machine can compute the points.
func Fits(e *campaign.Engine, nodes []string) error {
	switch e.Name {
	case campaign.Slurm:
		if e.Workers == 0 && len(nodes) == 0 {
			return faults.NoWorkers.Usagef("the engine slurm needs a number of workers: set --workers N, or " +
				"workers: N in the campaign file")
		}
		return slurm.Installed()
	case campaign.SSH:
		return fitsHosts(e, nodes)
	}
	here := ThisNode()
	if i := slices.IndexFunc(nodes, func(n string) bool { return n != here }); i >= 0 {
		return faults.NodeNotHere.Usagef("the engine local cannot measure node %s: it measures only this "+
			"machine, %s; write a campaign file with kind: calibrate, nodes: [%s], and engine: slurm, "+
			"or engine: ssh and hosts", nodes[i], here, strings.Join(nodes, ", "))
	}
	return nil
}

// fitsHosts returns an error if the ssh engine evidently cannot compute a campaign; see [Fits].
func fitsHosts(e *campaign.Engine, nodes []string) error {
	if len(e.Hosts) == 0 {
		return faults.NoHosts.Usagef("the engine ssh has no hosts: set --hosts a,b, or hosts: [a, b] in the " +
			"campaign file")
	}
	if err := hosts.CheckHosts(e.Hosts); err != nil {
		return fault.Usage(err)
	}
	launch := e.Launch
	if launch == "" {
		launch = hosts.Usual
	}
	if _, err := hosts.Line(launch, e.Hosts[0], []string{"xopt"}); err != nil {
		return fault.Usage(err)
	}
	for _, n := range nodes {
		if !slices.Contains(e.Hosts, n) {
			return faults.NodeNotAHost.Usagef("node %s is not among the hosts (%s): add the node to the hosts",
				n, strings.Join(e.Hosts, ", "))
		}
	}
	return nil
}

// workLine returns the command that starts a worker on another machine. This program must have the same path there.
func (r *Run) workLine() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the path of xopt: %w", err)
	}
	e := &r.Folder.Engine
	return []string{self, "campaign", "work", "--engine=" + e.Name, "--chunk-time=" + e.ChunkTime.String(),
		"--stale=" + e.Stale.String(), "--", r.Folder.Dir}, nil
}

// workHere computes points of a campaign on this machine.
func (r *Run) workHere(ctx context.Context, o campaign.WorkOptions) (*campaign.State, error) {
	if err := r.Folder.CheckInputs(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the path of xopt: %w", err)
	}
	role := campaign.Role{Point: true}
	o.Command = func(args []string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: slices.Concat([]string{"xopt"}, args, r.Flags), Dir: r.Folder.WorkFolder(),
			Env: append(os.Environ(), role.Variable())}
	}
	o.Note = func(text string) { r.Note("%s", text) }
	state, err := campaign.Work(ctx, r.Folder, o)
	if err != nil {
		return nil, fmt.Errorf("computing the campaign: %w", err)
	}
	return state, nil
}

// ThisNode returns the name of this machine.
func ThisNode() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

// worked reports how a worker ended.
func (r *Run) worked(ctx context.Context, s *campaign.State) (code int, err error) {
	r.Failures(s)
	dir := safetext.ShellWord(r.Folder.Dir)
	switch {
	case s.Complete():
		r.Note("all %d points are done; to print the result: xopt campaign collect %s", s.All, dir)
		return Done, nil
	case ctx.Err() != nil:
		r.Note("interrupted with %d of %d points done; to continue: xopt campaign resume %s", s.Done, s.All, dir)
		return Interrupted, nil
	case s.Cancelled: // cancelled by another process
		r.Note("cancelled with %d of %d points done; to continue: xopt campaign resume %s", s.Done, s.All, dir)
		return Interrupted, nil
	case s.IsOver():
		what := fmt.Sprintf("%d of %d points are done, %d failed, %d were given up", s.Done, s.All, s.Failed, s.Aside)
		if r.Folder.Cores > 0 && s.Aside == 0 { // the points measure nothing, so a retry has the same errors
			return Done, faults.PointsFailed.Errorf("%s; to retry these points: xopt campaign resume %s; to use a "+
				"corrected file or option, submit the campaign to a new folder", what, dir)
		}
		return Done, faults.PointsFailed.Errorf("%s; to retry these points: xopt campaign resume %s", what, dir)
	}
	r.Note("%d of %d points are done", s.Done, s.All)
	return Done, nil
}

// maxReported is the maximum number of failures that [Run.Failures] reports in full.
const maxReported = 5

// maxLines is the maximum number of output lines shown for the first failure.
const maxLines = 20

// Failures reports the failed points and their errors.
func (r *Run) Failures(s *campaign.State) {
	for i, x := range s.Failures {
		if i == maxReported {
			r.Note("%s no result; the folder \"failed\" of the campaign contains the output",
				units.Counted(len(s.Failures)-i, "more point has", "more points have"))
			return
		}
		what := "failed"
		if !x.Wrong {
			what = fmt.Sprintf("was given up because its process crashed %d times, most recently on %s",
				campaign.MaxTries, x.Host)
		}
		r.Note("point %d (%s) %s: %s", x.Point+1, x.Label, what, x.How)
		if lines := strings.Split(strings.TrimSpace(x.Output), "\n"); x.Output != "" && !x.Wrong && i == 0 {
			r.Note("%s", strings.Join(lines[:min(len(lines), maxLines)], "\n"))
		}
	}
	for _, err := range s.Damaged {
		r.Note("warning: %v; xopt campaign resume computes the points of this file again", err)
	}
}
