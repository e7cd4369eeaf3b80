// Package slurm runs the workers of a campaign as Slurm jobs. It submits an array of workers, lists the remaining
// workers, restarts workers that end too early, and cancels workers.
//
// Slurm's answers are hints. The result files are authoritative. Slurm forgets ended jobs, reports a requeued job as
// preempted, and reuses job numbers. The package therefore identifies jobs by the id of the run, which is their name
// and comment. Only a job itself uses its job number. A worker queries Slurm only when it ends, and a watching command
// once per minute (Slurm's user guide: "Do not run squeue ... in loops").
//
// The rules follow the manuals of sbatch, squeue, scontrol and scancel, versions 22.05 to 25.05.
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

// answerTime is the timeout for an answer of Slurm. Slurm's programs retry while the controller is unavailable.
const answerTime = 2 * time.Minute

// Installed returns an error if a program for starting workers is missing.
func Installed() error {
	for _, program := range []string{"sbatch", "squeue"} {
		if _, err := exec.LookPath(program); err != nil {
			return missing(program)
		}
	}
	return nil
}

// missing returns the error for an uninstalled program.
func missing(program string) error {
	return faults.NoSlurm.Errorf("program %s is not installed on this machine: submit on a machine with "+
		"Slurm's programs, or use --engine local or ssh", program)
}

// Submit submits the workers. It returns the number of the job array, so that users can inspect it.
func Submit(ctx context.Context, a *Array) (job string, err error) {
	script, err := a.script()
	if err != nil {
		return "", err
	}
	out, err := call(ctx, script, "sbatch", a.options()...)
	if err != nil {
		return "", fmt.Errorf("submitting the workers: %w", err)
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // the name of a cluster may follow
	return job, nil
}

// Job is a worker that Slurm still lists.
type Job struct {
	ID     string // for example, 12_3
	State  string // for example, RUNNING
	Node   string // "" before the job starts
	Wants  string // node that the job was submitted to; "" for any
	Reason string // why the job waits
}

// Waits reports whether a job is pending or requeued.
func (j Job) Waits() bool { return j.State == "PENDING" || strings.HasPrefix(j.State, "REQUEUE") }

// hasEnded reports whether a job that Slurm still lists has ended.
func (j Job) hasEnded() bool {
	switch j.State {
	case "CANCELLED", "FAILED", "TIMEOUT", "COMPLETED", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE":
		return true
	}
	return false
}

// Queue returns the workers of a run that Slurm lists: running, pending or completing.
func Queue(ctx context.Context, run string) ([]Job, error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--array", "--name="+Name(run), "--format=%i|%T|%N|%n|%k|%r")
	if err != nil {
		return nil, fmt.Errorf("querying the workers: %w", err)
	}
	var jobs []Job
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 6)
		if len(f) < 6 || f[4] != run { // a job of another run with the same name
			continue
		}
		if j := (Job{ID: f[0], State: f[1], Node: f[2], Wants: f[3], Reason: f[5]}); !j.hasEnded() {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// Cancel cancels all workers of a run and nothing else. It selects them by the run's name, because Slurm may reuse job
// numbers.
func Cancel(ctx context.Context, run string) error {
	if _, err := call(ctx, "", "scancel", "--name="+Name(run)); err != nil {
		return fmt.Errorf("cancelling the workers: %w", err)
	}
	return nil
}

// Task is the Slurm job of this process.
type Task struct{ id, name string }

// Self returns the job of the process with this environment; false if the process is not a worker of the run.
func Self(run string, getenv func(string) string) (Task, bool) {
	array, index := getenv("SLURM_ARRAY_JOB_ID"), getenv("SLURM_ARRAY_TASK_ID")
	if array == "" || index == "" || getenv("SLURM_JOB_NAME") != Name(run) {
		return Task{}, false
	}
	return Task{id: array + "_" + index, name: Name(run)}, true
}

func (t Task) String() string { return t.id }

// Again requeues this job, so that it starts again after this process ends. It returns false and does nothing if Slurm
// is about to end the job itself (cancelled, requeued or preempted).
func (t Task) Again(ctx context.Context) (again bool, err error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--array", "--jobs="+t.id, "--name="+t.name, "--format=%T")
	if err != nil {
		return false, fmt.Errorf("querying this job: %w", err)
	}
	if strings.TrimSpace(out) != "RUNNING" {
		return false, nil
	}
	if _, err := call(ctx, "", "scontrol", "requeue", t.id); err != nil {
		return false, fmt.Errorf("requeueing this job: %w", err)
	}
	return true, nil
}

// call runs one of Slurm's programs, without a shell.
func call(ctx context.Context, stdin, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var out, output bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &output
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", missing(program)
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("%s: %w", program, ctx.Err())
	case err != nil && output.Len() > 0:
		return "", fmt.Errorf("%s failed: %s", program, strings.TrimSpace(output.String()))
	case err != nil:
		return "", fmt.Errorf("%s: %w", program, err)
	}
	return out.String(), nil
}
