package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"xopt/calibrate"
	"xopt/calibrate/profile"
	"xopt/internal/deploy/build"
)

// RingOptions say how to measure what an edge between two cores moves.
type RingOptions struct {
	Runs   int           // of each way, in turns
	Window time.Duration // of each run
	// Progress, if set, is told before each message size.
	Progress func(done, all int)
}

// RingCase is one kind of message.
type RingCase struct {
	Bytes int // of a message
	Batch int // messages that the writer sends at once
	// Rates are messages/s of each way.
	Rates [ringWays]profile.Median
}

// The ways to move messages.
const (
	ringWay = iota
	ringPipe
	ringSocket
	ringChannel
	ringWays
)

// RingWays names the ways.
func RingWays() [ringWays]string {
	return [ringWays]string{"ring", "pipe", "Unix socket", "Go channel"}
}

// Ring measures messages/s from one core to another: through an edge of a deployed
// application, a pipe, a Unix socket, and a channel of a Go program. Who sends
// writes every word of every message, and who takes them reads every word; only
// the channel passes pointers to buffers, of which it writes all and reads a word
// of every cache line. Runs of all ways take turns.
func Ring(ctx context.Context, o RingOptions) (_ []RingCase, err error) {
	cpus, err := twoProcessors()
	if err != nil {
		return nil, err
	}
	dir, err := unpack("ring")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rivals, err := unpackFrom(rivalFiles, "rivals")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(rivals)) }()
	compiler, err := build.Compiler()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(rivals, "rivals")
	if out, err := exec.CommandContext(ctx, compiler[0], append(compiler[1:], "-std=gnu11", "-O3", "-march=native",
		"-o", path, filepath.Join(rivals, "rivals.c"))...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the pipe and the socket: %w\n%s", err, out)
	}
	cases := []RingCase{{Bytes: 64, Batch: 1}, {Bytes: 64, Batch: 64}, {Bytes: 1024, Batch: 1},
		{Bytes: 16 << 10, Batch: 1}, {Bytes: 64 << 10, Batch: 1}}
	for i := range cases {
		if o.Progress != nil {
			o.Progress(i, len(cases))
		}
		if err := cases[i].measure(ctx, dir, path, cpus, o); err != nil {
			return nil, fmt.Errorf("measuring messages of %d bytes: %w", cases[i].Bytes, err)
		}
	}
	return cases, nil
}

func twoProcessors() ([2]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return [2]int{}, fmt.Errorf("asking for the processors of this machine: %w", err)
	}
	var list []int
	for i := 0; len(list) < min(set.Count(), 2); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	if len(list) < 2 {
		return [2]int{}, errors.New("this needs two processors, and there is one")
	}
	return [2]int{list[0], list[1]}, nil
}

func (c *RingCase) measure(ctx context.Context, dir, rivals string, cpus [2]int, o RingOptions) (err error) {
	set := map[string]string{"top.words": fmt.Sprint(c.Bytes / 8), "top.batch": fmt.Sprint(c.Batch)}
	prog, err := buildFolder(ctx, dir, set, build.Options{CPUs: 2}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	var rates [ringWays][]float64
	for run := range o.Runs {
		for i := range ringWays {
			way := i
			if run%2 == 1 { // there and back
				way = ringWays - 1 - i
			}
			var r float64
			switch way {
			case ringWay:
				r, err = calibrate.SinkRate(ctx, prog, o.Window)
				r /= float64(c.Bytes)
			case ringChannel:
				r, err = channelRate(ctx, c.Bytes, cpus, o.Window)
			default:
				r, err = c.rival(ctx, rivals, [...]string{ringPipe: "pipe", ringSocket: "socket"}[way], cpus, o.Window)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", RingWays()[way], err)
			}
			rates[way] = append(rates[way], r)
		}
	}
	for way := range rates {
		c.Rates[way] = profile.MedianOf(rates[way])
	}
	return nil
}

// rival runs a pipe or a socket once.
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
		return 0, fmt.Errorf("it printed %q", out)
	}
	return float64(messages) / seconds, nil
}

// channelBuffers is how many messages a channel holds: as much memory as a ring.
func channelBuffers(bytes int) int { return max(4, (256<<10)/bytes) }

// channelRate runs a Go channel once: buffers go to the reader, and come back empty.
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
		sum, begin, first := uint64(0), time.Time{}, uint64(0)
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
			case begin.IsZero() && now.After(warm):
				begin, first = now, c.messages
			case !begin.IsZero() && now.Sub(begin) >= window*4/5 || ctx.Err() != nil:
				c.seconds, c.messages = now.Sub(begin).Seconds(), c.messages-first
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

// pin binds a goroutine to a processor for the rest of its life: its thread ends
// with it.
func pin(cpu int, faults chan<- error) {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		faults <- fmt.Errorf("pinning a thread to processor %d: %w", cpu, err)
	}
}
