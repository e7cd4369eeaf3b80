package timeline

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// WavesMark is a text in the header of every dump that WriteWaves writes.
const WavesMark = "$version xopt waves "

// waveChange is a new value of a signal, or the start of an unknown value.
type waveChange struct {
	time   int64 // ps
	signal int
	text   string
}

// WriteWaves writes the signal traces of a run as a value change dump (IEEE 1364-2005, §18.2) for wave viewers. A value
// starts at the cycle of its recording. The signal is unknown before its first value, while a condition on it
// is false, and after the end of a full trace.
func WriteWaves(w io.Writer, r *result.Result) error {
	if r.Measured == nil {
		return fault.NoRun.Errorf("the result contains no run (use a result of xopt deploy)")
	}
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "%s%s $end\n$timescale 1ps $end\n$scope module signals $end\n", WavesMark,
		strings.ReplaceAll(r.Version, "$", "_"))
	var changes []waveChange
	seen := make(map[string]bool)
	stop := int64(math.Round(1e12 * r.Measured.Seconds))
	n := 0
	for i := range r.Measured.Queries {
		q := &r.Measured.Queries[i]
		if q.Of != "cycles" || len(q.Trace) == 0 {
			continue
		}
		name := waveName(q, seen)
		fmt.Fprintf(out, "$var wire %d %s %s $end\n", max(q.Width, 1), waveID(n), name)
		for _, e := range q.Trace {
			changes = append(changes, waveChange{int64(math.Round(1e12 * e.Time)), n, waveValue(q, &e)})
		}
		if q.Lost > 0 { // the recording stopped at the last value
			last := q.Trace[len(q.Trace)-1]
			changes = append(changes, waveChange{int64(math.Round(1e12*last.Time)) + 1, n, "bx"})
		}
		n++
	}
	if n == 0 {
		return faults.NoSignalTrace.Errorf("the run has no signal trace to draw (deploy with --measure 'measure " +
			"trace at KERNEL:SIGNAL')")
	}
	fmt.Fprint(out, "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
	for i := range n {
		fmt.Fprintf(out, "bx %s\n", waveID(i))
	}
	fmt.Fprint(out, "$end\n")
	slices.SortStableFunc(changes, func(a, b waveChange) int { return cmp.Compare(a.time, b.time) })
	now := int64(0)
	for _, c := range changes {
		if c.time > now {
			now = c.time
			fmt.Fprintf(out, "#%d\n", now)
		}
		fmt.Fprintf(out, "%s %s\n", c.text, waveID(c.signal))
	}
	if stop > now {
		fmt.Fprintf(out, "#%d\n", stop)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing waves: %w", err)
	}
	return nil
}

// waveName returns a unique name that viewers accept.
func waveName(q *result.Query, seen map[string]bool) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.TrimPrefix(q.Name, "trace value at ")), "_")
	unique := name
	for n := 2; seen[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	seen[unique] = true
	return unique
}

// waveID returns a short identifier of printable characters.
func waveID(n int) string {
	id := string(rune('!' + n%94))
	for n /= 94; n > 0; n /= 94 {
		id += string(rune('!' + n%94))
	}
	return id
}

// waveValue returns a value in binary. Negative values are in two's complement.
func waveValue(q *result.Query, e *result.Logged) string {
	if e.Stops {
		return "bx"
	}
	v := uint64(int64(e.Value))
	if e.Value >= math.MaxInt64 {
		v = uint64(e.Value)
	}
	if q.Width > 0 && q.Width < 64 {
		v &= 1<<q.Width - 1
	}
	return fmt.Sprintf("b%0*b", max(bits.Len64(v), 1), v)
}
