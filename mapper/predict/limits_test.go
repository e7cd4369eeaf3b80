package predict_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"xopt/bench/draw/bigapp"
	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
	"xopt/mapper/predict"
)

// layers returns the design of an application of layers whose kernels join two inputs.
func layers(t *testing.T, kernels int) *design.Design {
	t.Helper()
	files := bigapp.App{Shape: bigapp.Layers, Kernels: kernels, Arrays: true, Cores: 4, Spread: true}.Write()
	program, _, err := xlang.Load(files.Names(), xlang.Options{Library: configs.Library(), ReadFile: files.ReadFile})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(program, design.Options{Purpose: design.ForMapping})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMappingEndsSoon cancels predictions at different looks at their contexts.
func TestMappingEndsSoon(t *testing.T) {
	const kernels = 300
	d := layers(t, kernels)
	testkit.EndsSoon(t, 2*kernels, func(ctx context.Context) error {
		_, err := predict.Mapping(ctx, d, d.Mapping, flow.Fast{}, "m")
		return err
	})
}

// TestWithoutSizes predicts a mapping while the context of its sizes ends: the rest is that of a complete prediction.
func TestWithoutSizes(t *testing.T) {
	d, all := layers(t, 100), context.Background()
	complete, err := predict.Mapping(all, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []int64{0, 1, 20, 100} {
		ended := testkit.NewCountdown(t, looks)
		got, err := predict.Within(predict.Limits{All: all, Sizes: ended, Comparisons: ended}, d, d.Mapping,
			flow.Fast{}, "m")
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Queues) > 0 || len(got.Alternatives) > 0 {
			t.Errorf("%d looks: %d queues and %d alternatives", looks, len(got.Queues), len(got.Alternatives))
		}
		if got.Throughput != complete.Throughput || len(got.Stations) != len(complete.Stations) || got.Latency == nil ||
			got.Latency.Seconds != complete.Latency.Seconds {
			t.Errorf("%d looks: the rest is not that of a complete prediction", looks)
		}
		if text := strings.Join(got.Warnings, "\n"); strings.Count(text, "left out after the interruption") != 2 {
			t.Errorf("%d looks: warnings %q", looks, text)
		}
	}
	ended, cancel := context.WithCancel(all)
	cancel()
	if _, err := predict.Within(predict.Limits{All: ended, Sizes: ended, Comparisons: ended}, d, d.Mapping, flow.Fast{},
		"m"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a prediction that ended", err)
	}
}
