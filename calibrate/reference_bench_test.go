package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/flow/profile/goodtime"
	"xopt/internal/testkit"
)

// firAlone returns the application of testdata/fir, whose kernel 1 is a filter, with the recorded data of its
// edges.
func firAlone(b *testing.B, o *Options) (*design.Design, []string, string) {
	b.Helper()
	d := flowtest.X{Files: []string{"testdata/fir/app.x", "testdata/fir/arch.x"},
		More: "map { top } to proc[1];\n"}.Design(b, design.Options{Purpose: design.ForCheck})
	o.fill()
	dir := b.TempDir()
	files, _, err := record(b.Context(), d, *o, dir, &Report{})
	if err != nil {
		b.Fatal(err)
	}
	return d, files, dir
}

const firKernel = 1 // of testdata/fir

// BenchmarkReference measures the cost of the reference in a run with frames of 10 ms: its share of the
// processor time, and the slowdown of the kernel, in alternating runs.
func BenchmarkReference(b *testing.B) {
	var o Options
	d, files, _ := firAlone(b, &o)
	var programs [2]*program.Program
	for i := range programs {
		x, err := isolate(d, firKernel, files, where{}, b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		if programs[i], err = program.New(b.Context(), x.design, program.Options{Style: program.PerCore, CPUs: 1,
			Taps: []program.Tap{{Kind: program.Service}}, Reference: i == 1}, ""); err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := programs[i].Remove(); err != nil {
				b.Error(err)
			}
		}()
	}
	const runs, length = 20, 10 * time.Millisecond
	var ratios, parts []float64
	var all [2][]float64
	for b.Loop() {
		for range runs {
			var cost [2]float64
			for i, p := range programs {
				m, err := run.Well(context.Background(), p, run.Options{Time: 40 * length, Frame: length})
				if err != nil {
					b.Fatal(err)
				}
				var costs []float64
				for _, f := range m.Frames[2:] {
					if f.Edges[0].Consumed > 0 {
						costs = append(costs, f.Kernels[0].Busy/float64(f.Edges[0].Consumed))
					}
				}
				cost[i], all[i] = profile.MedianOf(costs).Value, append(all[i], costs...)
				if i == 0 {
					continue
				}
				for j, t := range m.Reference[0][1:] {
					parts = append(parts, t.Seconds/(t.Time-m.Reference[0][j].Time))
				}
			}
			ratios = append(ratios, cost[1]/cost[0])
		}
	}
	r := profile.MedianOf(ratios)
	b.ReportMetric(100*profile.MedianOf(parts).Value, "%-of-time")
	b.ReportMetric(goodtime.LowerMode(all[1])/goodtime.LowerMode(all[0]), "with/without-good")
	b.ReportMetric(r.Value, "with/without")
	b.ReportMetric(r.Low, "from")
	b.ReportMetric(r.High, "to")
}

// BenchmarkRepeated calibrates a filter ten times, beside a neighbour on another processor that multiplies
// vectors in random phases. It reports the spread of the median rates and of the undisturbed rates.
func BenchmarkRepeated(b *testing.B) {
	var o Options
	d, files, dir := firAlone(b, &o)
	s := &Session{design: d, options: o, files: files, dir: dir}
	variant, err := s.buildVariant(b.Context(), firKernel, where{}, program.Tap{Kind: program.Service})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := variant.program.Remove(); err != nil {
			b.Error(err)
		}
	}()
	first, err := variant.run(b.Context(), kernelWindows)
	if err != nil {
		b.Fatal(err)
	}
	stop := neighbour(b, (first.Processes[0].Processor+1)%runtime.NumCPU())
	defer stop()
	const times, fewest, maximum, precision = 10, 6, 40, 0.01
	var raw, corrected []float64
	for b.Loop() {
		for range times {
			r := &kernelRun{kernel: firKernel, near: variant, machine: &reference{}, windows: kernelWindows,
				once: make([]bool, 1)}
			r.pool = &pool{runs: []*kernelRun{r}}
			for i := 0; i < fewest || i < maximum && !r.done(precision); i++ {
				m, err := variant.run(b.Context(), r.windows)
				if err != nil {
					b.Fatal(err)
				}
				var x readings
				r.read(&x, d, m, r.costs(d, variant.program, m))
				r.keep(&x, &Report{})
			}
			x, _ := r.used()
			var costs []float64
			for _, w := range x.windows {
				costs = append(costs, w.cost)
			}
			f, _ := r.rate()
			low, high, _ := f.Interval()
			g := r.describeUndisturbed()
			b.Logf("median window %.1f MB/s, good time %.1f MB/s in %.1f to %.1f, %d of %d windows good, %v",
				1e-6/profile.MedianOf(costs).Value, 1e-6*f.Value, 1e-6*low, 1e-6*high, g.Good, g.Windows, g.Sensitivity)
			raw, corrected = append(raw, 1/profile.MedianOf(costs).Value), append(corrected, f.Value)
		}
	}
	b.ReportMetric(apartBy(raw), "max/min-median")
	b.ReportMetric(apartBy(corrected), "max/min-good")
}

func apartBy(values []float64) float64 {
	low, high := math.Inf(1), 0.0
	for _, x := range values {
		low, high = min(low, x), max(high, x)
	}
	return high / low
}

const neighbourC = `
typedef float v __attribute__((vector_size(16)));
static v a[256], b[256];
int main(void) {
    v s[8] = {0};
    for (;;) {
        for (int i = 0; i < 256; i += 8) {
            s[0] += a[i] * b[i]; s[1] += a[i + 1] * b[i + 1]; s[2] += a[i + 2] * b[i + 2]; s[3] += a[i + 3] * b[i + 3];
            s[4] += a[i + 4] * b[i + 4]; s[5] += a[i + 5] * b[i + 5]; s[6] += a[i + 6] * b[i + 6];
            s[7] += a[i + 7] * b[i + 7];
        }
        __asm__ volatile("" : : "r"(s) : "memory");
    }
}
`

// neighbour starts a process on a processor that multiplies vectors, in random phases of tenths of a second.
func neighbour(b *testing.B, processor int) (stop func()) {
	b.Helper()
	cc := testkit.Tool(b, "gcc", "gcc")
	dir := b.TempDir()
	source, program := filepath.Join(dir, "n.c"), filepath.Join(dir, "n")
	if err := os.WriteFile(source, []byte(neighbourC), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O2", "-o", program, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var done sync.WaitGroup
	done.Go(func() {
		random := rand.New(rand.NewPCG(1, 1))
		phase := func() time.Duration { return time.Duration((0.2 + 1.3*random.Float64()) * float64(time.Second)) }
		for ctx.Err() == nil {
			limited, finish := context.WithTimeout(ctx, phase())
			c := exec.CommandContext(limited, program)
			if err := c.Start(); err == nil {
				var only unix.CPUSet
				only.Set(processor)
				_ = unix.SchedSetaffinity(c.Process.Pid, &only) // else Linux chooses
				_ = c.Wait()
			}
			finish()
			select {
			case <-ctx.Done():
			case <-time.After(phase()):
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
