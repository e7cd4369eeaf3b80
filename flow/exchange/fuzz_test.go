package exchange

import (
	"bytes"
	"testing"

	"xopt/internal/fault"
)

// FuzzImport: any graph with any file of times is either refused with an identifier, or an application whose files xopt
// can read.
func FuzzImport(f *testing.F) {
	f.Add([]byte(radio), []byte(radioTimes))
	f.Add([]byte(radio), []byte("kernel,port,items_per_firing\nfft,filter,2\n"))
	f.Add([]byte("digraph { edge [bytes=1] a [WCET=3] \"b c\" [WCET=1] a -> \"b c\" }"), []byte("kernel,resource,"+
		"seconds_per_firing\na,core,1\n"))
	f.Add([]byte("digraph { edge [bytes=1]; fft -> b }"),
		[]byte("<profile><UserAssignments><unit>ns</unit><TopModelName>"+
			"fft</TopModelName><TargetClockPeriod>5</TargetClockPeriod></UserAssignments><PerformanceEstimates>"+
			"<SummaryOfOverallLatency><Interval-max>8</Interval-max></SummaryOfOverallLatency>"+
			"</PerformanceEstimates></profile>"))
	f.Add([]byte(`digraph pipeline { legend [label="Element-States"] subgraph cluster_a { label="GstA\na\n[=]" p `+
		`[label="src"] } `+
		`subgraph cluster_b { label="GstB\nb\n[=]" q [label="sink"] } p -> q }`),
		[]byte("GST_TRACER :0:: new-element, ix=(uint)0, name=(string)a;\nGST_TRACER :0:: new-pad, ix=(uint)0, "+
			"parent-ix=(uint)0, name=(string)src;\nGST_TRACER :0:: buffer, pad-ix=(uint)0, buffer-size=(uint)7;\n"+
			"GST_TRACER :0:: element-latency, element=(string)a, src=(string)src, time=(guint64)5;\n"))
	f.Add([]byte("executors: []\nnodes:\n- callbacks:\n  - {callback_name: a}\n  - {callback_name: b, topic_name: t}"+
		"\n  publishes:\n  - {topic_name: t, callback_names: [a]}\n"), []byte("n:\n  callbacks:\n    a:\n"+
		"      Latency:\n        avg: 1.0\n    b:\n      Latency:\n        avg: 2.0\n"))
	f.Fuzz(func(t *testing.T, graph, times []byte) {
		if len(graph)+len(times) > 1<<16 {
			return
		}
		a, err := Read(File{"g.dot", graph}, Options{Times: []File{{"t", times}}})
		if err != nil {
			return
		}
		for _, n := range a.Notes {
			if fault.ID(n.ID) == "" {
				t.Error("a note without an identifier:", n)
			}
		}
		var b bytes.Buffer
		if err := a.WriteX(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Summary(); err != nil {
			t.Fatal(err)
		}
		if len(a.Kernels) <= 20 && len(a.Platforms) <= 20 {
			load(t, a)
		}
	})
}
