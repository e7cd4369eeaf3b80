package micro

import (
	"errors"
	"os"
	"testing"

	"xopt/bench/apps"
	"xopt/internal/testkit"
)

// TestQueensArea checks that the monitors of all cores and their agent take at most a twentieth of a small current
// FPGA, like Koehler's on his (3.7 and 6.4 %). Synthesis must keep all of them: each has a block RAM of 18 kbit, twice
// because it has two read ports.
func TestQueensArea(t *testing.T) {
	testkit.Long(t, "it synthesizes four cores twice")
	testkit.Tools(t, "yosys", "verilator")
	dir, err := apps.Unpack("queens")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(errors.New("the folder stays: " + err.Error()))
		}
	}()
	c := QueensCost{Device: "XC7A35T", LUT: 20800, FF: 41600, BRAM: 50}
	if err := c.measure(t.Context(), dir, 4); err != nil {
		t.Fatal(err)
	}
	more := (c.Area.LUT - c.Plain.LUT) / c.LUT
	t.Logf("%+v to %+v: %.2f %% more LUT", c.Plain, c.Area, 100*more)
	if more <= 0.005 || more > 0.05 {
		t.Errorf("monitors take %.2f %% of the device's LUT, want 0.5 to 5", 100*more)
	}
	if bram := c.Area.BRAM - c.Plain.BRAM; bram < 4 {
		t.Errorf("monitors take %g block RAMs, want one for each of the four at least", bram)
	}
}
