package arena

import (
	"context"
	"testing"
	"time"

	"xopt/mapper"
)

// BenchmarkMoves measures the moves per second of annealing on one thread, without proofs. The graphs have few and many
// edges per task.
func BenchmarkMoves(b *testing.B) {
	for _, name := range []string{"classic.cholesky-6", "classic.fft-32", "synthetic.random-large-dense",
		"mec.sleipnir-chess", "ml.gpt2-tensor-sh12-decode"} {
		b.Run(name, func(b *testing.B) {
			d, err := load(b, "dagbench", name)[0].Design(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			total := mapper.Annealed{}
			for b.Loop() {
				r, err := mapper.Search(context.Background(), d.Problem, d.Constraints, mapper.Options{
					Method: mapper.Anneal, Seed: 1, Threads: 1, MaxTime: time.Second, ProofNodes: -1})
				if err != nil {
					b.Fatal(err)
				}
				total.Moves, total.Time = total.Moves+r.Annealed.Moves, total.Time+r.Annealed.Time
			}
			b.ReportMetric(total.Rate(), "moves/s")
		})
	}
}
