package calibrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// pingC and pongC are the C code of two kernels that pass one element back and forth.
const pingC = `/* Forwards an element for each that returns. */
#include "X_Ping.h"

void X_Ping_init(X_Ping *d) { (void)d; }

void X_Ping_push(X_Ping *d) {
    while (X_Ping_x_avail(d) > 0 && X_Ping_back_avail(d) > 0) {
        *X_Ping_y(d, 1) = *X_Ping_x(d) ^ *X_Ping_back(d);
        X_Ping_x_release(d, 1);
        X_Ping_back_release(d, 1);
        X_Ping_y_send(d, 1);
    }
}

void X_Ping_destroy(X_Ping *d) { (void)d; }
`

const pongC = `/* Forwards its input. */
#include "X_Pong.h"

void X_Pong_init(X_Pong *d) { (void)d; }

void X_Pong_push(X_Pong *d) {
    for (; X_Pong_x_avail(d) > 0; X_Pong_x_release(d, 1)) {
        *X_Pong_y(d, 1) = *X_Pong_x(d);
        X_Pong_y_send(d, 1);
    }
}

void X_Pong_destroy(X_Pong *d) { (void)d; }
`

// measureLatency measures the transfer time of an element between two cores: half of the round-trip time of one element
// in a loop, excluding the service times of both kernels. The processes use the wait policy of the cores, so the time
// includes waking a sleeping process. Because other load can only increase the latency, the figure is the lower
// quartile of short windows, with an interval from the minimum to the median.
func measureLatency(ctx context.Context, p *xlang.Program, l xlang.Link, ends [2]xlang.Resource,
	dir string) (_ *profile.Figure, err error) {
	prog, err := buildRound(ctx, p, l, ends, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, prog.Remove()) }()
	var windows []float64
	for round := 0; round < linkRounds || len(windows) == 0 && round < linkTries*linkRounds; round++ {
		m, err := run.Well(ctx, prog, run.Options{Time: runWindows * window, Frame: run.MinFrame})
		if err != nil {
			return nil, err
		}
		for j, f := range m.Frames {
			rounds := float64(f.Edges[there].Consumed)
			if j < warmUpWindows || j == len(m.Frames)-1 || rounds == 0 {
				continue
			}
			both := f.End - f.Start - f.Kernels[ping].Worked - f.Kernels[pong].Worked
			windows = append(windows, max(both, 0)/rounds/2)
		}
	}
	if len(windows) == 0 {
		return nil, faults.MachineTooBusy.Errorf("no element completed a round trip between cores in %d windows: "+
			"the machine is too busy (calibrate again when it is idle)",
			linkTries*linkRounds*int(runWindows*window/run.MinFrame))
	}
	slices.Sort(windows)
	n := len(windows)
	return &profile.Figure{Value: windows[n/4], N: n, CI95: [2]float64{windows[0], windows[n/2]}}, nil
}

// The indices of the kernels of a round trip, and of the edge between the cores.
const (
	ping  = 1
	pong  = 2
	there = 1
)

// buildRound builds a loop of two kernels on two cores, and a source that feeds it.
func buildRound(ctx context.Context, p *xlang.Program, l xlang.Link, ends [2]xlang.Resource,
	dir string) (*program.Program, error) {
	own, err := os.MkdirTemp(dir, "round-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
	}
	port := func(name string) xlang.Port {
		return xlang.Port{Name: name, Type: "UNSIGNED64[1]", ElementBytes: 8}
	}
	out := &xlang.Program{Top: p.Top, Platforms: p.Platforms, Linktypes: p.Linktypes,
		Resources: ends[:],
		Links:     []xlang.Link{{Name: l.Name, Linktype: l.Linktype, Endpoints: []int{0, 1}}},
		Kernels: []xlang.Kernel{
			{Block: "Fill", Outputs: []xlang.Port{port("y")}},
			{Block: "Ping", Inputs: []xlang.Port{port("x"), port("back")}, Outputs: []xlang.Port{port("y")},
				Joins: []xlang.Join{{Ports: []int{0, 1}, Counts: []float64{1, 1}}}},
			{Block: "Pong", Inputs: []xlang.Port{port("x")}, Outputs: []xlang.Port{port("y")}},
		},
		Edges: []xlang.Edge{{Name: p.Top + ".fill", From: 0, To: ping}, {Name: p.Top + ".there", From: ping, To: pong},
			{Name: p.Top + ".back", From: pong, To: ping, ToPort: 1, Initial: 1}}}
	for i, code := range []string{fillC, pingC, pongC} {
		k := &out.Kernels[i]
		k.Name = p.Top + "." + strings.ToLower(k.Block)
		path := filepath.Join(own, strings.ToLower(k.Block)+".c")
		text := strings.NewReplacer("WORDS", "1", "AT_ONCE", "512").Replace(code)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("writing block %s: %w", k.Block, err)
		}
		out.Impls = append(out.Impls, xlang.Impl{Block: k.Block, Platform: ends[i/pong].Platform,
			Attrs: xlang.Values{"src": {Text: path, Quoted: true}}, Dir: own})
		out.Maps = append(out.Maps, xlang.Map{Kernel: i, Edge: -1, Resource: i / pong})
	}
	d, err := design.New(out, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, err
	}
	return program.New(ctx, d, program.Options{Style: program.PerCore, CPUs: processors(2, ends[:]...)}, "")
}
