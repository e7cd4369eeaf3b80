package apps_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
)

// smoothed convolves the samples of a pixel, without their pedestal, with a Gaussian over time.
func smoothed(samples []byte, sigma float64) []float64 {
	const n = 96
	kernel, sum := make([]float64, n), 0.0
	for i := range kernel {
		t := float64(min(i, n-i))
		kernel[i] = math.Exp(-t * t / (2 * sigma * sigma))
		sum += kernel[i]
	}
	pedestal := (int(samples[0]) + int(samples[1]) + int(samples[2]) + int(samples[3]) + 2) / 4
	y := make([]float64, n)
	for i := range y {
		for j, x := range samples {
			y[i] += float64(int(x)-pedestal) * kernel[(i-j+n)%n] / sum
		}
	}
	return y
}

// TestVeritas compares the charges with a direct convolution, for 1 to 3 pipes.
func TestVeritas(t *testing.T) {
	t.Parallel()
	const events = 6
	random := rand.New(rand.NewPCG(3, 4))
	input := make([]byte, events*499*24)
	for i := range input {
		input[i] = byte(16 + random.IntN(4))
	}
	for p := range events * 499 { // a pulse in every pixel, high and low ones
		height, at := float64(random.IntN(200)+20), 5+14*random.Float64()
		for i := range 24 {
			if t := float64(i) - at; t > 0 {
				input[24*p+i] += byte(min(height*t*math.Exp(-t), 200))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "events")
	if err := os.WriteFile(path, input, 0o644); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for pipes := 1; pipes <= 3; pipes++ {
		app := apptest.App{Dir: "veritas", Set: map[string]string{"top.pipes": fmt.Sprint(pipes)}, Input: path}
		out, _ := app.Deploy(t, oneCore, program.Options{})
		if len(out) != events*499*4 {
			t.Fatalf("%d bytes of output", len(out))
		}
		if first == nil {
			first = out
		} else if !bytes.Equal(out, first) {
			t.Errorf("%d pipes give another output than one", pipes)
		}
		if pipes == 3 {
			app.Agree(t, 4, out)
		}
	}
	charges(t, input,
		func(p int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(first[4*p:]))) }, 1e-3)
	// In fixed point, with 8 fractional bits.
	fixed, _ := apptest.App{Dir: "veritas", Files: []string{"fixed.x", "arch.x"}, Input: path}.Deploy(t, oneCore,
		program.Options{})
	charges(t, input, func(p int) float64 { return float64(int32(binary.LittleEndian.Uint32(fixed[4*p:]))) / 256 }, 0.1)
}

// charges compares the charge of each pixel with that of a direct convolution.
func charges(t *testing.T, input []byte, got func(pixel int) float64, tolerance float64) {
	t.Helper()
	for p := range len(input) / 24 {
		y := smoothed(input[24*p:24*p+24], 1.5)
		maximum := 0.0
		for _, v := range y[:24] {
			maximum = max(maximum, v)
		}
		near := math.Inf(1)
		for peak := range 24 {
			if y[peak] < maximum-tolerance*(math.Abs(maximum)+1)/10 {
				continue // rounding may choose among equal ones
			}
			charge := 0.0
			for i := peak - 3; i < peak+5; i++ {
				charge += y[(i+96)%96]
			}
			near = min(near, math.Abs(got(p)-charge))
		}
		if near > tolerance*(1+math.Abs(got(p))/100) {
			t.Errorf("pixel %d has the charge %g, %g from the direct convolution", p, got(p), near)
		}
	}
}

// TestVeritasBadInput checks that errors describe the fault.
func TestVeritasBadInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events")
	if err := os.WriteFile(path, make([]byte, 12000), 0o644); err != nil {
		t.Fatal(err)
	}
	f := apptest.App{Dir: "veritas", Input: path}.Fail(t, oneCore)
	if f == nil || f.Kernel != "top.read" ||
		!strings.Contains(f.Text, "ends within an event, after 24 of 11976 bytes") {
		t.Errorf("got %v", f)
	}
}
