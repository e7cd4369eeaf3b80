package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/slurm"
)

// How long a worker computes on when it is told to end: Slurm waits 30 s between telling (SIGTERM) and ending, where
// nothing else is configured, and says 60 s before that a job's time is over (SIGUSR1).
const (
	graceAtEnd    = 20 * time.Second
	graceNearEnd  = 45 * time.Second
	patienceIdle  = 2 // times the silence after which a worker is dead: as long a worker waits for points of others
	fruitlessJobs = 3 // starts of a worker in which no point was done, after which none is started again
)

// doFolder does something with the folder of a campaign.
type doFolder func(*app, context.Context, *campaign.Folder) error

// campaignEngine is a way to have points computed.
type campaignEngine struct {
	name  string
	start doFolder // starts the workers
	work  doFolder // is one of them
}

func campaignEngines() []campaignEngine {
	return []campaignEngine{
		{campaign.Local, (*app).startLocal, (*app).work},
		{campaign.Slurm, (*app).startSlurm, (*app).workInSlurm},
		{campaign.SSH, (*app).startHosts, (*app).workAttached},
	}
}

// engineNames are those that computations of campaigns can be given to.
func engineNames() []string {
	var names []string
	for _, e := range campaignEngines() {
		names = append(names, e.name)
	}
	return names
}

// by does something as the engine of a campaign does it.
func (a *app) by(ctx context.Context, f *campaign.Folder, what func(*campaignEngine) doFolder) error {
	f.Engine = a.settings.campaign.over(f.Engine)
	for _, e := range campaignEngines() {
		if e.name == f.Engine.Name {
			return what(&e)(a, ctx, f)
		}
	}
	return wrongUse("the campaign in %s is for the engine %q, want one of %s", f.Dir, f.Engine.Name,
		strings.Join(engineNames(), ", "))
}

// start has the points of a campaign computed.
func (a *app) start(ctx context.Context, f *campaign.Folder) error {
	state, err := a.look(f)
	if err != nil {
		return err
	}
	if e := a.settings.campaign.over(f.Engine); !state.Over() && !state.Cancelled {
		if err := fits(&e, state.Nodes); err != nil {
			return err
		}
	}
	return a.by(ctx, f, func(e *campaignEngine) doFolder { return e.start })
}

// workAs works on a campaign.
func (a *app) workAs(ctx context.Context, f *campaign.Folder) error {
	return a.by(ctx, f, func(e *campaignEngine) doFolder { return e.work })
}

// workLine is the command of a worker on another machine, which must have this program in the same place.
func (a *app) workLine(f *campaign.Folder) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program itself: %w", err)
	}
	e := &f.Engine
	return []string{self, "campaign", "work", "--engine=" + e.Name, "--chunk-time=" + e.ChunkTime.String(),
		"--stale=" + e.Stale.String(), "--", f.Dir}, nil
}

// workInSlurm works as a job of Slurm. Told that its time is nearly over, or to end, it takes no more points, ends
// those in hand, and has Slurm start it again if work is left.
func (a *app) workInSlurm(ctx context.Context, f *campaign.Folder) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // SIGTERM ends it in good order
	defer cancel()
	stop, over := make(chan struct{}), make(chan struct{})
	told := false
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for {
			select {
			case <-over:
				return
			case s := <-signals:
				if !told {
					told = true
					close(stop)
				}
				if s != syscall.SIGUSR1 {
					time.AfterFunc(graceAtEnd, cancel)
				}
			}
		}
	}()
	self, inSlurm := slurm.Self(f.Run, os.Getenv)
	mine := 0
	state, err := a.workHere(ctx, f, campaign.WorkOptions{Given: givenBySlurm(os.Getenv), Stop: stop,
		Grace: graceNearEnd, Idle: patienceIdle * f.Engine.Stale, Job: self.String(),
		Node:     os.Getenv("SLURMD_NODENAME"),
		Progress: func(_, _ int) { mine++ }})
	close(over)
	<-listening
	if err != nil {
		return err
	}
	left := state.Waiting > 0 || state.Running == 0 && !state.Over()
	if !told || !inSlurm || !left || state.Cancelled {
		return a.worked(ctx, f, state)
	}
	if starts, _ := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); mine == 0 && starts+1 >= fruitlessJobs {
		return fmt.Errorf("job %s was started %d times, and no point was done in its time: give it more with "+
			"#SBATCH --time under slurm in the campaign file", self, starts+1)
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), graceAtEnd)
	defer done()
	again, err := self.Again(ctx)
	if err != nil {
		return fmt.Errorf("%d of %d points are done, and work is left: %w", state.Done, state.All, err)
	}
	if again {
		fmt.Fprintf(a.stdout, "%d of %d points are done; Slurm starts this job again\n", state.Done, state.All)
	}
	return nil
}

// givenBySlurm is how many cores Slurm has given to this job on this machine; 0 for all that it may use.
func givenBySlurm(getenv func(string) string) int {
	n, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// workAttached works until the program ends that started it on this host: then there is nothing more to read.
func (a *app) workAttached(ctx context.Context, f *campaign.Folder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	state, err := a.workHere(ctx, f, campaign.WorkOptions{Node: a.settings.campaign.node})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		a.code = exitInterrupted
	}
	if !state.Over() && ctx.Err() == nil && !state.Cancelled {
		return errors.New("this worker has nothing more to do, and other workers have")
	}
	return nil
}

// workHere computes points of a campaign on this machine.
func (a *app) workHere(ctx context.Context, f *campaign.Folder, o campaign.WorkOptions) (*campaign.State, error) {
	if _, err := kindIn(f); err != nil {
		return nil, err
	}
	if err := f.CheckInputs(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program itself: %w", err)
	}
	o.Child = func() *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"xopt", "campaign", "work", "--serve", "--", f.Dir},
			Dir: f.WorkFolder()}
	}
	o.Note = func(text string) { a.note("%s", text) }
	state, err := campaign.Work(ctx, f, o)
	if err != nil {
		return nil, fmt.Errorf("computing the campaign: %w", err)
	}
	return state, nil
}

// thisNode is what this machine is called.
func thisNode() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
