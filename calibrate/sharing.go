package calibrate

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/internal/files/scratch"
)

// SharingOptions configures [Sharing].
type SharingOptions struct {
	Runs   int           // number of runs of each case and of each kernel alone
	Window time.Duration // duration of each run with up to 3 kernels; n times as long for 2 n kernels
	// Pipelines lists the times of the kernels of each pipeline in us. nil selects five pipelines: kernels of 20, 5 and
	// 2 us; three kernels of 2 us; and 4, 8 and 16 kernels of 20 us.
	Pipelines [][]float64
	// Ways contains the process styles, wait policies and schedulers to measure; nil for all relevant combinations.
	Ways     []SharingCase
	Progress func(done, all int)
}

// SharingCase is the measurement of a pipeline of kernels on one core, with one deployment. Its source and sink are on
// another core (Beard 2013 §5.1, Fig. 14).
type SharingCase struct {
	Times     []float64 // work of each kernel in us
	Style     program.Style
	Wait      program.Wait
	Scheduler program.Scheduler
	Rate      profile.Median // throughput of the pipeline in elements/s
	// Conserving is the predicted rate under conserving sharing: 1 divided by the sum of the kernels' times alone.
	// Equal is the predicted rate if each of n kernels has 1/n of the core: 1 divided by n times the longest time
	// (Beard 2013, Eq. 9). The times alone were measured in turns with the pipeline. Rates are in elements/s.
	Conserving, Equal float64
	// conservingEnds and equalEnds are the intervals of Conserving and Equal that follow from the intervals of the
	// rates alone.
	conservingEnds, equalEnds [2]float64
	// Cost is the time per element of the pipeline minus the sum of the kernels' times alone, divided by the number of
	// kernels, in seconds. It may be negative.
	Cost float64
	// Between is the overhead per firing in s: the time in which a process for all kernels executed no kernel. It is
	// empty for one process per kernel. Unlike Cost, it does not depend on measurements at other times.
	Between profile.Median
	// Fail is the reason why there is no measurement.
	Fail string
}

//go:embed kernels
var kernels embed.FS

// unpackKernels writes the sources of the pipelines' kernels to a new folder, and returns the folder.
func unpackKernels() (string, error) {
	dir, err := scratch.Dir("", scratch.Calibrate)
	if err != nil {
		return "", fmt.Errorf("creating a folder for the test of core sharing: %w", err)
	}
	sub, err := fs.Sub(kernels, "kernels")
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpacking the kernels for the test of core sharing: %w", err),
			os.RemoveAll(dir))
	}
	return dir, nil
}

// Sharing measures pipelines of unequal and equal kernels on one core, with each of the deployments in o.Ways.
func Sharing(ctx context.Context, o SharingOptions) (_ []SharingCase, err error) {
	dir, err := unpackKernels()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ways := []SharingCase{
		{Style: program.PerCore, Wait: program.WaitBlock, Scheduler: program.SchedulerOther},
		{Style: program.PerKernel, Wait: program.WaitBlock, Scheduler: program.SchedulerOther},
		{Style: program.PerKernel, Wait: program.WaitBlock, Scheduler: program.SchedulerBatch},
		{Style: program.PerKernel, Wait: program.WaitBlock, Scheduler: program.SchedulerRR},
		{Style: program.PerKernel, Wait: program.WaitYield, Scheduler: program.SchedulerOther},
		{Style: program.PerKernel, Wait: program.WaitSpin, Scheduler: program.SchedulerOther},
	}
	if o.Ways != nil {
		ways = o.Ways
	}
	pipelines := o.Pipelines
	if pipelines == nil {
		pipelines = [][]float64{{20, 5, 2}, {2, 2, 2}}
		for _, n := range []int{4, 8, 16} { // equal kernels of 20 us, as in Beard 2013 §4.5
			pipelines = append(pipelines, slices.Repeat([]float64{20}, n))
		}
	}
	var cases []SharingCase
	for i, times := range pipelines {
		if o.Progress != nil {
			o.Progress(i, len(pipelines))
		}
		found, err := sharePipeline(ctx, dir, times, ways, o)
		if err != nil {
			return nil, fmt.Errorf("measuring %d kernels of %v us: %w", len(times), times, err)
		}
		cases = append(cases, found...)
	}
	return cases, nil
}

// pipelineX returns the X text of a pipeline of kernels on proc[1] between a source and a sink on proc[2].
func pipelineX(times []float64) string {
	var b strings.Builder
	b.WriteString("#include \"sharing.x\"\nblock top {\n    Source source;\n")
	for i, t := range times {
		fmt.Fprintf(&b, "    Work w%d (time=%g);\n", i+1, t)
	}
	b.WriteString("    Sink sink;\n    e0: source.y -> w1.x;\n")
	for i := 1; i < len(times); i++ {
		fmt.Fprintf(&b, "    e%d: w%d.y -> w%d.x;\n", i, i, i+1)
	}
	fmt.Fprintf(&b, "    e%d: w%d.y -> sink.x;\n};\nuse top;\nmap { top.source, top.sink } to proc[2];\n",
		len(times), len(times))
	for i := range times {
		// With small buffers, a long pipeline soon reaches its steady state.
		fmt.Fprintf(&b, "map { top.w%d } to proc[1];\nbuffer { top.e%d } = 256;\n", i+1, i+1)
	}
	return b.String()
}

// someRate returns the input rate of the sink in bytes/s, and the time per firing in s for which the process on proc[1]
// executed no kernel. It repeats a window without output, as on a busy machine, up to three times, each time with twice
// the length.
func someRate(ctx context.Context, prog *program.Program, window time.Duration) (rate, rest float64, err error) {
	for range 4 {
		m, err := ranFor(ctx, prog, window, nil)
		if err != nil {
			return 0, 0, err
		}
		d := prog.Description()
		if rate, err = run.SinkRate(d, m, sinkWarmUp); err != nil || rate > 0 {
			first := slices.IndexFunc(d.Kernels, func(k program.Kernel) bool { return k.Block == "Work" })
			return rate, between(d, m, d.Kernels[first].Process), err
		}
		window *= 2
	}
	return rate, 0, nil
}

// sharePipeline measures one pipeline with every deployment, in turns with each of its kernels alone.
func sharePipeline(ctx context.Context, dir string, times []float64, ways []SharingCase,
	o SharingOptions) (_ []SharingCase, err error) {
	cases := make([]SharingCase, len(ways))
	var programs []*program.Program
	defer func() {
		for _, p := range programs {
			err = errors.Join(err, p.Remove())
		}
	}()
	add := func(name string, times []float64, options program.Options) error {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(pipelineX(times)), 0o644); err != nil {
			return fmt.Errorf("writing a pipeline: %w", err)
		}
		options.CPUs, options.Elements = 2, 1<<60
		p, err := BuildFiles(ctx, []string{filepath.Join(dir, name)}, nil, options, nil)
		if err == nil {
			programs = append(programs, p)
		}
		return err
	}
	for i, w := range ways {
		cases[i] = w
		cases[i].Times = times
		if err := add("shared.x", times, program.Options{Style: w.Style, Wait: w.Wait,
			Scheduler: w.Scheduler}); err != nil {
			return nil, err
		}
	}
	kinds := make(map[float64]int) // index of the program of a kernel alone, by the kernel's time
	for _, t := range times {
		if _, ok := kinds[t]; !ok {
			kinds[t] = len(programs)
			if err := add("alone.x", []float64{t}, program.Options{}); err != nil {
				return nil, err
			}
		}
	}
	const bytes = 64 // size of an element
	rates, rests := make([][]float64, len(programs)), make([][]float64, len(cases))
	for run := range o.Runs {
		for i := range Alternating(run, len(programs)) {
			if i < len(cases) && cases[i].Fail != "" {
				continue
			}
			r, rest, err := someRate(ctx, programs[i], o.Window*time.Duration(max(1, len(times)/2)))
			switch {
			case err != nil && i < len(cases) && ctx.Err() == nil:
				cases[i].Fail = err.Error()
			case err != nil:
				return nil, err
			default:
				rates[i] = append(rates[i], r/bytes)
				if i < len(cases) {
					rests[i] = append(rests[i], rest)
				}
			}
		}
	}
	compareShared(cases, rates, rests, kinds)
	return cases, nil
}

// compareShared fills cases from the rates of pipelines and of kernels alone. rests contains the times per firing
// between kernels. kinds maps the time of a kernel to the index of its rates.
func compareShared(cases []SharingCase, rates, rests [][]float64, kinds map[float64]int) {
	times := cases[0].Times
	modelled := func(rate func(m profile.Median) float64) (conserving, equal, sum float64) {
		longest := 0.0
		for _, t := range times {
			alone := 1 / rate(profile.MedianOf(rates[kinds[t]]))
			sum += alone
			longest = max(longest, alone)
		}
		return 1 / sum, 1 / (float64(len(times)) * longest), sum
	}
	conserving, equal, sum := modelled(func(m profile.Median) float64 { return m.Value })
	lowConserving, lowEqual, _ := modelled(func(m profile.Median) float64 { return m.Low })
	highConserving, highEqual, _ := modelled(func(m profile.Median) float64 { return m.High })
	for i := range cases {
		c := &cases[i]
		c.Conserving, c.Equal = conserving, equal
		c.conservingEnds, c.equalEnds = [2]float64{lowConserving, highConserving}, [2]float64{lowEqual, highEqual}
		if c.Fail == "" {
			c.Rate = profile.MedianOf(rates[i])
			if c.Style == program.PerCore {
				c.Between = profile.MedianOf(rests[i])
			}
			c.Cost = (1/c.Rate.Value - sum) / float64(len(times))
		}
	}
}
