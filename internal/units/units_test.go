package units

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (float64, error)
		in    string
		want  float64
	}{
		{ParseRate, "40MB/s", 40e6}, {ParseRate, "1.5 GiB/s", 1.5 * (1 << 30)}, {ParseRate, "640Mbit/s", 80e6},
		{ParseRate, "640MBps", 640e6}, {ParseRate, "1000Mbps", 125e6}, {ParseRate, "10.67MiB/s", 10.67 * (1 << 20)},
		{ParseRate, "inf", math.Inf(1)}, {ParseRate, "1e3B/s", 1000}, {ParseRate, "2KB/s", 2000},
		{ParseSize, "64KiB", 65536}, {ParseSize, "4000", 4000}, {ParseSize, "4kB", 4000}, {ParseSize, "8 bit", 1},
		{ParseTime, "6.6us", 6.6e-6}, {ParseTime, "3ms", 3e-3}, {ParseTime, "0", 0}, {ParseTime, "2min", 120}, {ParseTime, "5 µs", 5e-6},
		{ParseFrequency, "100MHz", 100e6}, {ParseFrequency, "2.6GHz", 2.6e9},
	} {
		got, err := c.parse(c.in)
		if err != nil || math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%q is %v, %v; want %v", c.in, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		parse func(string) (float64, error)
		in    string
	}{
		{ParseRate, "40"}, {ParseRate, "40MB"}, {ParseRate, "-1MB/s"}, {ParseRate, "fast"}, {ParseRate, ""}, {ParseRate, "NaN B/s"},
		{ParseRate, "1QB/s"}, {ParseRate, "1e999B/s"}, {ParseSize, "4s"}, {ParseTime, "3"}, {ParseTime, "3B"}, {ParseFrequency, "3"},
	} {
		if got, err := c.parse(c.in); err == nil {
			t.Errorf("%q is read as %v", c.in, got)
		} else if !strings.Contains(err.Error(), "such as") && !strings.Contains(err.Error(), "too large") {
			t.Errorf("%q: error %q gives no example", c.in, err)
		}
	}
}

func TestFormat(t *testing.T) {
	for got, want := range map[string]string{
		Rate(26.76e6): "26.76 MB/s", Rate(0): "0 B/s", Rate(999.96): "1 kB/s", Rate(math.Inf(1)): "unlimited", Rate(math.NaN()): "unknown",
		Size(4000): "4 kB", Time(6.6e-6): "6.6 us", Time(127.2): "127.2 s", Percent(.482): "48.2 %", Count(2.5e6): "2.5 M", Frequency(1e8): "100 MHz",
		Count(13): "13",
	} {
		if got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	}
	s := ScaleFor("B/s", 26.76e6, 8.92e6, 1e3)
	if s.Heading("flow") != "flow (MB/s)" || s.Format(8.92e6) != "8.92" || s.Format(1e3) != "0.001" {
		t.Errorf("scale prints %s %s %s", s.Heading("flow"), s.Format(8.92e6), s.Format(1e3))
	}
}

// TestRoundTrip reads back what is printed, to its four digits.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Pow(10, rapid.Float64Range(0, 14).Draw(t, "log"))
		got, err := ParseRate(Rate(v))
		if err != nil || math.Abs(got-v) > 5.1e-4*v {
			t.Fatalf("%v prints as %q and reads as %v, %v", v, Rate(v), got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"40MB/s", "1e3B/s", "inf", "6.6us", "--", "e", "1e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (float64, error){ParseRate, ParseSize, ParseTime, ParseFrequency} {
			if v, err := parse(s); err == nil && !(v >= 0) {
				t.Errorf("%q is read as %v", s, v)
			}
		}
	})
}
