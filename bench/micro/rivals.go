// Package micro benchmarks xopt itself on this machine:
//
//   - the rate of an edge between two cores, compared with a pipe, a Unix socket and a Go channel
//   - the cost of taps for the observed application, in software (Lancaster 2011 §4.7.2) and in hardware (Tables 4.2
//     and 4.3)
//   - the accuracy of taps on queues with known properties (§5.2)
package micro

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/program"
)

//go:embed rivals/rivals.c
var rivalsC []byte

// buildRivals compiles the program for the comparison with pipes and sockets into a folder, and returns its path.
func buildRivals(ctx context.Context, dir string) (string, error) {
	compiler, err := program.Compiler()
	if err != nil {
		return "", err
	}
	source, path := filepath.Join(dir, "rivals.c"), filepath.Join(dir, "rivals")
	if err := os.WriteFile(source, rivalsC, 0o644); err != nil {
		return "", fmt.Errorf("writing the programs for pipe and socket: %w", err)
	}
	if out, err := exec.CommandContext(ctx, compiler[0], append(compiler[1:], "-std=gnu11", "-O3", "-march=native",
		"-o", path, source)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the programs for pipe and socket: %w\n%s", err, out)
	}
	return path, nil
}

// rival runs the program of [buildRivals] once, with a pipe or a socket, and returns the rate in messages/s.
func (c *RingCase) rival(ctx context.Context, path, kind string, cpus [2]int, window time.Duration) (float64, error) {
	cmd := exec.CommandContext(ctx, path, kind, fmt.Sprint(c.Bytes/8), fmt.Sprint(c.Batch),
		fmt.Sprint(window.Milliseconds()), fmt.Sprint(cpus[0]), fmt.Sprint(cpus[1]))
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return 0, fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return 0, err
	}
	var messages uint64
	var seconds float64
	if _, err := fmt.Sscan(string(out), &messages, &seconds); err != nil || !(seconds > 0) {
		return 0, fmt.Errorf("unexpected output %q", out)
	}
	return float64(messages) / seconds, nil
}

// channelBuffers returns the number of buffers of a channel, so that it uses as much memory as the edge.
func channelBuffers(bytes int) int { return max(4, (256<<10)/bytes) }

// channelRate runs a Go channel once, and returns the rate in messages/s. A second channel returns empty buffers to the
// sender.
func channelRate(ctx context.Context, bytes int, cpus [2]int, window time.Duration) (float64, error) {
	words := bytes / 8
	full, empty := make(chan []uint64, channelBuffers(bytes)), make(chan []uint64, channelBuffers(bytes))
	for range channelBuffers(bytes) {
		empty <- make([]uint64, words)
	}
	var stop atomic.Bool
	faults := make(chan error, 2)
	go func() {
		defer close(full)
		pin(cpus[0], faults)
		template := make([]uint64, words)
		for sent := uint64(0); !stop.Load(); sent++ {
			b := <-empty
			copy(b, template)
			b[0] = sent
			full <- b
		}
	}()
	type count struct {
		messages uint64
		seconds  float64
	}
	done := make(chan count, 1)
	go func() {
		pin(cpus[1], faults)
		const lineWords = 8
		var c count
		sum, start, first := uint64(0), time.Time{}, uint64(0)
		warm := time.Now().Add(window / 5)
		for b := range full {
			for i := 0; i < len(b); i += lineWords {
				sum += b[i]
			}
			c.messages++
			empty <- b
			if c.messages%256 != 0 || stop.Load() {
				continue
			}
			switch now := time.Now(); {
			case start.IsZero() && now.After(warm):
				start, first = now, c.messages
			case !start.IsZero() && now.Sub(start) >= window*4/5 || ctx.Err() != nil:
				c.seconds, c.messages = now.Sub(start).Seconds(), c.messages-first
				stop.Store(true)
				done <- c
			}
		}
		runtime.KeepAlive(sum)
	}()
	c := <-done
	select {
	case err := <-faults:
		return 0, err
	default:
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return float64(c.messages) / c.seconds, nil
}

// pin binds the calling goroutine and its thread to a processor until the goroutine ends. It sends any error to faults.
func pin(cpu int, faults chan<- error) {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		faults <- fmt.Errorf("pinning a thread to processor %d: %w", cpu, err)
	}
}
