package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// cancelWhen returns a context that ends soon after a file exists.
func cancelWhen(t *testing.T, path string) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(path); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	t.Cleanup(cancel)
	return ctx
}

// TestSweepInterrupted checks that an interrupted sweep prints, writes and stores its completed points, and that the
// next call gives the answer of an uninterrupted one.
func TestSweepInterrupted(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	doubtedFiles(t, nil)
	points := "300"
	if testing.Short() {
		points = "100"
	}
	args := []string{"sweep", "app.x", "--profile", "app.profile.json", "--vary", "PCI.bandwidth=1MB/s..1GB/s",
		"--points", points, "--csv", "points.csv"}
	complete, _ := typedLine(t, 0, args...)
	csv, err := os.ReadFile("points.csv")
	if err != nil {
		t.Fatal(err)
	}
	const kept = "app.sweep.checkpoint.json"
	var out, errs bytes.Buffer
	if code := run(cancelWhen(t, kept), append(args, "--checkpoint", "1ns"), &out, &errs); code != exitInterrupted {
		t.Fatalf("ended with %d, want %d\n%s", code, exitInterrupted, errs.String())
	}
	has(t, "interrupted", out.String(), "PCI.bandwidth", "\nA: ")
	has(t, "interrupted", errs.String(), "of "+points+" points done; to continue:\n    xopt sweep app.x ", " --resume")
	part, err := os.ReadFile("points.csv")
	if err != nil || bytes.Count(part, []byte("\n")) < 2 || len(part) >= len(csv) {
		t.Errorf("interrupted, the table has %d lines of %d (%v)", bytes.Count(part, []byte("\n")),
			bytes.Count(csv, []byte("\n")), err)
	}
	_, text := typedLine(t, 2, append(args, "--resume", "--seed", "2")...)
	has(t, "other flags", text, "leave out --resume")
	again, text := typedLine(t, 0, append(args, "--resume")...)
	has(t, "resumed", text, "of "+points+" points are done")
	if again != complete {
		t.Errorf("resumed, the sweep gives another answer:\n%s\nnot\n%s", again, complete)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("a sweep that is done leaves " + kept)
	}
	_, text = typedLine(t, 2, append(args, "--resume")...)
	if !strings.Contains(text, kept+" does not exist") {
		t.Errorf("nothing to resume from: %s", text)
	}
}

// TestValidateMaps checks that validate runs the mappings of files, that it prints and stores completed runs when
// interrupted, and that the next call gives the answer of an uninterrupted one.
func TestValidateMaps(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	testkit.Tools(t, "gcc")
	bench, err := filepath.Abs(filepath.Join("..", "..", "bench", "apps", "test1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(bench)); err != nil {
		t.Fatal(err)
	}
	const profile = `{"schema": 1, "machine": {"cpu": "a test", "cores": 2, "kernel": ""}, "kernels": [
		{"block": "GENERATE", "platform": "C", "serviceRate": {"value": 4e8, "n": 0, "ci95": [0, 0]},
			"gain": {"value": 1, "n": 0, "ci95": [0, 0]}},
		{"block": "SUM", "platform": "C", "serviceRate": {"value": 8e8, "n": 0, "ci95": [0, 0]},
			"gain": {"value": 0.5, "n": 0, "ci95": [0, 0]}},
		{"block": "HALF", "platform": "C", "serviceRate": {"value": 3e8, "n": 0, "ci95": [0, 0]},
			"gain": {"value": 1, "n": 0, "ci95": [0, 0]}},
		{"block": "STORE", "platform": "C", "serviceRate": {"value": 9e8, "n": 0, "ci95": [0, 0]}}]}`
	for name, text := range map[string]string{"alone.x": "map { top } to proc[1];", "p.json": profile} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// virtual time: no load matters
	args := []string{"validate", "app.x", "arch.x", "map.x", "alone.x", "--profile", "p.json", "--from", "profile",
		"--window", "20ms"}
	const kept = "app.validate.checkpoint.json"
	var out, errs bytes.Buffer
	if code := run(cancelWhen(t, kept), append(args, "--checkpoint", "1ns"), &out, &errs); code != exitInterrupted {
		t.Fatalf("ended with %d, want %d\n%s", code, exitInterrupted, errs.String())
	}
	has(t, "interrupted", out.String(), "Throughput: predicted", "\nmap      proc[1]: top.gen1 top.gen2; proc[2]",
		"\nalone    proc[1]: top.gen1")
	has(t, "interrupted", errs.String(), "to continue:\n    xopt validate app.x arch.x map.x alone.x ", " --resume")
	resumed, _ := typedLine(t, 0, append(args, "--resume")...)
	has(t, "resumed", resumed, "!not run", "Errors of 2 mappings")
	if _, err := os.Stat(kept); err == nil {
		t.Error("a validation that is done leaves " + kept)
	}
	if complete, _ := typedLine(t, 0, args...); complete != resumed {
		t.Errorf("resumed, it gives another answer:\n%s\nnot\n%s", resumed, complete)
	}
}
