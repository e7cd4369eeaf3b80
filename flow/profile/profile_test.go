package profile

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"xopt/queueing/times"
)

func figure(v float64) *Figure { return &Figure{Value: v, N: 3, CI95: [2]float64{v, v}} }

func sample() *Profile {
	return &Profile{Schema: Schema, Machine: Machine{CPU: "test", Cores: 2, Kernel: "6.1"},
		Kernels: []Kernel{{Block: "SUM", Platform: "C", ServiceRate: figure(4e7), Gain: figure(.5),
			Undisturbed: &Undisturbed{Windows: 20, Good: 12, Preempted: 3,
				Sensitivity: map[string]float64{"chain": 0.8},
				Unknown:     []string{"memory"}},
			Routing: map[string]Figure{"y0": *figure(1)}, Area: &Area{LUT: 100},
			Times: times.Of([]float64{1e-6, 2e-6, 0, 3e-6})}},
		Reference: &Reference{Windows: 40, Repeatability: 0.03, Probes: []Probe{{Name: "chain", Good: 1.3e-5,
			Spread: 0.01, Undisturbed: 0.7}}},
		Links: []Link{{Linktype: "memory", Bandwidth: figure(1e10), TransferCost: figure(1e-7)}}}
}

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read("p", &b)
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestOlder: a profile of an earlier version, without a reference, is read.
func TestOlder(t *testing.T) {
	const text = `{"schema": 1, "machine": {"cpu": "test", "cores": 2, "kernel": "6.1"},
		"conditions": {"seconds": 1, "rounds": 2, "dropped": 3, "spins": [0.004, 0.005], "others": 0.1},
		"kernels": [{"block": "SUM", "platform": "C", "serviceRate": {"value": 4e7, "n": 1}}]}`
	p, err := Read("p.json", strings.NewReader(text))
	if err != nil || p.Reference != nil || p.Kernels[0].Undisturbed != nil || p.Kernels[0].Undisturbed.Extrapolated() {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestReadRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for name, c := range map[string]struct{ text, want string }{
		"empty":     {"", "is empty"},
		"cut":       {good[:60], "is not a valid profile"},
		"foreign":   {"{}", "is not a profile"},
		"schema":    {strings.Replace(good, `"schema": 1`, `"schema": 2`, 1), "has schema 2"},
		"unknown":   {strings.Replace(good, `"cores"`, `"corse"`, 1), "unknown field"},
		"negative":  {strings.Replace(good, `"value": 40000000`, `"value": -1`, 1), "kernels[0].serviceRate is -1"},
		"zero rate": {strings.Replace(good, `"value": 10000000000`, `"value": 0`, 1), "links[0].bandwidth is 0"},
		"outside": {strings.Replace(good, `"value": 0.5`, `"value": 0.7`, 1),
			"kernels[0].gain is 0.7, outside its interval [0.5, 0.5]"},
		"negative probe": {strings.Replace(good, `"good": 0.000013`, `"good": -1`, 1),
			"reference.probes[0].good is -1"},
		"good time": {strings.Replace(good, `"undisturbed": 0.7`, `"undisturbed": 1.7`, 1),
			"reference.probes[0].undisturbed is 1.7, expected at most 1"},
		"good windows": {strings.Replace(good, `"good": 12`, `"good": 21`, 1),
			"kernels[0].undisturbed has 21 undisturbed windows (expected 0 to 20)"},
		"sensitivity": {strings.Replace(good, `"chain": 0.8`, `"chain": -800`, 1),
			"kernels[0].undisturbed.sensitivity.chain is -800"},
		"no name":    {strings.Replace(good, `"SUM"`, `""`, 1), "kernels[0] needs a block"},
		"bad number": {strings.Replace(good, "40000000", "1e999", 1), "is damaged"},
	} {
		if _, err := Read("p.json", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(),
			c.want) || !strings.Contains(err.Error(), "p.json") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := sample().Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read("p", bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := p.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if _, err := Read("p", &out); err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
	})
}
