// Package slurm has Slurm start the workers of a campaign: it submits one array of them, says which are left, starts
// those again that end before the work does, and cancels them.
//
// What it asks Slurm is a hint and never the truth, which is in the files of results: Slurm forgets jobs that have
// ended, says of a job that was requeued that it was preempted, and gives its numbers to other jobs. So jobs are known
// by the run's own id, which is their name and their comment; nothing is looked up by a job's number but by the job
// itself. A worker asks Slurm only when it ends, and who watches asks once a minute (Slurm's guide for users:
// "Do not run squeue ... in loops").
//
// The rules are those of the manuals of sbatch, squeue, scontrol and scancel, versions 22.05 to 25.05.
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"xopt/cmd/faults"
)

// answerTime is how long Slurm may take to answer. Its programs try again by themselves while the controller is away.
const answerTime = 2 * time.Minute

// Installed is an error where this machine has not what workers are started with.
func Installed() error {
	for _, program := range []string{"sbatch", "squeue"} {
		if _, err := exec.LookPath(program); err != nil {
			return missing(program)
		}
	}
	return nil
}

// missing is the error of a program that is not installed.
func missing(program string) error {
	return faults.NoSlurm.Errorf("program %s is not installed on this machine: submit where Slurm's programs are, or "+
		"use --engine local or ssh", program)
}

// Submit has Slurm start the workers, and returns the number of the array: for people, who may want to look at it.
func Submit(ctx context.Context, a *Array) (job string, err error) {
	script, err := a.script()
	if err != nil {
		return "", err
	}
	out, err := call(ctx, script, "sbatch", a.options()...)
	if err != nil {
		return "", fmt.Errorf("submitting the workers: %w", err)
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	return job, nil
}

// Job is a worker that Slurm still knows.
type Job struct {
	ID     string // such as 12_3
	State  string // such as RUNNING
	Node   string // "" for none yet
	Wants  string // the node that it was submitted for; "" for any
	Reason string // why it waits
}

// Waits reports whether a job has not begun, or is to begin again.
func (j Job) Waits() bool { return j.State == "PENDING" || strings.HasPrefix(j.State, "REQUEUE") }

// ends reports whether a job has ended, although Slurm still shows it.
func (j Job) ends() bool {
	switch j.State {
	case "CANCELLED", "FAILED", "TIMEOUT", "COMPLETED", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE":
		return true
	}
	return false
}

// Queue is what Slurm says of the workers of a run: those that run, wait, or are about to end.
func Queue(ctx context.Context, run string) ([]Job, error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--array", "--name="+Name(run), "--format=%i|%T|%N|%n|%k|%r")
	if err != nil {
		return nil, fmt.Errorf("asking for the workers: %w", err)
	}
	var jobs []Job
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 6)
		if len(f) < 6 || f[4] != run { // the name is ours, but the job is not
			continue
		}
		if j := (Job{ID: f[0], State: f[1], Node: f[2], Wants: f[3], Reason: f[5]}); !j.ends() {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// Cancel ends all workers of a run, and nothing else: Slurm chooses them by the run's name, not by numbers of jobs,
// which may be those of others by now.
func Cancel(ctx context.Context, run string) error {
	if _, err := call(ctx, "", "scancel", "--name="+Name(run)); err != nil {
		return fmt.Errorf("cancelling the workers: %w", err)
	}
	return nil
}

// Task is the job that this process runs in.
type Task struct{ id, name string }

// Self is the job that a process with this environment runs in; false where it is not a worker of the run.
func Self(run string, getenv func(string) string) (Task, bool) {
	array, index := getenv("SLURM_ARRAY_JOB_ID"), getenv("SLURM_ARRAY_TASK_ID")
	if array == "" || index == "" || getenv("SLURM_JOB_NAME") != Name(run) {
		return Task{}, false
	}
	return Task{id: array + "_" + index, name: Name(run)}, true
}

func (t Task) String() string { return t.id }

// Again has Slurm start this job once more, when this process has ended. If Slurm is about to end the job by itself
// (it was cancelled, requeued or preempted), that is left to Slurm, and again is false.
func (t Task) Again(ctx context.Context) (again bool, err error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--array", "--jobs="+t.id, "--name="+t.name, "--format=%T")
	if err != nil {
		return false, fmt.Errorf("asking for this job: %w", err)
	}
	if strings.TrimSpace(out) != "RUNNING" {
		return false, nil
	}
	if _, err := call(ctx, "", "scontrol", "requeue", t.id); err != nil {
		return false, fmt.Errorf("starting this job again: %w", err)
	}
	return true, nil
}

// call runs one of Slurm's programs, without a shell.
func call(ctx context.Context, stdin, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", missing(program)
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("%s: %w", program, ctx.Err())
	case err != nil && said.Len() > 0:
		return "", fmt.Errorf("%s says: %s", program, strings.TrimSpace(said.String()))
	case err != nil:
		return "", fmt.Errorf("%s: %w", program, err)
	}
	return out.String(), nil
}
