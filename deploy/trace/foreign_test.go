package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/deploy/trace"
)

// open writes a text to a file, and opens it as a trace.
func open(tb testing.TB, name, text string) (trace.Table, error) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	return trace.OpenFile(path)
}

// TestCSV: a table that is written as CSV is read as it was.
func TestCSV(t *testing.T) {
	h := &trace.Header{Series: two()}
	var text bytes.Buffer
	if err := trace.WriteCSV(&text, trace.TableOf(t, h, events())); err != nil {
		t.Fatal(err)
	}
	if lines := strings.SplitN(text.String(), "\n", 4); lines[2] != "0.000005,out,top.gen1.y0,0,4,top.e1" {
		t.Errorf("the CSV is %q", text.String())
	}
	table, err := open(t, "a.csv", text.String())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	got := read(t, table)
	for i := range got {
		got[i].Series = 1 - got[i].Series // the testpoint comes first here
	}
	if diff := cmp.Diff(events(), got); diff != "" {
		t.Error(diff)
	}
	if s := table.Header().Series[1]; s.From != two()[0].From || s.To != two()[0].To || s.Bytes != 4 {
		t.Errorf("the edge is %+v", s)
	}
	if !strings.HasPrefix(table.Header().Origin, "measured elsewhere: ") {
		t.Errorf("the origin is %q", table.Header().Origin)
	}
}

// TestForeignCSV: tables of other programs are read, with other columns, names of kinds, units, separators,
// quotes, times since 1970, and separate columns for ports and kernels.
func TestForeignCSV(t *testing.T) {
	for name, text := range map[string]string{
		"plain":     "time_us,kind,port\n5,out,a.y\n7.5,out,a.y\n",
		"ns":        "TIME (ns);colour;kind;port\n5000;red;sent;a.y\n7500;;sent;a.y\n",
		"tabs":      "kernel\tport\tkind\ttime_ms\r\na\ty\tout\t.005\r\na\ty\tout\t7.5e-3\r\n",
		"quotes":    "time_s,kind,port\n0.000005,\"out\",\"a.y\"\n\"0.0000075\",out,a.y\n",
		"no end":    "time_ps,kind,port\n5000000,out,a.y\n7500000,out,a.y",
		"empty row": "time_us,kind,port\n5,out,a.y\n\n7.5,out,a.y\n",
	} {
		table, err := open(t, "a.csv", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []trace.Event{{Time: 5 * us, Kind: trace.Out}, {Time: 7.5 * us, Kind: trace.Out, Index: 1}}
		if diff := cmp.Diff(want, read(t, table)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if p := table.Header().Series[0].From; p != (trace.Port{Kernel: "a", Name: "y"}) {
			t.Errorf("%s: the port is %v", name, p)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	table, err := open(t, "a.csv", "time_ns,kind,port\n1764000000000000001,out,a.y\n1764000000000000003,out,a.y\n")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if list := read(t, table); list[1].Time != 2000 || list[0].Time != 0 {
		t.Errorf("times since 1970 are %v", list)
	}
}

// TestClockTimes: times of a clock count from the first event of all, also where the first row is a later one; those of
// a run are as they stand.
func TestClockTimes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []int64 // us
	}{
		"since 1970": {"time_us,kind,port\n1764000000000005,out,a.y\n1764000000000009,out,a.y\n" +
			"1764000000000002,out,b.y\n", []int64{0, 3, 7}},
		"of a run": {"time_us,kind,port\n5,out,a.y\n9,out,a.y\n2,out,b.y\n", []int64{2, 5, 9}},
	} {
		table, err := open(t, "a.csv", c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, e := range read(t, table) {
			got = append(got, e.Time/us)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		path := filepath.Join(t.TempDir(), "b.xtrace") // copied, they are the same
		if err := errors.Join(trace.Copy(path, table), table.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := trace.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first := read(t, again)[0].Time; first != c.want[0]*us {
			t.Errorf("%s: a copy begins at %d ps", name, first)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTimesAreExact: times since 1970 are exact to the ps in every unit and form, although a float64 resolves
// only 0.24 us.
func TestTimesAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		unit, first, second string
		want                int64 // ps between both rows
	}{
		"integer ps":           {"ps", "1700000000000002000001", "1700000000000004000004", 2000003},
		"ps with a point":      {"ps", "1700000000000002000001.0", "1700000000000004000004.0", 2000003},
		"ns with a point":      {"ns", "1700000000000002000.001", "1700000000000004000.004", 2000003},
		"s with an exponent":   {"s", "1.700000000000002000001e9", "1.700000000000004000004E+9", 2000003},
		"s with zeros":         {"s", "01700000000.000002000001000000000000000", "1700000000.000004000004", 2000003},
		"the year 55000 in ns": {"ns", "1700000000000002000000", "1700000000000002005751", 5751000},
		"half a ps":            {"ps", "0", "1.5", 2},
		"below half a ps":      {"s", "1e-99999999999999999999", "4.9e-13", 0},
		"rounded to a second":  {"s", "0.5", "1.9999999999999", 15e11},
	} {
		table, err := open(t, "a.csv", "time_"+c.unit+",kind,port\n"+c.first+",out,a.y\n"+c.second+",out,a.y\n")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if list := read(t, table); list[1].Time-list[0].Time != c.want {
			t.Errorf("%s: %d ps apart, want %d", name, list[1].Time-list[0].Time, c.want)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range [][2]string{{"1e18", "a trace covers at most 106 days"},
		{"1e99999999999999999999", "is too late"}, {"1e", "is not a number"}, {".", "is not a number"},
		{"0x1p3", "is not a number"}, {"NaN", "is not a number"}, {"1.2.3", "is not a number"},
		{"inf", "is too late"}} {
		_, err := open(t, "a.csv", "time_s,kind,port\n"+c[0]+",out,a.y\n")
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
	if _, err := open(t, "a.csv", "time_s,kind,port\n"); err == nil || !strings.Contains(err.Error(),
		"the table has column names but no events") {
		t.Errorf("a table without rows: %v", err)
	}
}

// TestPerfettoIsOnlyWritten: xopt's files for Perfetto are not read, and the error explains that.
func TestPerfettoIsOnlyWritten(t *testing.T) {
	var text bytes.Buffer
	if err := trace.WritePerfetto(&text, trace.TableOf(t, &trace.Header{Series: two()}, events())); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, "a.pftrace", text.String()); err == nil || !strings.Contains(err.Error(),
		"a Perfetto trace, which xopt writes but cannot read: use the original trace") {
		t.Errorf("got %v", err)
	}
}

// TestWrongFiles: a file that is not a trace gives one error with the file, the line, and a remedy.
func TestWrongFiles(t *testing.T) {
	const vcd = "$timescale 1ns $end\n$scope module k $end\n$var wire 1 ! clk $end\n" +
		"$var wire 1 \" m_axis_y_tvalid $end\n$var wire 1 # m_axis_y_tready $end\n$upscope $end\n$enddefinitions $end\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"binary", "\x7fELF\x00\x00", "not a trace: expected"},
		{"no head", "5,out,a.y\n", ":1: column time_s is missing"},
		{"no unit", "time,kind,port\n", ":1: the time \"time\" has no unit"},
		{"twice", "time_s,kind,port,kind\n", ":1: column kind occurs twice"},
		{"kind", "time_s,kind,port\n1,born,a.y\n", ":2: column kind: unknown kind \"born\""},
		{"port", "time_s,kind,port\n1,out,y\n", ":2: the port \"y\" is not KERNEL.PORT"},
		{"time", "time_s,kind,port\n1,out,a.y\nlate,out,a.y\n", ":3: column time_s: \"late\" is not a number"},
		{"negative", "time_s,kind,port\n-1,out,a.y\n", ":2: column time_s: -1 is negative"},
		{"far", "time_s,kind,port\n1,out,a.y\n1e300,out,a.y\n", ":3: column time_s: 1e300 is too late"},
		{"decimal comma", "Time (us);kind;port\n1,5;out;a.y\n", ":2: column Time (us): \"1,5\" has a decimal comma: " +
			"write 1.5"},
		{"comma as both", "time_s,kind,port\n1,5,out,a.y\n", ":2: column kind: unknown kind \"5\" of events: " +
			"expected out, available, in or point; the line has 4 fields, but the first line names 3 columns: " +
			"write numbers with a decimal point"},
		{"back", "time_s,kind,port\n2,out,a.y\n2,in,b.x\n1,out,a.y\n", ":4: column time_s: 1 is before the time in " +
			"line 2 (both lines are \"out\" events of a.y): sort the rows by time"},
		{"index back", "time_s,kind,port,index\n2,out,a.y,4\n3,out,a.y,4\n", ":3: column index: element 4 comes " +
			"after element 4 in line 2"},
		{"bytes", "time_s,kind,port,bytes\n2,out,a.y,many\n", ":2: column bytes: \"many\" is not a whole number"},
		{"json", "{\"traceEvents\": []}\n", "this JSON file is not a trace"},
		{"text behind a line", "\ntime_s,kind,port\n1,out,a.y\n",
			"expected a first line with the names of the columns"},
		{"short line", "time_s,kind,port\n1,out\n", ":2: the line has 2 fields, expected at least 3"},
		{"quotes", "time_s,kind,port\n1,\"out,a.y\n", ":2: the quotes"},
		{"index", "time_s,kind,port,index\n1,out,a.y,x\n", ":2: column index: \"x\" is not a whole number"},
		{"two ends", "time_s,kind,port,edge\n1,out,a.y,e\n2,out,b.y,e\n",
			":3: edge e has two different ports at one end, a.y and b.y"},
		{"own, cut", trace.Magic + "xxxx", "the trace is incomplete"},
		{"dump, cut", "$timescale 1ns", "the dump is incomplete"},
		{"no definitions", "$timescale 1ns $end\n", ":2: the dump is incomplete: it has no $enddefinitions"},
		{"timescale", "$timescale 3 weeks $end\n", "invalid timescale \"3weeks\""},
		{"no streams", "$timescale 1ns $end\n$enddefinitions $end\n", "the dump has no streams"},
		{"no clock", strings.Replace(vcd, " clk ", " tick ", 1), " has no clock"},
		{"vcd back", vcd + "#10\n1!\n#5\n", ":10: the time 5 is before the previous time"},
		{"vcd word", vcd + "#10\n?!\n", ":9: \"?!\" is not a value change"},
	} {
		table, err := open(t, "a.trace", c.text)
		if err == nil {
			_ = table.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "a.trace") || !strings.Contains(err.Error(), c.want) ||
			strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "xopt-trace-*")); err == nil {
		for _, path := range left {
			if strings.Contains(path, fmt.Sprintf("-%d-", os.Getpid())) {
				t.Errorf("%s is left", path)
			}
		}
	}
}

// waves is a dump of a simulator: a kernel with an input of two words per element (tlast), an output, and a
// testpoint, on a clock of 10 ns. The input has words from 12 ns on, and the kernel consumes one in every second
// cycle.
const waves = `$date today $end
$version a simulator $end
$timescale 1 ns $end
$scope module tb $end
$var wire 1 ! clk $end
$scope module k $end
$var wire 8 x s_axis_x_tdata [7:0] $end
$var wire 1 " s_axis_x_tvalid $end
$var wire 1 # s_axis_x_tready $end
$var wire 1 % s_axis_x_tlast $end
$var wire 1 & m_axis_y_tvalid $end
$var wire 1 ' m_axis_y_tready $end
$var wire 1 ( tp_done $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
x"
0#
0%
0&
1'
0(
bxxxxxxxx x
$end
#5
1!
#10
0!
#12
1"
b1010 x
#15
1!
#16
1#
#20
0!
#25
1!
#26
0#
1%
#30
0!
#35
1!
#36
1#
#40
0!
#45
1!
#46
0"
0#
1&
1(
#50
0!
#55
1!
#56
0&
0(
#60
0!
#65
1!
`

// TestVCD: words move at rising edges at which valid and ready were high, and make elements.
func TestVCD(t *testing.T) {
	table, err := open(t, "a.vcd", waves)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	const ns = 1000
	got := make(map[string]int64)
	for _, e := range read(t, table) {
		s := &table.Header().Series[e.Series]
		got[fmt.Sprintf("%v %v %d", s.Port(e.Kind), e.Kind, e.Index)] = e.Time
	}
	// A stream moves by the values before the edge: valid since 12, ready since 16: first word at 25, last at 45.
	want := map[string]int64{"tb.k.x available 0": 12 * ns, "tb.k.x in 0": 25 * ns, "tb.k.y out 0": 55 * ns,
		"tb.k.done point 0": 55 * ns}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestVCDAgain: a dump that was read is written as one, with the same events; clocks are as fast as they were.
func TestVCDAgain(t *testing.T) {
	first, err := open(t, "a.vcd", strings.ReplaceAll(waves, "1 ns $end", "100 ps $end"))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var text bytes.Buffer
	if err := trace.WriteVCD(&text, first, "v1"); err != nil {
		t.Fatal(err)
	}
	again, err := open(t, "b.vcd", text.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	defer again.Close()
	list := func(table trace.Table) (got []string) {
		for _, e := range read(t, table) {
			got = append(got, fmt.Sprintf("%d %v %v %d", e.Time, table.Header().Series[e.Series].Port(e.Kind),
				e.Kind, e.Index))
		}
		return got
	}
	if diff := cmp.Diff(list(first), list(again)); diff != "" || len(list(first)) != 4 {
		t.Errorf("%s\n%s", diff, text.String())
	}
}

// TestWriteVCD: a dump that is written is read with the same times; elements that are available while others are
// taken stay.
func TestWriteVCD(t *testing.T) {
	h := &trace.Header{Clocks: map[string]float64{"fpga": 1e-8}, Places: []trace.Place{{Kernel: "top.k",
		Resource: "fpga"}}, Series: []trace.Series{
		{Name: "e1", From: trace.Port{Kernel: "top.a", Name: "y"}, To: trace.Port{Kernel: "top.k", Name: "x"},
			ToFPGA: "fpga"},
		{Name: "e2", From: trace.Port{Kernel: "top.k", Name: "y[1]"}, To: trace.Port{Kernel: "top.b", Name: "x"},
			FromFPGA: "fpga"},
		{Name: "top.k.done", Point: trace.Port{Kernel: "top.k", Name: "done"}},
		{Name: "e3", From: trace.Port{Kernel: "top.a", Name: "z"}, To: trace.Port{Kernel: "top.b", Name: "z"}}}}
	const ns = 1000
	list := []trace.Event{{Time: 3 * ns, Kind: trace.Available}, {Time: 20 * ns, Kind: trace.In},
		{Time: 22 * ns, Kind: trace.Available, Index: 1}, {Time: 23 * ns, Kind: trace.Available, Index: 2},
		{Time: 30 * ns, Kind: trace.In, Index: 1}, {Time: 40 * ns, Kind: trace.In, Index: 2},
		{Time: 50 * ns, Kind: trace.Out, Series: 1}, {Time: 60 * ns, Kind: trace.Out, Series: 1, Index: 1},
		{Time: 60 * ns, Kind: trace.Point, Series: 2}, {Time: 70 * ns, Kind: trace.Out, Series: 3}}
	var text bytes.Buffer
	if err := trace.WriteVCD(&text, trace.TableOf(t, h, list), "v1"); err != nil {
		t.Fatal(err)
	}
	table, err := open(t, "a.vcd", text.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	defer table.Close()
	var got []string
	for _, e := range read(t, table) {
		if e.Kind != trace.Available {
			got = append(got, fmt.Sprintf("%d %v %v %d", e.Time/ns, table.Header().Series[e.Series].Port(e.Kind),
				e.Kind,
				e.Index))
		}
	}
	want := []string{"20 top.k.x in 0", "30 top.k.x in 1", "40 top.k.x in 2", "50 top.k.y_1_ out 0",
		"60 top.k.y_1_ out 1", "60 top.k.done point 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, text.String())
	}
	h.Series = h.Series[3:]
	if err := trace.WriteVCD(&text, trace.TableOf(t, h, nil), ""); err == nil {
		t.Error("a dump without hardware was written")
	}
}

// TestVCDValues: a dump has the values of the elements in the trace, and a clock in every cycle from its first event
// to the last. A window of the trace has its events only.
func TestVCDValues(t *testing.T) {
	h := &trace.Header{Clocks: map[string]float64{"fpga": 1e-8}, Places: []trace.Place{{Kernel: "top.k",
		Resource: "fpga"}}, Series: []trace.Series{
		{Name: "e1", From: trace.Port{Kernel: "top.a", Name: "y"}, To: trace.Port{Kernel: "top.k", Name: "x"},
			ToFPGA: "fpga", Bytes: 2},
		{Name: "e2", From: trace.Port{Kernel: "top.k", Name: "y"}, To: trace.Port{Kernel: "top.b", Name: "x"},
			FromFPGA: "fpga", Bytes: 2}}}
	const ns = 1000
	list := []trace.Event{{Time: 20 * ns, Kind: trace.In}, {Time: 60 * ns, Kind: trace.Out, Series: 1},
		{Time: 100 * ns, Kind: trace.In, Index: 1}}
	m := trace.TableOf(t, h, list, []byte("\x01\x80\x02\x00"))
	for _, c := range []struct {
		from, to        int64
		clocks          int
		has, lacks, end string
	}{{0, 1000 * ns, 9, "b1000000000000001 ", "\n", "\n"}, {50 * ns, 1000 * ns, 5, "b0000000000000010 ",
		"b1000000000000001 ", "\n"}} {
		var text bytes.Buffer
		if err := trace.WriteVCD(&text, trace.Window(m, c.from, c.to), "v1"); err != nil {
			t.Fatal(err)
		}
		got := text.String()
		if !strings.Contains(got, "$var wire 16 ") || !strings.Contains(got, c.has) || !strings.Contains(got,
			"no values of the elements of 1 streams") || c.lacks != "\n" && strings.Contains(got, c.lacks) {
			t.Errorf("from %d: %s", c.from, got)
		}
		if n := strings.Count(got, "\n1!\n"); n != c.clocks {
			t.Errorf("from %d: the clock rises %d times, want %d:\n%s", c.from, n, c.clocks, got)
		}
		table, err := open(t, "a.vcd", got)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if got, want := len(read(t, table)), len(read(t, trace.Window(m, c.from, c.to))); got < want {
			t.Errorf("from %d: %d of %d events are read", c.from, got, want)
		}
	}
}

// TestCSVHeader: the application, the command and the origin of a trace go with it into CSV and come back, compressed
// or not.
func TestCSVHeader(t *testing.T) {
	h := &trace.Header{Series: two(), Application: "top, a \"b\"", Origin: "simulated", Command: "xopt deploy",
		Tool: "xopt 1", Seconds: 0.25}
	var text, packed bytes.Buffer
	if err := trace.WriteCSV(&text, trace.TableOf(t, h, events())); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text.Bytes()); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, form := range []string{text.String(), packed.String()} {
		table, err := open(t, "a.csv", form)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		got := table.Header()
		if got.Application != h.Application || got.Origin != h.Origin || got.Command != h.Command ||
			got.Tool != h.Tool || got.Seconds != h.Seconds {
			t.Errorf("the header is %+v", got)
		}
		if n := len(read(t, table)); n != len(events()) {
			t.Errorf("%d events", n)
		}
	}
	bad := strings.Replace(text.String(), `""Seconds"":0.25`, `""Seconds"":-1`, 1)
	if _, err := open(t, "a.csv", bad); err == nil || !strings.Contains(err.Error(), "xopt_header") {
		t.Error(err)
	}
}

// TestManyOrigins: a trace in which every kernel has its own origin is summarized and written without a linear
// search among origins.
func TestManyOrigins(t *testing.T) {
	t.Parallel()
	const kernels = 40_000
	h := &trace.Header{Application: "top", Origin: "simulated"}
	var list []trace.Event
	for i := range kernels {
		name := fmt.Sprintf("top.k[%d]", i)
		h.Series = append(h.Series, trace.Series{Name: fmt.Sprintf("e%d", i), From: trace.Port{Kernel: name, Name: "y"},
			To: trace.Port{Kernel: name, Name: "x"}})
		h.Origins = append(h.Origins, trace.Origin{Kernel: name, Origin: fmt.Sprintf("assumed, from %d", i)})
		h.Left = append(h.Left, trace.Left{Stream: trace.Stream{Series: int32(i), Kind: trace.Out}, Events: 1})
		list = append(list, trace.Event{Time: int64(i), Kind: trace.In, Series: int32(i)})
	}
	var text bytes.Buffer
	if err := trace.WriteCSV(&text, trace.TableOf(t, h, list)); err != nil {
		t.Fatal(err)
	}
	table, err := open(t, "a.csv", text.String())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if sums, err := trace.Summarize(t.Context(), table); err != nil || len(sums) != kernels ||
		len(table.Header().ByOrigin()) != kernels {
		t.Errorf("%d summaries, %d origins, %v", len(sums), len(table.Header().ByOrigin()), err)
	}
}

// TestWriteTS: the files of a table are those of the thesis, and reading them restores the table.
func TestWriteTS(t *testing.T) {
	dir := t.TempDir()
	h := &trace.Header{Series: two(), Folders: map[string]string{"top.sum": "temp"}}
	list := events()[:7]
	if err := trace.WriteTS(dir, trace.TableOf(t, h, list)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"top_gen1_y0_out.ts", "temp/top_sum_x_1__avl.ts", "temp/top_sum_x_1__in.ts",
		"top_gen1_src_tpt.ts"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	table, err := trace.OpenFile(filepath.Join(dir, "temp"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if got := read(t, table); len(got) != 3 || got[2].Time != 22*us {
		t.Errorf("the folder has %v", got)
	}
}

// TestSummarize: means cover the elements with two known times.
func TestSummarize(t *testing.T) {
	list := []trace.Event{{Time: 1 * us, Kind: trace.Out}, {Time: 2 * us, Kind: trace.Out, Index: 1},
		{Time: 5 * us, Kind: trace.Available}, {Time: 7 * us, Kind: trace.Available, Index: 1},
		{Time: 9 * us, Kind: trace.In, Index: 1}, {Time: 10 * us, Kind: trace.Point, Series: 1}}
	got, err := trace.Summarize(t.Context(), trace.TableOf(t, &trace.Header{Series: two()}, list))
	if err != nil {
		t.Fatal(err)
	}
	edge := trace.Summary{First: 1e-6, Last: 9e-6, Travel: 4.5e-6, Travels: 2, Wait: 2e-6, Waits: 1}
	edge.Events[trace.Out], edge.Events[trace.Available], edge.Events[trace.In] = 2, 2, 1
	point := trace.Summary{Series: 1, First: 1e-5, Last: 1e-5}
	point.Events[trace.Point] = 1
	if diff := cmp.Diff([]trace.Summary{edge, point}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzOpen: any file is read to its end or rejected, and its events are in order.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(waves))
	f.Add([]byte("time_us,kind,port\n5,out,a.y\n"))
	f.Add([]byte("time_s;kind;kernel;port;index;bytes;edge\n1e-6;in;\"a\";x;3;4;e\n"))
	f.Add([]byte(trace.Magic))
	path := filepath.Join(f.TempDir(), "own.xtrace")
	w, err := trace.Create(path)
	if err := errors.Join(err, w.Write(events()), w.Finish(&trace.Header{Series: two()})); err != nil {
		f.Fatal(err)
	}
	own, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, "fuzzed")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := trace.OpenFile(path)
		if err != nil {
			return
		}
		defer table.Close()
		r, err := table.Open()
		if err != nil {
			return
		}
		list, err := trace.ReadAll(r)
		if err != nil {
			return
		}
		w, err := trace.CreateTemp()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(list), w.Abort()); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkCSV reads a million events of a CSV table, and BenchmarkVCD those of a dump.
func BenchmarkCSV(b *testing.B) {
	var text strings.Builder
	text.WriteString("time_us,kind,port\n")
	for i := range 1_000_000 {
		kind := [...]string{"out", "available", "in"}[i%3]
		fmt.Fprintf(&text, "%d.%03d,%s,kernel%d.port\n", i/3, i%1000/3, kind, i%40)
	}
	benchmarkOpen(b, "a.csv", text.String(), 1_000_000)
}

func BenchmarkVCD(b *testing.B) {
	var text strings.Builder
	text.WriteString("$timescale 1ns $end\n$scope module k $end\n$var wire 1 ! clk $end\n" +
		"$var wire 1 a m_axis_y_tvalid $end\n$var wire 1 b m_axis_y_tready $end\n$upscope $end\n" +
		"$enddefinitions $end\n#0\n1a\n1b\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "#%d\n1!\n#%d\n0!\n", 10*i+5, 10*i+10)
	}
	benchmarkOpen(b, "a.vcd", text.String(), 1_000_000)
}

func benchmarkOpen(b *testing.B, name, text string, events int) {
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		table, err := trace.OpenFile(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := table.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
