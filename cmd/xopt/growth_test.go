package main

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"xopt/configs"
	"xopt/internal/bigapp"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// BenchmarkGrowth shows how the time of the steps of a command grows with the application.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range bigapp.Shapes() {
		for _, kernels := range []int{1000, 10_000} {
			files := bigapp.App{Shape: shape, Kernels: kernels, Arrays: true, Spread: true}.Write()
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
