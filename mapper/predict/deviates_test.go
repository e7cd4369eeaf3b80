package predict

import (
	"math"
	"testing"

	"xopt/mapper/result"
)

// TestDeviates: of a run the kernel is named that made most of the difference, though its part is small where it
// needed many times as long; what its bytes to another core cost is part of what was predicted.
func TestDeviates(t *testing.T) {
	c := &result.Candidate{Resources: []result.Share{{Name: "proc", Sharing: "conserving"}},
		Stations: []result.Station{
			{Name: "heavy", On: "proc", ServiceRate: 100e6, ArrivalRate: 50e6},
			{Name: "light", On: "proc", ServiceRate: 1e9, ArrivalRate: 50e6,
				Parts: []result.LoadPart{{Part: "compute", Value: 0.05}, {Part: "send", Value: 0.05}}},
			{Name: "bus", IsLink: true, ServiceRate: 1e9, ArrivalRate: 50e6}}}
	run := func(heavy, light result.Number) *result.Measured {
		return &result.Measured{Kernels: []result.MeasuredKernel{
			{Kernel: "heavy", Utilization: 0.5, ServiceRate: heavy},
			{Kernel: "light", Utilization: 0.4, ServiceRate: light}, {Kernel: "idle"}}}
	}
	if d := Deviates(c, run(100e6, 500e6)); d != nil {
		t.Errorf("all is as predicted, and %+v deviates", d)
	}
	d := Deviates(c, run(90e6, 50e6))
	if d == nil || d.Kernel != "light" || math.Abs(d.Times-10) > 1e-9 || math.Abs(d.Part-0.36) > 1e-9 {
		t.Fatalf("%+v deviates", d)
	}
	if got := d.String(); got != "light needed 10 times its predicted time per byte, 36.0 points more of its core "+
		"than predicted" {
		t.Error(got)
	}
	if d := Deviates(c, run(50e6, 450e6)); d == nil || d.Kernel != "heavy" {
		t.Errorf("%+v deviates", d)
	}
}

// TestDeviatesAsTheTableSays: who is said to deviate most has the greatest difference of all that the table puts
// beside each other, though all kernels are less busy than predicted where one of them takes longer.
func TestDeviatesAsTheTableSays(t *testing.T) {
	c := &result.Candidate{Throughput: 50e6, Resources: []result.Share{{Name: "proc", Sharing: "conserving"}},
		Stations: []result.Station{{Name: "slow", On: "proc", ServiceRate: 100e6, ArrivalRate: 50e6},
			{Name: "idle", On: "proc", ServiceRate: 55e6, ArrivalRate: 50e6}}}
	m := &result.Measured{Throughput: 10e6, Kernels: []result.MeasuredKernel{
		{Kernel: "slow", Utilization: 0.5, ServiceRate: 20e6}, {Kernel: "idle", Utilization: 0.2, ServiceRate: 50e6}}}
	d, greatest := Deviates(c, m), Beside{}
	for _, b := range Compare(c, m) {
		if b.Part && math.Abs(b.Error()) > math.Abs(greatest.Error()) {
			greatest = b
		}
	}
	if d == nil || greatest.What != BusyOf(d.Kernel) || d.Kernel != "slow" ||
		math.Abs(greatest.Error()+d.Part) > 1e-9 {
		t.Errorf("%+v deviates, and the table has %+v", d, greatest)
	}
}
