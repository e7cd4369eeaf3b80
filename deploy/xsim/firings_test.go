package xsim_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xeval"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// severalPorts is a source, a filter and a sink. The source sends one element on p and two on q in each call. The
// filter drops one element in four. The sink has two inputs without a join: an element on u takes it 1 us, one on v
// 125 ns.
const severalPorts = `#include "std.x"
block SRC { output UNSIGNED32[64] p; output UNSIGNED32[16] q; EMIT misc { testpoint "src"; }; };
block FILT { input UNSIGNED32[64] x; output UNSIGNED32[64] y; };
block PAIR { input UNSIGNED32[16] a; output UNSIGNED32[8] b; join 2 a; emit b; };
block MERGE { input UNSIGNED32[64] u; input UNSIGNED32[8] v; output UNSIGNED32[4] w; };
block SINK { input UNSIGNED32[4] z; };
block top {
    SRC src; FILT filt; PAIR pair; MERGE merge; SINK sink;
    raw: src.p -> filt.x; bits: src.q -> pair.a; kept: filt.y -> merge.u; two: pair.b -> merge.v;
    res: merge.w -> sink.z;
};
use top;
platform C { impl SRC (src="src.c"); impl FILT (src="filt.c"); impl PAIR (src="pair.c"); impl MERGE (src="merge.c");
    impl SINK (src="sink.c"); };
resource core[5] is C;
resource mem is memory ({ core }, bandwidth="inf");
impl SRC on C (mu="128MB/s");
impl FILT on C (time="2us", gain=0.75);
impl PAIR on C (time="1us");
impl MERGE on C (mu="256MB/s", gain=0.125);
impl SINK on C (time="100ns");
route SRC.p = 2/3;
route SRC.q = 1/3;
map { top.src } to core[1];
map { top.filt } to core[2];
map { top.pair } to core[3];
map { top.merge } to core[4];
map { top.sink } to core[5];
`

// severalSources returns the kernels of severalPorts; merge takes of both inputs in one call, as most kernels do.
func severalSources(app string) map[string]string {
	plain := func(block, push string) string {
		return "#include \"X_" + block + ".h\"\nvoid X_" + block + "_init(X_" + block + " *d) { (void)d; }\nvoid X_" +
			block + "_destroy(X_" + block + " *d) { (void)d; }\n" + push
	}
	return map[string]string{"app.x": app,
		"src.c": plain("SRC", `
int X_SRC_go(X_SRC *d) {
    size_t n = (size_t)d->state;
    X_SRC_testpoint(d, X_SRC_SRC);
    *X_SRC_p(d, 1) = (uint32_t)n;
    X_SRC_p_send(d, 1);
    (void)X_SRC_q(d, 2);
    X_SRC_q_send(d, 2);
    d->state = (void *)++n;
    return n == 2000;
}
`),
		"filt.c": plain("FILT", `
void X_FILT_push(X_FILT *d) {
    while (X_FILT_x_avail(d) > 0) {
        uint32_t n = *X_FILT_x(d);
        X_FILT_x_release(d, 1);
        if (n % 4 != 3) {
            *X_FILT_y(d, 1) = n;
            X_FILT_y_send(d, 1);
        }
    }
}
`),
		"pair.c": plain("PAIR", `
void X_PAIR_push(X_PAIR *d) {
    while (X_PAIR_a_avail(d) > 1) {
        *X_PAIR_b(d, 1) = *X_PAIR_a(d);
        X_PAIR_a_release(d, 2);
        X_PAIR_b_send(d, 1);
    }
}
`),
		"merge.c": plain("MERGE", `
void X_MERGE_push(X_MERGE *d) {
    while (X_MERGE_u_avail(d) > 0 || X_MERGE_v_avail(d) > 0) {
        if (X_MERGE_u_avail(d) > 0) {
            *X_MERGE_w(d, 1) = *X_MERGE_u(d);
            X_MERGE_u_release(d, 1);
            X_MERGE_w_send(d, 1);
        }
        if (X_MERGE_v_avail(d) > 0) {
            *X_MERGE_w(d, 1) = *X_MERGE_v(d);
            X_MERGE_v_release(d, 1);
            X_MERGE_w_send(d, 1);
        }
    }
}
`),
		"sink.c": plain("SINK", `
void X_SINK_push(X_SINK *d) {
    while (X_SINK_z_avail(d) > 0)
        X_SINK_z_release(d, 1);
}
`)}
}

// severalTimes returns, for each kernel of severalPorts, the number of firings by duration in ns.
func severalTimes() []map[int]int {
	return []map[int]int{{3000: 2000}, {2000: 2000}, {1000: 2000}, {1000: 1500, 125: 2000}, {100: 3500}}
}

// TestFiringsOfSeveralPorts: with known times, each firing of a kernel is logged and sampled once with its own time.
// That holds for any number of ports, and without emit. The replay of the times in the same mapping gives the same
// run, and the trace agrees.
func TestFiringsOfSeveralPorts(t *testing.T) {
	t.Parallel()
	for name, emit := range map[string]string{"with emit": "emit p, 2 q;", "without": ""} {
		t.Run(name, func(t *testing.T) {
			app := strings.Replace(severalPorts, "EMIT", emit, 1)
			d := flowtest.X{Dir: testkit.Files(t, severalSources(app)), Files: []string{"app.x"}}.Design(t,
				design.Options{Purpose: design.ForMapping})
			var taps []program.Tap
			for k := range d.Program.Kernels {
				taps = append(taps, program.Tap{Kind: program.Service, Kernel: k, Every: 1, Trace: 1 << 13,
					Logged: 1 << 13})
			}
			drawn := played(t, d, taps, xsim.Options{FromProfile: true, Seed: 1})
			checkSeveral(t, drawn)
			times, err := xsim.Recorded(d.Program, drawn.Result(d))
			if err != nil {
				t.Fatal(err)
			}
			again := played(t, d, taps, xsim.Options{Times: times, Seed: 1})
			checkSeveral(t, again)
			if math.Abs(again.Seconds/drawn.Seconds-1) > 0.01 {
				t.Errorf("the replay in the same mapping takes %g s, and the run took %g s", again.Seconds,
					drawn.Seconds)
			}
			_, table := recorded(t, d, true, true, program.Options{})
			rules, _ := xeval.Derive(d.Program, table)
			r, err := xeval.Evaluate(t.Context(), rules, table, xeval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Blocks {
				if len(r.Unfit()) > 0 {
					t.Errorf("rules do not fit: %v", r.Unfit())
				}
				checkExecution(t, d, r.Blocks[i].Name, &r.Blocks[i].Rules[0])
			}
		})
	}
}

// played runs a design in virtual time.
func played(t *testing.T, d *design.Design, taps []program.Tap, o xsim.Options) *run.Measurement {
	t.Helper()
	prog, _, err := xsim.Build(t.Context(), d, program.Options{CPUs: 1, Taps: taps}, o, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(t.Context(), prog, run.Options{Stall: atEase})
	if err = errors.Join(err, prog.Remove()); err != nil {
		t.Fatal(err)
	}
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	return m
}

// checkSeveral compares the log of each kernel, firing by firing, and its samples with severalTimes.
func checkSeveral(t *testing.T, m *run.Measurement) {
	t.Helper()
	for k, want := range severalTimes() {
		got, number := make(map[int]int), uint64(0)
		for _, f := range m.Frames {
			for _, e := range f.Logs[k] {
				got[int(math.Round(1e9*e.Value))]++
				if e.Index != number {
					t.Fatalf("kernel %d: firing %d is logged as %d", k, number, e.Index)
				}
				number++
			}
		}
		n, sum, squares := 0, 0.0, 0.0
		for ns, count := range want {
			n += count
			sum += float64(count * ns)
			squares += float64(count * ns * ns)
			if got[ns] != count || len(got) != len(want) {
				t.Errorf("kernel %d: logged %v (ns: firings), want %v", k, got, want)
			}
		}
		mean := sum / float64(n)
		scv := squares/float64(n)/mean/mean - 1
		s := &m.Taps[k].Total
		if m.Kernels[k].Firings != uint64(n) || math.Abs(m.Kernels[k].ServiceTime-1e-9*mean) > 1e-5*mean*1e-9 {
			t.Errorf("kernel %d fired %d times of %g s, want %d of %g ns", k, m.Kernels[k].Firings,
				m.Kernels[k].ServiceTime, n, mean)
		}
		if s.Weight != float64(n) || math.Abs(s.Mean()/(1e-9*mean)-1) > 1e-5 || math.Abs(s.SCV()-scv) > 1e-3 {
			t.Errorf("kernel %d: %g samples of %g s, scv %g; want %d of %g ns, scv %g", k, s.Weight, s.Mean(), s.SCV(),
				n, mean, scv)
		}
	}
}

// checkExecution compares the results of a kernel's rule with severalTimes. The end of the filter's and the sink's
// runs is unknown.
func checkExecution(t *testing.T, d *design.Design, kernel string, r *xeval.RuleResult) {
	t.Helper()
	for k, want := range severalTimes() {
		if d.Program.Kernels[k].Name != kernel {
			continue
		}
		n, sum := 0, 0.0
		for ns, count := range want {
			n += count
			sum += float64(count * ns)
		}
		if kernel == "top.filt" || kernel == "top.sink" {
			if r.Execution.N > 0 {
				t.Errorf("%s: nothing tells when it is done, but it takes %g s (%s)", kernel, r.Execution.Mean, r.Text)
			}
			return
		}
		if mean := 1e-9 * sum / float64(n); r.Runs() != uint64(n) || math.Abs(r.Execution.Mean/mean-1) > 1e-5 {
			t.Errorf("%s: %d runs of %g s, want %d of %g s (%s)", kernel, r.Runs(), r.Execution.Mean, n, mean, r.Text)
		}
		return
	}
}
