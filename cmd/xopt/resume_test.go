package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// cancelWhen is a context that ends soon after a file is there.
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

// TestSweepInterrupted: what a sweep has done when it is interrupted is printed, written and
// kept, and the next call gives the answer of one that was not interrupted.
func TestSweepInterrupted(t *testing.T) {
	doubtedFiles(t, nil)
	args := []string{"sweep", "app.x", "--profile", "app.profile.json", "--vary", "PCI.bandwidth=1MB/s..1GB/s", "--points", "300", "--csv", "points.csv"}
	whole, _ := command(t, 0, args...)
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
	has(t, "interrupted", errs.String(), "of 300 points done; --resume goes on from "+kept)
	part, err := os.ReadFile("points.csv")
	if err != nil || bytes.Count(part, []byte("\n")) < 2 || len(part) >= len(csv) {
		t.Errorf("interrupted, the table has %d lines of %d (%v)", bytes.Count(part, []byte("\n")), bytes.Count(csv, []byte("\n")), err)
	}
	_, text := command(t, 2, append(args, "--resume", "--seed", "2")...)
	has(t, "other flags", text, "leave out --resume")
	again, text := command(t, 0, append(args, "--resume")...)
	has(t, "resumed", text, "of 300 points are done already")
	if again != whole {
		t.Errorf("resumed, the sweep gives another answer:\n%s\nnot\n%s", again, whole)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("a sweep that is done leaves " + kept)
	}
	_, text = command(t, 2, append(args, "--resume")...)
	if !strings.Contains(text, "there is no "+kept) {
		t.Errorf("nothing to resume from: %s", text)
	}
}
