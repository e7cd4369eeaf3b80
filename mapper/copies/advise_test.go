package copies

import (
	"context"
	"math"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// evaluated predicts threeKernels with the given statements, as xopt eval does.
func evaluated(t *testing.T, statements string) (*design.Design, *result.Candidate) {
	t.Helper()
	d := loadText(t, threeKernels+statements)
	p, err := design.Copied(d.Program, design.ForMapping)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = design.New(p, design.Options{Purpose: design.ForMapping}); err != nil {
		t.Fatal(err)
	}
	c, err := predict.Mapping(t.Context(), d, d.Mapping, flow.Fast{}, "map")
	if err != nil {
		t.Fatal(err)
	}
	return d, c
}

// TestAdvise checks that the advised copies are a valid statement with the advised throughput, that the cores are the
// unused ones, and that a mapping with copies, or whose bottleneck has state, gets no advice.
func TestAdvise(t *testing.T) {
	lower := func(ctx context.Context, p *xlang.Program) (*design.Design, error) {
		q, err := design.Copied(p, design.ForCheck)
		if err != nil {
			return nil, err
		}
		return design.NewContext(ctx, q, design.Options{Purpose: design.ForCheck})
	}
	const others = "map { top.s, top.d } to p[1];\n"
	for _, x := range []struct {
		name, statements string
		copies           int     // advised; 0 for no advice
		gain             float64 // minimum factor
	}{
		{"the bottleneck is stateless", others + "map { top.f } to p[2];", 4, 3},
		{"one more core is allowed", others + "map { top.f } to p[2]; fix { top.f } to p[2], p[3];", 2, 1.9},
		{"a fixed kernel", others + "map { top.f } to p[2]; fix { top.f } to p[2];", 0, 0},
		{"with copies", others + "map { top.f } to p[2] & p[3];", 0, 0},
		{"the bottleneck has state", others + "map { top.f } to p[2]; impl S on p[1] (mu=\"1MB/s\", gain=1);", 0, 0},
	} {
		d, c := evaluated(t, x.statements)
		advice, err := Advise(t.Context(), d, d.Mapping, c, lower)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if advice == nil {
			if x.copies > 0 {
				t.Errorf("%s: no advice", x.name)
			}
			continue
		}
		if len(advice.Resources) != x.copies || advice.Kernel != "top.f" {
			t.Errorf("%s: %+v, want %d copies", x.name, advice, x.copies)
			continue
		}
		_, with := evaluated(t, others+"map { top.f } to "+strings.Join(advice.Resources, " & ")+";")
		if got := float64(advice.Throughput); math.Abs(got/float64(with.Unlimited())-1) > 1e-9 ||
			got < x.gain*float64(c.Unlimited()) {
			t.Errorf("%s: advised %g B/s, but the statement gives %g B/s; without copies %g B/s", x.name, got,
				float64(with.Unlimited()), float64(c.Unlimited()))
		}
	}
}
