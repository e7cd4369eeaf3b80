package predict_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/testkit"
	"xopt/mapper/predict"
)

// layers returns the design of an application in layers of ten kernels that join two inputs, on four cores.
func layers(t *testing.T, kernels int) *design.Design {
	t.Helper()
	const wide = 10
	var top, placed strings.Builder
	for s := range kernels / wide {
		fmt.Fprintf(&top, "STAGE s%d[%d];\n", s, wide)
		if s > 0 {
			fmt.Fprintf(&top, "s%[1]d[*].y0 -> s%[2]d[*].x0; s%[1]d[1..%[4]d].y1 -> s%[2]d[2..%[3]d].x1; "+
				"s%[1]d[%[3]d].y1 -> s%[2]d[1].x1;\n", s-1, s, wide, wide-1)
		}
		for i := range wide {
			fmt.Fprintf(&placed, "map { top.s%d[%d] } to proc[%d];\n", s, i+1, (s*wide+i)%4+1)
		}
	}
	text := fmt.Sprintf(`#include "std.x"
block SRC { output UNSIGNED32 y[%[1]d]; };
block STAGE { input UNSIGNED32 x0, x1; output UNSIGNED32 y0, y1; join x0, x1; };
block SINK { input UNSIGNED32 x[%[1]d]; };
route SRC.y = 1;
route STAGE.y0 = 0.5;
route STAGE.y1 = 0.5;
block top {
SRC src; SINK sink;
%[2]ssrc.y[1..%[5]d] -> s0[*].x0; src.y[%[6]d..%[1]d] -> s0[*].x1;
s%[3]d[*].y0 -> sink.x[1..%[5]d]; s%[3]d[*].y1 -> sink.x[%[6]d..%[1]d];
};
use top;
resource proc[4] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s", from="assumed");
impl SRC on C (mu="2GB/s", from="assumed");
impl STAGE on C (mu="400MB/s", gain=1, from="assumed");
impl SINK on C (mu="3GB/s", from="assumed");
map { top.src } to proc[1];
map { top.sink } to proc[4];
%[4]s`, 2*wide, top.String(), kernels/wide-1, placed.String(), wide, wide+1)
	program, _, err := xlang.Load([]string{"app.x"}, xlang.Options{Library: configs.Library(),
		ReadFile: func(path string) ([]byte, error) {
			if path != "app.x" {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := design.New(program, design.Options{Purpose: design.ForMapping})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMappingEndsSoon cancels predictions at different checks of their contexts.
func TestMappingEndsSoon(t *testing.T) {
	const kernels = 100
	d := layers(t, kernels)
	testkit.EndsSoon(t, 2*kernels, func(ctx context.Context) error {
		_, err := predict.Mapping(ctx, d, d.Mapping, flow.Fast{}, "m")
		return err
	})
}

// TestWithoutSizes predicts a mapping while the context for its sizes ends. The rest equals a complete prediction.
func TestWithoutSizes(t *testing.T) {
	d, all := layers(t, 100), context.Background()
	complete, err := predict.Mapping(all, d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []int64{0, 1, 20, 100} {
		ended := testkit.NewCountdown(t, looks)
		got, err := predict.MappingLimited(predict.Limits{All: all, Sizes: ended, Comparisons: ended}, d, d.Mapping,
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
		if text := strings.Join(fault.Texts(got.Warnings), "\n"); strings.Count(text,
			"after the interruption") != 2 {
			t.Errorf("%d looks: warnings %q", looks, text)
		}
	}
	ended, cancel := context.WithCancel(all)
	cancel()
	if _, err := predict.MappingLimited(predict.Limits{All: ended, Sizes: ended, Comparisons: ended}, d, d.Mapping,
		flow.Fast{},
		"m"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a prediction that ended", err)
	}
}
