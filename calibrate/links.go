package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
)

// fillC is the C code of a source that writes every word of its elements.
const fillC = `/* Sends consecutive numbers. */
#include <stdlib.h>
#include "X_Fill.h"

void X_Fill_init(X_Fill *d) {
    d->state = calloc(1, sizeof(uint64_t));
    if (!d->state)
        X_fail("out of memory");
}

int X_Fill_go(X_Fill *d) {
    uint64_t *count = d->state;
    size_t n = X_Fill_y_room(d);
    if (n > AT_ONCE)
        n = AT_ONCE;
    if (n == 0)
        return 0;
    uint64_t *y = X_Fill_y(d, n);
    for (size_t i = 0; i < n * WORDS; i++)
        y[i] = *count + i;
    *count += n * WORDS;
    X_Fill_y_send(d, n);
    return 0;
}

void X_Fill_destroy(X_Fill *d) { free(d->state); }
`

// readC is the C code of a sink that reads every word.
const readC = `/* Reads every word, and checks that the numbers are consecutive. */
#include <stdlib.h>
#include "X_Read.h"

void X_Read_init(X_Read *d) {
    d->state = calloc(1, sizeof(uint64_t));
    if (!d->state)
        X_fail("out of memory");
}

void X_Read_push(X_Read *d) {
    uint64_t *count = d->state, wrong = 0;
    for (; X_Read_x_avail(d) > 0; X_Read_x_release(d, 1)) {
        const uint64_t *x = X_Read_x(d);
        for (size_t i = 0; i < WORDS; i++)
            wrong |= x[i] ^ (*count + i);
        *count += WORDS;
    }
    if (wrong)
        X_fail("a word is not the one that was sent");
}

void X_Read_destroy(X_Read *d) { free(d->state); }
`

// linkSizes returns the message sizes for measuring links, in bytes.
func linkSizes() []int { return []int{8, 64, 512, 4096, 32768} }

// Values of [profile.Link.Where] for memory: between kernels on two cores, or between processes on one core.
const (
	betweenCores     = "between cores"
	betweenProcesses = "between processes on one core"
)

// Links measures the time of messages over the memory that cores of this machine share, once per linktype. A source
// writes each message word by word, and a sink reads it. Links fits this time as a cost per message plus bytes divided
// by bandwidth. Links also measures networks between hosts ([linkPart.measureNetwork]). It does not measure buses:
// their figures are those in the X files. On an error, Links also returns the links already measured.
func Links(ctx context.Context, d *design.Design, o Options) ([]profile.Link, error) {
	o.fill()
	var links []profile.Link
	for _, x := range linkParts(d.Program) {
		l, err := x.measure(ctx, d.Program, &o)
		if err != nil {
			return links, err
		}
		links = append(links, *l)
	}
	return links, nil
}

// linkPart is one measurement of a link: of memory, between cores or between processes on one core, or of a network
// between two hosts.
type linkPart struct {
	link      xlang.Link
	where     string
	endpoints [2]xlang.Resource
	hosts     []string // names of the hosts of a network
}

// linkParts lists the measurements for the links of a program, memory first.
func linkParts(p *xlang.Program) []linkPart {
	var list []linkPart
	seen := make(map[string]bool)
	for _, l := range p.Links {
		onCore := func(r int) bool { return design.IsCore(p, r) }
		if seen[l.Linktype] || root(p.Linktypes, l.Linktype) != "memory" || !slices.ContainsFunc(l.Endpoints, onCore) {
			continue
		}
		seen[l.Linktype] = true
		for _, where := range []string{betweenCores, betweenProcesses} {
			list = append(list, linkPart{l, where, endsOf(p, l), nil})
		}
	}
	for i := range p.Links {
		if ends, hosts, ok := hostEnds(p, &p.Links[i]); ok {
			list = append(list, linkPart{p.Links[i], betweenHosts, ends, hosts})
		}
	}
	return list
}

// unmeasured returns the profile entry of a link, without figures.
func (x *linkPart) unmeasured() *profile.Link {
	l := &profile.Link{Linktype: x.link.Linktype, Where: x.where}
	if x.hosts != nil {
		l.Link, l.Hosts = x.link.Name, x.hosts
	}
	return l
}

// measure measures the link and fits its figures.
func (x *linkPart) measure(ctx context.Context, p *xlang.Program, o *Options) (_ *profile.Link, err error) {
	dir, err := scratch.Dir("", scratch.Links)
	if err != nil {
		return nil, fmt.Errorf("creating a folder to measure links: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	where, stage, measure := x.where, "memory "+x.where, x.measureMemory
	if x.hosts != nil {
		where = fmt.Sprintf("between hosts %s and %s", x.hosts[0], x.hosts[1])
		stage, measure = fmt.Sprintf("%s between %s and %s", x.link.Name, x.hosts[0], x.hosts[1]), x.measureNetwork
	}
	link, err := measure(ctx, linkWork{p, dir, o.Budget, func() { o.Progress(Progress{Stage: "measuring " + stage}) }})
	if err != nil {
		return nil, fmt.Errorf("measuring link %s %s: %w", x.link.Name, where, err)
	}
	return link, nil
}

// linkWork contains the inputs of a link's measurement other than the link.
type linkWork struct {
	program *xlang.Program
	dir     string
	budget  time.Duration // 0 for none
	report  func()
}

// root returns the root of a type's chain of base types.
func root(types []xlang.Type, name string) string {
	for range types {
		i := slices.IndexFunc(types, func(t xlang.Type) bool { return t.Name == name })
		if i < 0 || types[i].Base == "" {
			break
		}
		name = types[i].Base
	}
	return name
}

// linkRounds is the number of runs for each message size. If a size has no valid window, because the machine is busy,
// there are up to linkTries times as many runs.
const (
	linkRounds = 7
	linkTries  = 3
)

func (x *linkPart) measureMemory(ctx context.Context, w linkWork) (_ *profile.Link, err error) {
	var programs []*program.Program
	for _, bytes := range linkSizes() {
		w.report()
		prog, err := x.build(ctx, w, x.where, bytes)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, prog.Remove()) }()
		programs = append(programs, prog)
	}
	windows, absurd, err := linkWindows(ctx, programs, w.report)
	if err != nil {
		return nil, err
	}
	link := x.unmeasured()
	all := make([]int, len(windows))
	for i := range windows {
		all[i] = len(windows[i]) + absurd[i]
	}
	if x.where == betweenCores {
		windows, link.Distance, link.Far = nearWindows(windows)
	}
	for i, bytes := range linkSizes() {
		f := figure(secondsOf(windows[i]), nil)
		low, high := f.Spread()
		link.Samples = append(link.Samples, profile.LinkSample{Bytes: float64(bytes), Seconds: f.Value,
			CI95: [2]float64{low, high}, Windows: all[i], Absurd: absurd[i], Corrected: correctionOf(windows[i])})
	}
	fitLink(link, len(windows[0]))
	if x.where == betweenCores {
		w.report()
		if link.Latency, err = measureLatency(ctx, w.program, x.link, x.endpoints, w.dir); err != nil {
			return nil, err
		}
	}
	return link, nil
}

// fitLink fits seconds = cost + bytes/bandwidth by least squares of relative differences, with cost and bandwidth of at
// least 0. It computes their intervals from fits to the ends of the samples' intervals. It marks and ignores outliers.
func fitLink(l *profile.Link, n int) {
	markOutliers(l.Samples)
	fit := func(seconds func(s *profile.LinkSample) float64) (cost, perByte float64) {
		return fitSamples(l.Samples, seconds)
	}
	cost, perByte := fit(func(s *profile.LinkSample) float64 { return s.Seconds })
	lowCost, lowByte := fit(func(s *profile.LinkSample) float64 { return s.CI95[0] })
	highCost, highByte := fit(func(s *profile.LinkSample) float64 { return s.CI95[1] })
	around := func(v float64, ends ...float64) *profile.Figure {
		return &profile.Figure{Value: v, N: n, CI95: [2]float64{min(v, slices.Min(ends)), max(v, slices.Max(ends))}}
	}
	l.TransferCost = around(cost, lowCost, highCost)
	l.Bandwidth = around(1/perByte, 1/lowByte, 1/highByte)
	for i := range l.Samples {
		s := &l.Samples[i]
		s.Fitted = cost + s.Bytes*perByte
		if !s.LeftOut {
			l.Residual = max(l.Residual, math.Abs(s.Fitted-s.Seconds)/s.Seconds)
		}
	}
}

// fitSamples fits the samples of a link that are not outliers.
func fitSamples(samples []profile.LinkSample, seconds func(s *profile.LinkSample) float64) (cost, perByte float64) {
	var bytes, t []float64
	for i := range samples {
		if s := &samples[i]; !s.LeftOut {
			bytes, t = append(bytes, s.Bytes), append(t, seconds(s))
		}
	}
	return fitLine(bytes, t)
}

// The criteria for outliers among message sizes. An outlier satisfies two conditions. It is slower than the fit of the
// other samples by more than the fraction outlierSlower. Without it, the largest residual falls to at most outlierGain
// times its value. Disturbances never make samples faster. At least minSamples samples remain.
const (
	outlierSlower = 0.3
	outlierGain   = 1. / 3
	minSamples    = 4
)

// markOutliers marks the samples that the fit omits.
func markOutliers(samples []profile.LinkSample) {
	seconds := func(s *profile.LinkSample) float64 { return s.Seconds }
	worst := func(except int) (residual, slower float64) {
		cost, perByte := fitSamples(samples, seconds)
		for i := range samples {
			switch s := &samples[i]; {
			case i == except:
				slower = s.Seconds/(cost+s.Bytes*perByte) - 1
			case !s.LeftOut:
				residual = max(residual, math.Abs((cost+s.Bytes*perByte)/s.Seconds-1))
			}
		}
		return residual, slower
	}
	for left := len(samples); left > minSamples; left-- {
		before, _ := worst(-1)
		best, minimum := -1, outlierGain*before
		for i := range samples {
			if samples[i].LeftOut {
				continue
			}
			samples[i].LeftOut = true
			if residual, slower := worst(i); slower > outlierSlower && residual <= minimum {
				best, minimum = i, residual
			}
			samples[i].LeftOut = false
		}
		if best < 0 {
			return
		}
		samples[best].LeftOut = true
	}
}

// fitLine fits t = cost + bytes·perByte by least squares of relative differences, with both parameters at least 0.
func fitLine(bytes, t []float64) (cost, perByte float64) {
	// min Σ (a x + b y - 1)², with x = 1/t and y = bytes/t.
	var xx, xy, yy, x1, y1 float64
	for i, b := range bytes {
		x, y := 1/t[i], b/t[i]
		xx, xy, yy, x1, y1 = xx+x*x, xy+x*y, yy+y*y, x1+x, y1+y
	}
	det := xx*yy - xy*xy
	cost, perByte = (x1*yy-y1*xy)/det, (y1*xx-x1*xy)/det
	switch {
	case cost < 0:
		return 0, y1 / yy
	case perByte <= 0:
		return x1 / xx, math.SmallestNonzeroFloat32
	}
	return cost, perByte
}

// build builds a program with a source and a sink for messages of the given size in bytes. where selects the kind of
// measurement.
func (x *linkPart) build(ctx context.Context, w linkWork, where string, bytes int) (*program.Program, error) {
	p, l, ends := w.program, x.link, x.endpoints
	own, err := os.MkdirTemp(w.dir, "link-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
	}
	const atOnce = 4096 // maximum number of bytes written in one call
	port := xlang.Port{Type: fmt.Sprintf("UNSIGNED64[%d]", bytes/8), ElementBytes: float64(bytes)}
	out := &xlang.Program{Top: p.Top, Platforms: p.Platforms, Linktypes: p.Linktypes, Resources: ends[:],
		Links: []xlang.Link{{Name: l.Name, Linktype: l.Linktype, Endpoints: []int{0, 1}}}}
	at := func(i int) int { // resource of a kernel
		if where == betweenProcesses {
			return 0
		}
		return i
	}
	for i, b := range []struct{ name, code, port string }{{"Fill", fillC, "y"}, {"Read", readC, "x"}} {
		path := filepath.Join(own, strings.ToLower(b.name)+".c")
		text := strings.NewReplacer("WORDS", fmt.Sprint(bytes/8), "AT_ONCE",
			fmt.Sprint(max(1, atOnce/bytes))).Replace(b.code)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("writing block %s: %w", b.name, err)
		}
		port.Name = b.port
		k := xlang.Kernel{Name: p.Top + "." + strings.ToLower(b.name), Block: b.name}
		if i == 0 {
			k.Outputs = []xlang.Port{port}
		} else {
			k.Inputs = []xlang.Port{port}
		}
		out.Kernels = append(out.Kernels, k)
		out.Impls = append(out.Impls, xlang.Impl{Block: b.name, Platform: ends[at(i)].Platform,
			Attrs: xlang.Values{"src": {Text: path, Quoted: true}}, Dir: own})
		out.Maps = append(out.Maps, xlang.Map{Kernel: i, Edge: -1, Resource: at(i)})
	}
	out.Edges = []xlang.Edge{{Name: p.Top + ".messages", From: 0, To: 1}}
	d, err := design.New(out, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, err
	}
	options := program.Options{Style: program.PerCore, CPUs: processors(2, ends[:]...),
		Reference: where == betweenCores}
	switch where {
	case betweenHosts:
		options.CPUs, options.Buffers = 0, map[int]int{0: networkBuffer / bytes}
	case oneAtATime:
		options.CPUs, options.Buffers = 0, map[int]int{0: 1}
	}
	if where == betweenProcesses {
		options.Style, options.Wait, options.CPUs = program.PerKernel, program.WaitBlock, processors(1, ends[0])
	}
	return program.New(ctx, d, options, "")
}
