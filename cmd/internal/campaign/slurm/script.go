package slurm

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"xopt/cmd/faults"
)

// Array is a job array of workers for one run.
type Array struct {
	Run       string   // the id of the run
	Folder    string   // folder of the campaign; working folder of jobs
	Logs      string   // folder for job output, relative to Folder
	Lines     string   // the user's own #SBATCH lines
	Workers   int      // number of workers
	Exclusive bool     // one complete node per worker
	Node      string   // node to run on; "" for any
	Command   []string // command of each worker
}

// warning is the time in seconds between the signal to a worker and the worker's time limit.
const warning = 60

// Name returns the name of a run's jobs.
func Name(run string) string { return "xopt-" + run }

// script returns the script of each job. The script replaces its shell by the worker, because Slurm sends some signals
// only to the batch shell.
func (a *Array) script() (string, error) {
	if err := CheckLines(a.Lines); err != nil {
		return "", err
	}
	if strings.ContainsAny(a.Folder, "\\\n\r") { // Slurm cannot handle such a name
		return "", faults.WrongName.Errorf("the folder name %q contains a backslash or a line break: choose "+
			"another name", a.Folder)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	fmt.Fprintf(&b, "#SBATCH --signal=B:USR1@%d\n", warning)
	for line := range strings.Lines(a.Lines) {
		b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	b.WriteString("exec")
	for _, word := range a.Command {
		quoted, err := Quote(word)
		if err != nil {
			return "", err
		}
		b.WriteString(" " + quoted)
	}
	return b.String() + "\n", nil
}

// options returns the sbatch options outside the script, so that the user's lines cannot override them. It doubles % in
// folder names, because Slurm expands a single %.
func (a *Array) options() []string {
	options := []string{"--parsable", "--job-name=" + Name(a.Run), "--comment=" + a.Run, "--requeue",
		"--open-mode=append", "--chdir=" + a.Folder, "--output=" + strings.ReplaceAll(filepath.Join(a.Folder, a.Logs),
			"%", "%%") + "/slurm-%A_%a.log",
		"--array=0-" + strconv.Itoa(a.Workers-1)}
	if a.Exclusive {
		options = append(options, "--exclusive")
	}
	if a.Node != "" {
		options = append(options, "--nodelist="+a.Node)
	}
	return options
}

// CheckLines returns an error if a user's line is not for sbatch or sets an option that the campaign sets itself.
func CheckLines(lines string) error {
	var errs []error
	n := 0
	for line := range strings.Lines(lines) {
		n++
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "##") || strings.HasPrefix(line, "# "):
		case words[0] != "#SBATCH":
			errs = append(errs, faults.WrongSlurmLine.Errorf("line %d of slurm: %q is not an #SBATCH line", n, line))
		default:
			for _, w := range words[1:] {
				if own := ownOption(w); own != "" {
					errs = append(errs, faults.WrongSlurmLine.Errorf("line %d of slurm: the campaign sets %s itself; "+
						"remove this option", n, own))
				}
			}
			if len(words) > 1 && words[1] == "hetjob" {
				errs = append(errs, faults.WrongSlurmLine.Errorf("line %d of slurm: a heterogeneous job cannot be an "+
					"array; choose nodes with --constraint", n))
			}
		}
	}
	return errors.Join(errs...)
}

// ownOption returns the reserved option that a word sets; "" for none.
func ownOption(word string) string {
	name, _, _ := strings.Cut(word, "=")
	switch name {
	case "--array", "--job-name", "--comment", "--output", "--error", "--open-mode", "--requeue", "--no-requeue",
		"--wrap", "--chdir", "--parsable":
		return name
	}
	for short, long := range map[string]string{"-a": "--array", "-J": "--job-name", "-o": "--output",
		"-e": "--error", "-D": "--chdir"} {
		if strings.HasPrefix(word, short) && !strings.HasPrefix(word, "--") {
			return long
		}
	}
	return ""
}

// Quote quotes a word for a shell.
func Quote(word string) (string, error) {
	if strings.ContainsAny(word, "\x00\n\r") {
		return "", faults.WrongName.Errorf("the name %q contains a line break: rename the file or the folder", word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'", nil
}
