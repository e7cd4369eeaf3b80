package exchange

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"xopt/internal/fault"
)

const radio = `digraph radio {
	edge [bytes=4096];
	adc [host=cpu0]; filter [host=cpu0];
	fft [host="cpu1"]; detect [host=cpu1];
	log [host=cpu1];
	adc -> filter;
	filter -> fft [rate="1/4"];
	fft -> detect [bytes="16KiB", buffer=3];
	detect -> log [bytes=64];
}
`

const radioTimes = `kernel,resource,seconds_per_firing,interval
adc,cpu0,20e-6,1e-6
filter,cpu0,55e-6,
filter,cpu1,50e-6,
fft,cpu1,150e-6,
detect,cpu0,40e-6,
detect,cpu1,40e-6,
log,cpu1,5e-6,
`

// read imports a text with files of times.
func read(t *testing.T, graph string, times ...string) (*Application, error) {
	t.Helper()
	o := Options{}
	for i, text := range times {
		o.Times = append(o.Times, File{fmt.Sprintf("t%d.csv", i), []byte(text)})
	}
	return Read(File{"graph.dot", []byte(graph)}, o)
}

// sample reads a file of a package below this one.
func sample(t *testing.T, path string) File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return File{path, text}
}

// TestHosts: a core of the radio works 4·(20+55) us per iteration, the other one 150+40+5 us.
func TestHosts(t *testing.T) {
	a, err := read(t, radio, radioTimes)
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	_, eval := predicted(t, d, a.repetition)
	if want := 1 / 300e-6; math.Abs(eval/want-1) > 1e-9 {
		t.Errorf("eval predicts %g iterations/s, want %g", eval, want)
	}
	if len(d.Problem.Architecture.Resources) != 2 || d.Buffers[2] != 3 || a.Edges[2].Bytes != 16384 {
		t.Errorf("%+v\n%v\n%+v", d.Problem.Architecture.Resources, d.Buffers, a.Edges)
	}
	const note = "measured: imported from t0.csv"
	if x := d.Problem.Figures[1][1]; x.Note != note || x.Origin.String() != "measured" ||
		math.Abs(x.ServiceRate*50e-6/4096-1) > 1e-12 {
		t.Errorf("filter on cpu1: %+v", x)
	}
	if x := d.Problem.Figures[0][0]; x.Note != note || math.Abs(x.Low*21e-6/4096-1) > 1e-12 ||
		math.Abs(x.High*19e-6/4096-1) > 1e-12 {
		t.Errorf("adc on cpu0: %+v", x)
	}
}

// TestTimedRoundTrip: a graph with times is the same after an export as SDF3.
func TestTimedRoundTrip(t *testing.T) {
	a, err := read(t, radio, "kernel,resource,seconds_per_firing\nadc,cpu0,20e-6\nfilter,cpu0,55e-6\nfft,cpu1,150e-6\n"+
		"detect,cpu1,40e-6\nlog,cpu1,5e-6\n")
	if err != nil {
		t.Fatal(err)
	}
	out, notes, err := ToSDF3(load(t, a), time.Microsecond)
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	again, err := FromSDF3(out, "radio.xml", time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Edges, again.Edges) || !reflect.DeepEqual(a.repetition, again.repetition) {
		t.Errorf("%+v\n%+v", a.Edges, again.Edges)
	}
	for k := range a.Kernels {
		if x, y := a.Kernels[k], again.Kernels[k]; x.Name != y.Name || x.Times[0].Text != y.Times[0].Text {
			t.Errorf("%+v\n%+v", x, y)
		}
	}
}

// TestRandomChains: the throughput of a random chain, mapped at random, follows from the times of its cores, counted
// firing by firing.
func TestRandomChains(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 2 + r.IntN(5)
		graph, times := "digraph c { edge [bytes=8]\n", "kernel,resource,seconds_per_firing\n"
		firings, busy := make([]int, n), make(map[int]int) // in an hyperiteration of 12^n source firings; busy in us
		firings[0] = int(math.Pow(12, float64(n)))
		for k := range n {
			core, us := r.IntN(3), 1+r.IntN(50)
			graph += fmt.Sprintf("k%d [host=c%d]\n", k, core)
			times += fmt.Sprintf("k%d,c%d,%de-6\n", k, core, us)
			if k > 0 {
				sends, reads := 1+r.IntN(4), 1+r.IntN(4)
				graph += fmt.Sprintf("k%d -> k%d [rate=\"%d/%d\"]\n", k-1, k, sends, reads)
				firings[k] = firings[k-1] * sends / reads
			}
			busy[core] += us * firings[k]
		}
		a, err := read(t, graph+"}", times)
		if err != nil {
			t.Fatal(seed, err)
		}
		slowest := 0
		for _, us := range busy {
			slowest = max(slowest, us)
		}
		_, eval := predicted(t, load(t, a), a.repetition)
		want := float64(firings[0]) / float64(a.repetition[0]) / (float64(slowest) * 1e-6)
		if math.Abs(eval/want-1) > 1e-9 {
			t.Errorf("seed %d: eval predicts %g iterations/s, want %g\n%s", seed, eval, want, graph)
		}
	}
}

// TestHoloscan: in the simulation of the tutorial, the sink of the example finishes every 400 units of time.
func TestHoloscan(t *testing.T) {
	a, err := Read(sample(t, "timed/testdata/examplegraph.dot"), Options{Unit: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	eval, exact := evaluated(t, d, a.repetition)
	if math.Abs(eval*0.4-1) > 1e-9 || math.Abs(exact*0.4-1) > 1e-9 || len(d.Problem.Architecture.Resources) != 4 {
		t.Errorf("eval predicts %g iterations/s, exact analysis %g", eval, exact)
	}
	if f := d.Problem.Figures[3][0]; f.Origin.String() != "published" || len(a.Notes) != 1 {
		t.Errorf("%+v %v", f, a.Notes)
	}
}

// TestCARET: callbacks of one executor share a core, so a call of each of them takes the sum of their mean durations.
// Callbacks of several executors run in parallel. A topic without a publisher is omitted.
func TestCARET(t *testing.T) {
	graph, stats := sample(t, "caret/testdata/architecture.yaml"), sample(t, "caret/testdata/stats_node.yaml")
	const publisher = "rectified/pointcloud_ex\n    callback_names:\n    - "
	const undefined = publisher + "UNDEFINED"
	const stated = publisher + "/sensing/lidar/left/distortion_corrector_node/callback_2"
	for _, c := range []struct {
		change  []string
		cores   int
		ms      float64
		omitted bool
	}{
		{nil, 1, 0.987 + 0.504 + 0.157 + 0.978, true},
		{[]string{undefined, stated}, 1, 0.987 + 0.504 + 0.157 + 0.978 + 0.616, false},
		{[]string{undefined, stated, "single_threaded", "multi_threaded"}, 5, 0.987, false},
	} {
		text := strings.NewReplacer(c.change...).Replace(string(graph.Text))
		a, err := Read(File{graph.Name, []byte(text)}, Options{Times: []File{stats}})
		if err != nil {
			t.Fatal(err)
		}
		d := load(t, a)
		_, eval := predicted(t, d, a.repetition)
		if n := len(d.Problem.Architecture.Resources); math.Abs(eval*c.ms*1e-3-1) > 1e-9 || n != c.cores {
			t.Errorf("eval predicts %g iterations/s on %d cores, want 1 in %g ms on %d", eval, n, c.ms, c.cores)
		}
		if notes := strings.Join(fault.Texts(a.Notes), "\n"); strings.Contains(notes,
			"rectified/pointcloud_ex") != c.omitted {
			t.Error(notes)
		}
		k := slices.IndexFunc(a.Kernels, func(k Kernel) bool { return strings.Contains(k.Name, "velodyne") })
		if f := d.Problem.Figures[k][0]; f.Origin.String() != "measured" ||
			math.Abs(f.ServiceSCV/(0.49*0.49/0.987/0.987)-1) > 1e-9 {
			t.Errorf("%+v", f)
		}
	}
	for _, c := range []struct{ graph, times, id, want string }{
		{string(graph.Text), strings.ReplaceAll(string(stats.Text), "/left/", "/rear/"), "wrong-imported-times", ""},
		{string(graph.Text), strings.Replace(string(stats.Text), "avg: 0.987", "avg: fast", 1), "wrong-imported-times",
			"velodyne"},
		{string(graph.Text), strings.Replace(string(stats.Text), "avg: 0.987", "avg: '---'", 1), "no-execution-times",
			"velodyne"},
		{string(graph.Text), "a: [\n  callbacks:\n      Latency:", "wrong-imported-times", "t0.csv: "},
		{"nodes:\nexecutors: 3", "", "wrong-graph-file", "graph.dot: "},
		{strings.ReplaceAll(string(graph.Text), "crop_box_filter_self", "crop_box_filter_mirror"), "",
			"wrong-graph-file", "different"},
	} {
		_, err := read(t, c.graph, c.times)
		if err == nil || string(fault.Of(err)) != c.id || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v [%s], want %q [%s]", err, fault.Of(err), c.want, c.id)
		}
	}
}

// TestVitis: a kernel with a report runs on the FPGA, with its interval as time and its area.
func TestVitis(t *testing.T) {
	graph := File{"g.dot", []byte("digraph g { edge [bytes=4]; src -> writeOutcome -> dst }")}
	times := File{"cpu.csv",
		[]byte("kernel,resource,seconds_per_firing\nsrc,cpu,1e-8\ndst,cpu,2e-8\nwriteOutcome,cpu,1\n")}
	report := sample(t, "vitis/testdata/writeOutcome_csynth.xml")
	a, err := Read(graph, Options{Times: []File{times, report}})
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	_, eval := predicted(t, d, a.repetition)
	if want := 1 / (8 * 20e-9); math.Abs(eval/want-1) > 1e-9 {
		t.Errorf("eval predicts %g iterations/s, want %g", eval, want)
	}
	f := d.Problem.Figures[1][1]
	if f.Origin.String() != "simulated" || f.Area[0] != 2472 || f.Area[1] != 846 {
		t.Errorf("%+v", f)
	}
	if r := d.Problem.Architecture.Resources[1]; r.Name != "fpga[1]" || math.Abs(r.Area[0]/(0.8*53200)-1) > 1e-6 {
		t.Errorf("%+v", r)
	}
}

// TestPipelineWithoutLog: the error states how to record the times of a pipeline.
func TestPipelineWithoutLog(t *testing.T) {
	_, err := Read(sample(t, "gstreamer/testdata/video.dot"), Options{})
	if err == nil || fault.Of(err) != "no-execution-times" || !strings.Contains(err.Error(), "--times trace.log") {
		t.Error(err)
	}
}

// means returns the mean of a number in the matching lines of a log.
func means(t *testing.T, text []byte, pattern string) float64 {
	t.Helper()
	sum, list := 0.0, regexp.MustCompile(pattern).FindAllSubmatch(text, -1)
	for _, m := range list {
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	if len(list) == 0 {
		t.Fatal("no line matches", pattern)
	}
	return sum / float64(len(list))
}

// TestGStreamer: the encoder limits the recorded pipeline. Elements between queues share a core.
func TestGStreamer(t *testing.T) {
	log := sample(t, "gstreamer/testdata/video.log.gz")
	a, err := Read(sample(t, "gstreamer/testdata/video.dot"), Options{Times: []File{log}})
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	_, eval := predicted(t, d, a.repetition)
	encoder := means(t, log.Text, `element=\(string\)theoraenc0, .*time=\(guint64\)(\d+)`) / 1e9
	sink, err := time.ParseDuration(a.Kernels[2].Times[0].Text)
	if err != nil || a.Kernels[2].Name != "fakesink0" {
		t.Fatal(a.Kernels[2], err)
	}
	if want := 1 / (encoder + sink.Seconds()); math.Abs(eval/want-1) > 1e-5 {
		t.Errorf("eval predicts %g buffers/s, want %g", eval, want)
	}
	if len(a.Kernels) != 7 || len(a.Edges) != 6 || len(d.Problem.Architecture.Resources) != 3 {
		t.Errorf("%d kernels, %d edges, %+v", len(a.Kernels), len(a.Edges), d.Problem.Architecture.Resources)
	}
	sizes := make(map[string][2]int64)
	for _, e := range a.Edges {
		sizes[e.Name] = [2]int64{e.Bytes, e.Buffer}
	}
	// queue1 has the usual limit of 10 MiB: 46 frames of 230,400 bytes.
	if sizes["queue0"] != [2]int64{921600, 4} || sizes["queue1"] != [2]int64{230400, 46} {
		t.Error(sizes)
	}
	core := make(map[string]int)
	for k, p := range d.Mapping.Place {
		core[a.Kernels[k].Name] = p
	}
	if core["videotestsrc0"] != core["capsfilter0"] || core["videoconvert0"] != core["videoscale0"] ||
		core["theoraenc0"] != core["fakesink0"] || core["theoraenc0"] == core["videoscale0"] {
		t.Error(core)
	}
}

// TestGStreamerBins: links lead through bins and a tee, and a muxer consumes several buffers.
func TestGStreamerBins(t *testing.T) {
	log := sample(t, "gstreamer/testdata/audio.log.gz")
	a, err := Read(sample(t, "gstreamer/testdata/audio.dot"), Options{Times: []File{log}})
	if err != nil {
		t.Fatal(err)
	}
	load(t, a)
	var list []string
	for _, e := range a.Edges {
		list = append(list, fmt.Sprintf("%s %s %d/%d", a.Kernels[e.From].Name, a.Kernels[e.To].Name, e.Emits,
			e.Consumes))
	}
	got := strings.Join(list, "\n")
	for _, want := range []string{"audiotestsrc0 audioconvert0 1/1", "capsfilter0 t 1/1", "t audioconvert1 1/1",
		"t vorbisenc0 1/1", "oggmux0 file 1/1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no edge %s in\n%s", want, got)
		}
	}
	// Pads 24 and 26 are the outputs of vorbisenc0 and oggmux0.
	in, out := bytes.Count(log.Text, []byte(" pad-ix=(uint)24,")), bytes.Count(log.Text, []byte(" pad-ix=(uint)26,"))
	if want := fmt.Sprintf("vorbisenc0 oggmux0 1/%d\n", (2*in+out)/(2*out)); !strings.Contains(got, want) {
		t.Errorf("no edge %s in\n%s", want, got)
	}
}

// TestReadRefuses: each mistake has one error with its identifier, its line and a remedy.
func TestReadRefuses(t *testing.T) {
	replace := func(from, to string) string { return strings.Replace(radio, from, to, 1) }
	drop := func(line string) string { return strings.Replace(radioTimes, line+"\n", "", 1) }
	for _, c := range []struct{ graph, times, id, want string }{
		{radio, drop("adc,cpu0,20e-6,1e-6"), "no-execution-times", "graph.dot:3: "},
		{radio, drop("log,cpu1,5e-6,"), "no-execution-times", "log,cpu1,0.001"},
		{radio, drop("log,cpu1,5e-6,") + "log,cpu0,1,\n", "no-execution-times", "graph.dot:5: log is on host"},
		{replace("edge [bytes=4096];", ""), radioTimes, "no-element-size", "graph.dot:6: "},
		{replace(`bytes=64`, `bytes=0`), radioTimes, "wrong-graph-file", "graph.dot:9: bytes"},
		{replace(`"1/4"`, `"1/x"`), radioTimes, "wrong-graph-file", "graph.dot:7: rate"},
		{replace("adc -> filter;", "adc -> filter; adc -> fft"), radioTimes, "inconsistent-rates", "graph.dot:6: "},
		{replace("detect -> log", "detect -> log -> adc"), radioTimes, "inconsistent-rates", "graph.dot:9: "},
		{"digraph g { edge [bytes=1]; a -> b -> a }", "kernel,resource,seconds_per_firing\na,c,1\nb,c,1\n", "deadlock",
			""},
		{radio, radioTimes + "nobody,cpu0,1,\n", "unknown-kernel", "t0.csv:9: "},
		{radio, radioTimes + "log,cpu1,1,\n", "wrong-imported-times", "t0.csv:9: "},
		{radio, radioTimes + "log,cpu0,5us,\n", "wrong-imported-times", "t0.csv:9: seconds_per_firing"},
		{radio, radioTimes + "log,cpu0,1\n", "wrong-imported-times", "t0.csv:9: "},
		{radio, "kernel,time\n", "wrong-imported-times", "t0.csv:1: "},
		{radio, "kernel,port,items_per_firing\nadc,x,2\n", "unknown-name", "t0.csv:2: "},
		{radio, "kernel,port,items_per_firing\nadc,filter,0.5\n", "wrong-imported-times", "t0.csv:2: "},
		{replace("cpu0", "gpu"), radioTimes, "no-execution-times", "graph.dot:3: "},
		{replace("cpu0", `"cpu0[0]"`), radioTimes, "wrong-graph-file", "graph.dot:3: host"},
		{"graph g { a -- b }", "", "wrong-graph-file", "graph.dot"},
		{"digraph g {\n a -> ;\n}", "", "wrong-graph-file", "graph.dot:2:"},
		{"hello", "", "wrong-graph-file", "graph.dot:1:"},
		{"<profile></profile>", "", "wrong-graph-file", "--times graph.dot"},
		{radio, "<profile><UserAssignments><TopModelName>fft</TopModelName></UserAssignments></profile>",
			"wrong-imported-times", "t0.csv: "},
		{radio, "GST_TRACER", "wrong-imported-times", "t0.csv"},
		{radio, radioTimes + "log,cpu0,1e-300,\n", "wrong-imported-times", "t0.csv:9: seconds_per_firing"},
		{radio, radioTimes + "log,cpu0,1,1\n", "wrong-imported-times", "t0.csv:9: interval"},
		{radio, radioTimes + "log,cpu0,0,1e-6\n", "wrong-imported-times", "t0.csv:9: interval"},
		{"digraph g {\n a [WCET=\"1e-200\"];\n a -> b; }", "", "wrong-graph-file", "graph.dot:2: WCET"},
		{replace("adc -> filter;", "adc [host=cpu1]; adc -> filter;"), radioTimes, "wrong-graph-file",
			"graph.dot:3: host"},
		{replace("host=cpu0", "host=cpu1, host=cpu0"), radioTimes, "wrong-graph-file", "graph.dot:3: host"},
		{replace("bytes=64", "bytes=64, bytes=65"), radioTimes, "wrong-graph-file", "graph.dot:9: bytes"},
		{"@TASK_GRAPH 0 {\n}\n", radioTimes, "wrong-imported-times", "t0.csv"},
	} {
		var times []string
		if c.times != "" {
			times = append(times, c.times)
		}
		_, err := read(t, c.graph, times...)
		if err == nil || string(fault.Of(err)) != c.id || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v [%s], want %q [%s]", err, fault.Of(err), c.want, c.id)
		}
	}
}

// TestOptionsWithoutEffect: options that no figure of a file needs are errors, and those that one needs are not.
func TestOptionsWithoutEffect(t *testing.T) {
	const wcet = "digraph g { a [WCET=3]; b [WCET=1]; a -> b; }"
	for _, c := range []struct {
		graph, times, want string
		o                  Options
	}{
		{radio, radioTimes, "--time-unit", Options{Unit: time.Second}},
		{radio, radioTimes, "--graph", Options{Graph: 1}},
		{wcet, "", "--graph", Options{Graph: 1}},
		{wcet, "", "", Options{Unit: time.Second}},
		{"@TASK_GRAPH 1 {\n TASK a TYPE 0\n TASK b TYPE 0\n ARC c FROM a TO b TYPE 0\n}\n", "", "",
			Options{Graph: 1, Unit: time.Second}},
	} {
		if c.times != "" {
			c.o.Times = []File{{"t.csv", []byte(c.times)}}
		}
		_, err := Read(File{"graph.dot", []byte(c.graph)}, c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || fault.Of(err) != fault.WrongOptionValue ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.20s: got %v, want %q", c.graph, err, c.want)
		}
	}
}

// TestNamesKept: a name that is valid in X is not changed because an earlier one becomes the same.
func TestNamesKept(t *testing.T) {
	a, err := read(t, `digraph g { edge [bytes=1]; "b two" -> b_two -> "b.two" -> b_two_2 }`,
		"kernel,resource,seconds_per_firing\nb two,a 1,1\nb_two,a_1,1\nb.two,a_1,1\nb_two_2,a_1,1\n")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range a.Kernels {
		names = append(names, k.Name)
	}
	want := []string{"b_two_3", "b_two", "b_two_4", "b_two_2", "a_1_2", "a_1"}
	if got := append(names, a.Arrays...); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestItems: counts in a CSV file replace rates. A name of a port may be that of the kernel at the other end.
func TestItems(t *testing.T) {
	a, err := read(t, "digraph g { edge [bytes=1]; a:left -> b:in; b -> c }",
		"kernel,port,items_per_firing\na,left,3\nb,a,2\nb,c,5\n",
		"kernel,resource,seconds_per_firing\na,x,1\nb,x,1\nc,x,1\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{2, 3, 15}; !reflect.DeepEqual(a.repetition, want) {
		t.Errorf("firings %v, want %v", a.repetition, want)
	}
}

// TestApply: the export for GStreamer has a queue between cores only, and the table of processors states all kernels.
func TestApply(t *testing.T) {
	a, err := read(t, radio, radioTimes)
	if err != nil {
		t.Fatal(err)
	}
	d := load(t, a)
	write := func(format string) string {
		f, _, err := Write(t.Context(), d, format, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	queues := write("gstreamer")
	m := regexp.MustCompile(`\nfilter ! queue name=filter_fft max-size-buffers=(\d+) max-size-bytes=0 ` +
		`max-size-time=0 ! ` +
		`fft\n$`).FindStringSubmatch(queues)
	if m == nil || strings.Count(queues, "\n") != 2 {
		t.Fatal(queues)
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n < 4 { // a firing of fft consumes 4
		t.Error(queues)
	}
	if got := write("affinity"); !strings.HasSuffix(got, "\nadc\t0\nfilter\t0\nfft\t1\ndetect\t1\nlog\t1\n") {
		t.Error(got)
	}
}
