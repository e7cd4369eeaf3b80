package micro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"xopt/bench/apps"
	"xopt/calibrate"
	"xopt/deploy/program"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// RingOptions configures [Ring] and [Network].
type RingOptions struct {
	Runs   int           // number of runs of each method, interleaved
	Window time.Duration // duration of each run
	// Progress, if not nil, is called before the measurement of each case.
	Progress func(done, all int)
}

// RingCase is the result of [Ring] for one message size and batch size.
type RingCase struct {
	Bytes int // bytes per message
	Batch int // number of messages that the writer sends together
	// Rates contains the rate of each method in messages/s.
	Rates [ringWays]profile.Median
}

// The compared methods of sending messages between two cores.
const (
	ringWay = iota
	ringPipe
	ringSocket
	ringChannel
	ringWays
)

// RingWays returns the names of the methods of sending messages between two cores.
func RingWays() [ringWays]string {
	return [ringWays]string{"ring", "pipe", "Unix socket", "Go channel"}
}

// Ring measures messages/s from one core to another. The methods are an edge of a deployed application, a pipe, a Unix
// socket, and a Go channel. The sender writes and the receiver reads every word of a message. Only the receiver of the
// channel, which transfers pointers to buffers, reads one word per cache line. Runs of all methods are interleaved.
func Ring(ctx context.Context, o RingOptions) (_ []RingCase, err error) {
	cpus, err := twoProcessors()
	if err != nil {
		return nil, err
	}
	dir, err := apps.Unpack("ring")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path, err := buildRivals(ctx, dir)
	if err != nil {
		return nil, err
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
		return [2]int{}, fmt.Errorf("reading the processors of this machine: %w", err)
	}
	var list []int
	for i := 0; len(list) < min(set.Count(), 2); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	if len(list) < 2 {
		return [2]int{}, errors.New("the benchmark needs two processors, but only one is available (see taskset)")
	}
	return [2]int{list[0], list[1]}, nil
}

func (c *RingCase) measure(ctx context.Context, dir, rivals string, cpus [2]int, o RingOptions) (err error) {
	set := map[string]string{"top.words": fmt.Sprint(c.Bytes / 8), "top.batch": fmt.Sprint(c.Batch)}
	prog, err := buildFolder(ctx, dir, set, program.Options{CPUs: 2}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	var rates [ringWays][]float64
	for run := range o.Runs {
		for way := range calibrate.Alternating(run, ringWays) {
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

// buildFolder builds an unpacked application with the given configs.
func buildFolder(ctx context.Context, dir string, set map[string]string, o program.Options,
	taps func(*xlang.Program) []program.Tap) (*program.Program, error) {
	o.Elements = 1 << 60 // the window ends the run earlier
	return calibrate.BuildFiles(ctx, inFolder(dir, "app.x", "arch.x", "map.x"), set, o, taps)
}

// inFolder returns the paths of the given files in a folder.
func inFolder(dir string, files ...string) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, f))
	}
	return paths
}
