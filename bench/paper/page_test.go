package paper_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xopt/bench/paper"
	"xopt/deploy/program"
	"xopt/deploy/validate"
	"xopt/flow/profile"
	"xopt/mapper/result"
)

var update = flag.Bool("update", false, "write the golden page")

// results returns possible results of the experiments; they are not measured.
func results() *paper.Results {
	began := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	edge := func(predicted, equal, measured float64) result.ValidatedEdge {
		return result.ValidatedEdge{Predicted: predicted, Equal: equal, Measured: measured}
	}
	study := func(name string) *paper.Study {
		cases := []validate.Case{
			{Name: "random 1", Predicted: 51e6, Equal: 20e6, Measured: 50e6, Runs: []float64{50e6, 49e6},
				Edges:  []result.ValidatedEdge{edge(51e6, 20e6, 50e6), edge(25e6, 10e6, 25e6)},
				Reason: "one run was slow"},
			{Name: "random 2", Predicted: 30e6, Fail: "it did not end"},
		}
		return &paper.Study{Name: name, Kernels: 7, Edges: 2, Disturbed: true, Cases: cases,
			Summary: validate.Summarize(cases), Queues: []paper.QueueBound{
				{Mapping: "random 1", Kernel: "top.t1", Modelled: 20, Measured: 4, Samples: 9,
					Utilization: 0.5, Batch: 1},
				{Mapping: "random 1", Kernel: "top.t2", Modelled: 20, Measured: 35, Samples: 9,
					Utilization: 0.995, Batch: 2},
			}, Sizes: []paper.SizedQueue{
				{Mapping: "random 1", Samples: 9, ValidatedSize: result.ValidatedSize{Edge: "top.e1", Recommended: 40,
					Level: "simulated", Measured: 8}},
				{Mapping: "random 1", Samples: 9, ValidatedSize: result.ValidatedSize{Edge: "top.e2", Recommended: 30,
					Level: "simulated", Measured: 31}},
			}}
	}
	return &paper.Results{
		Machine: profile.Machine{CPU: "a processor", Cores: 2, Kernel: "Linux 6"},
		Parts: []paper.Part{{Experiment: "14", Began: began, Spin: []float64{1e-3, 1.1e-3}},
			{Experiment: "15", Began: began, Spin: []float64{1e-3, 1e-3, 1.5e-3},
				Settings: paper.Settings{Apps: 1, Mappings: 2, Runs: 2, Seed: 7, Window: "1s", Short: true}}},
		Sharing: []paper.SchedulerCase{
			{Scheduler: program.SchedulerOther, Processes: 2, Alone: 50e3, Rates: []float64{24e3, 26e3}},
			{Scheduler: program.SchedulerRR, Processes: 2, Fail: "a privilege is missing"}},
		Synthetic: []*paper.Study{study("synthetic 1"), {Name: "synthetic 2", Fail: "no compiler"}},
		Real:      []*paper.Study{study("jpeg"), study("blastn")},
		Jackson: []paper.JacksonCase{{Name: "half load", Arrival: 1e6, Stations: []paper.JacksonStation{
			{Kernel: "top.bloom", ServiceRate: 2e6, Pass: 0.018, Utilization: 0.5, MeasuredUtilization: 0.52,
				Queue: 0.5, MeasuredQueue: 0.6},
			{Kernel: "top.hash", ServiceRate: 1e6, Utilization: 1.2, MeasuredUtilization: 1, Queue: -1,
				MeasuredQueue: 600}}}},
	}
}

// TestPage compares the page of the experiments with that in testdata.
func TestPage(t *testing.T) {
	var got bytes.Buffer
	if err := results().WriteExperiments(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "page.md")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, got.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the page is not %s; look at it and run go test ./bench/paper -run TestPage -update\n%s", path,
			got.String())
	}
}
