package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"xopt/configs"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// spent returns the bytes that a command allocates and its processor time. Neither depends on how busy the machine
// is.
func spent(ctx context.Context, t *testing.T, args ...string) (bytesOf uint64, cpu time.Duration, output string) {
	t.Helper()
	var before, after runtime.MemStats
	var out, errs bytes.Buffer
	runtime.ReadMemStats(&before)
	start := testkit.CPUTime(t)
	if code := run(ctx, args, &out, &errs); code != exitDone {
		t.Fatalf("xopt %v ended with %d: %s", args, code, errs.String())
	}
	cpu = testkit.CPUTime(t) - start
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, cpu, out.String()
}

// TestGrowth checks that eight times the kernels need at most slightly more than eight times the memory, for each
// shape of application.
func TestGrowth(t *testing.T) {
	const times = 8
	const few = 125
	testkit.Long(t, "it sizes the buffers of thousands of kernels")
	for _, shape := range []bigShape{bigLayers, bigStar} {
		t.Run(shape.String(), func(t *testing.T) {
			var memory [2]map[string]uint64
			for i, kernels := range []int{few, few * times} {
				folder := t.TempDir()
				paths, err := bigApp{Shape: shape, Kernels: kernels, Arrays: i%2 == 0,
					Spread: true}.Write().Save(folder)
				if err != nil {
					t.Fatal(err)
				}
				memory[i] = make(map[string]uint64)
				step := func(name string, args ...string) { memory[i][name], _, _ = spent(t.Context(), t, args...) }
				step("check", "check", paths[0], paths[1])
				step("eval", "eval", "--report", folder, paths[0], paths[1], paths[2])
				step("md", "report", "--format", "md", filepath.Join(folder, "map.result.json"))
			}
			for step, small := range memory[0] {
				const fixed, slack = 4 << 20, 1.5
				if large := memory[1][step]; float64(large) > times*slack*float64(small)+fixed {
					t.Errorf("%s takes %.1f MB for %d kernels and %.1f MB for %d", step, float64(small)/1e6, few,
						float64(large)/1e6, few*times)
				}
			}
		})
	}
}

// TestTenThousandKernels evaluates large applications of all shapes on many cores, and smaller ones on one. It limits
// the processor time to a multiple of the usual one. Quadratic growth would need a hundred times, or forty.
func TestTenThousandKernels(t *testing.T) {
	testkit.Long(t, "it takes half a minute")
	for _, shape := range bigShapes() {
		for _, spread := range []bool{true, false} {
			app, maximum := bigApp{Shape: shape, Kernels: 10_000, Arrays: true, Spread: spread}, 40*time.Second
			if !spread {
				app.Kernels, maximum = app.Kernels*2/5, maximum*2/5
			}
			paths, err := app.Write().Save(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			_, cpu, out := spent(ctx, t, append([]string{"eval"}, paths...)...)
			cancel()
			if cpu > maximum {
				t.Errorf("%v, spread %v: eval takes %v of processor time", shape, spread, cpu)
			}
			if !strings.Contains(out, "--full shows all tables") || len(out) > 1<<20 {
				t.Errorf("%v, spread %v: %d bytes are printed", shape, spread, len(out))
			}
		}
	}
}

// BenchmarkGrowth shows how the time of a command's steps grows with the application.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range bigShapes() {
		for _, kernels := range []int{1000, 10_000} {
			files := bigApp{Shape: shape, Kernels: kernels, Arrays: true, Spread: true}.Write()
			folder := b.TempDir()
			paths, err := files.Save(folder)
			if err != nil {
				b.Fatal(err)
			}
			xopt := func(args ...string) func(*testing.B) {
				return func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if code := run(b.Context(), args, io.Discard, io.Discard); code != exitDone {
							b.Fatalf("xopt %v ended with %d", args, code)
						}
					}
				}
			}
			name := func(step string) string { return fmt.Sprintf("%s/%s/kernels=%d", step, shape, kernels) }
			b.Run(name("parse"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library()}); err != nil {
						b.Fatal(err)
					}
				}
			})
			program, _, err := xlang.Load(paths, xlang.Options{Library: configs.Library()})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name("design"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := design.New(program, design.Options{Purpose: design.ForMapping}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name("check"), xopt("check", paths[0], paths[1]))
			b.Run(name("eval"), xopt(append([]string{"eval"}, paths...)...))
			b.Run(name("eval-report"), xopt(append([]string{"eval", "--report", folder}, paths...)...))
			result := filepath.Join(folder, "map.result.json")
			for _, format := range []string{"html", "md", "csv", "json"} {
				b.Run(name("report-"+format), xopt("report", "--format", format, result))
			}
		}
	}
}
