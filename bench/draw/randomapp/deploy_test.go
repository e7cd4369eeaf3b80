package randomapp_test

import (
	"context"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/internal/testkit"
)

// deployed builds and runs an application with the recommended buffer sizes, without growth. It returns the failure, or
// nil if the application ended by itself.
func deployed(t *testing.T, seed uint64) *run.Failure {
	t.Helper()
	x := size(t, Draw(seed, Options{Plain: true}), 20_000)
	o := program.Options{Buffers: make(map[int]int)}
	for e := range x.sizes {
		o.Buffers[e] = int(x.sizes[e].Elements)
	}
	prog, err := program.New(context.Background(), x.Design, o, "")
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	defer func() {
		if err := prog.Remove(); err != nil {
			t.Error(err)
		}
	}()
	m, err := run.Once(context.Background(), prog, run.Options{Stall: 5 * time.Minute})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for i := range m.Edges {
		if e := &m.Edges[i]; m.Failure == nil && e.Elements == 0 && x.solution.EdgeFlow[i] > 0 {
			t.Logf("seed %d: nothing came on edge %d", seed, i)
		}
	}
	return m.Failure
}

// TestDeployed checks that running applications end by themselves with the recommended sizes.
func TestDeployed(t *testing.T) {
	t.Parallel()
	for seed := uint64(2); seed < 3; seed++ {
		if f := deployed(t, seed); f != nil {
			t.Errorf("seed %d: %v", seed, f)
		}
	}
}

// TestTwentyDeployed is TestDeployed with 20 applications. TestNoneOf300Stalls simulates many more.
func TestTwentyDeployed(t *testing.T) {
	testkit.Long(t, "it compiles and runs 20 applications")
	t.Parallel()
	for seed := uint64(3); seed < 23; seed++ {
		if f := deployed(t, seed); f != nil {
			t.Errorf("seed %d: %v", seed, f)
		}
	}
}
