package units

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type parser func(string) (float64, error)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		parse parser
		in    string
		want  float64
	}{
		{ParseRate, "40MB/s", 40e6}, {ParseRate, "1.5 GiB/s", 1.5 * (1 << 30)}, {ParseRate, "640Mbit/s", 80e6},
		{ParseRate, "640MBps", 640e6}, {ParseRate, "1000Mbps", 125e6}, {ParseRate, "10.67MiB/s", 10.67 * (1 << 20)},
		{ParseRate, "inf", math.Inf(1)}, {ParseRate, " unlimited ", math.Inf(1)}, {ParseRate, "1e3B/s", 1000},
		{ParseRate, "2KB/s", 2000},
		{ParseRate, "8 b/s", 1}, {ParseRate, "40 MB / s", 40e6}, {ParseRate, "3 Bytes/s", 3}, {ParseRate, "1TB/sec",
			1e12},
		{ParseRate, "+1.5e+1kB/s", 15e3}, {ParseRate, "-0B/s", 0}, {ParseRate, "10GBit/s", 1.25e9},
		{ParseSize, "64KiB", 65536}, {ParseSize, "4000B", 4000}, {ParseSize, "4kB", 4000}, {ParseSize, "8 bit", 1},
		{ParseSize, ".5TiB", 1 << 39},
		{ParseSize, "1e3 B", 1000}, {ParseSize, "0", 0}, {ParseRate, "0", 0}, {ParsePrice, "0.4$/h", 0.4},
		{ParseSize, "2Mibit", 1 << 18},
		{ParseTime, "6.6us", 6.6e-6}, {ParseTime, "3ms", 3e-3}, {ParseTime, "0", 0}, {ParseTime, "0.00", 0},
		{ParseTime, "0e0", 0},
		{ParseTime, "2min", 120}, {ParseTime, "5 µs", 5e-6}, {ParseTime, "5 μs", 5e-6}, {ParseTime, "7ns", 7e-9},
		{ParseTime, "2 h", 7200}, {ParseTime, "1s", 1},
		{ParseFrequency, "100MHz", 100e6}, {ParseFrequency, "2.6GHz", 2.6e9}, {ParseFrequency, "50 Hz", 50},
	} {
		got, err := c.parse(c.in)
		if err != nil || !isClose(got, c.want, 1e-15) || math.Signbit(got) {
			t.Errorf("%q is %v, %v; want %v", c.in, got, err, c.want)
		}
	}
}

// isClose reports whether two numbers agree to a relative tolerance. Infinities agree with themselves.
func isClose(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		parse parser
		in    string
	}{
		{ParseRate, "40MB"}, {ParseRate, "-1MB/s"}, {ParseRate, "fast"}, {ParseRate, ""}, {ParseRate, "NaN B/s"},
		{ParseRate, "1QB/s"}, {ParseRate, "1e999B/s"}, {ParseRate, "1e300TB/s"}, {ParseRate, "ps"}, {ParseRate, "1ps"},
		{ParseRate, "-inf"},
		{ParseRate, "1 2MB/s"}, {ParseRate, "1-2MB/s"}, {ParseRate, "0x10B/s"}, {ParseRate, "1_000B/s"},
		{ParseRate, "٣B/s"}, {ParseRate, "1mB/s"},
		{ParseRate, "1,5MB/s"}, {ParseRate, "MB/s"}, {ParseRate, "1MB/s/s"},
		{ParseSize, "4s"}, {ParseSize, "64K"}, {ParseSize, "-4"}, {ParseSize, "nan"}, {ParseSize, "4 B B"},
		{ParseTime, "3B"}, {ParseTime, "-1us"}, {ParseTime, "1m"}, {ParseTime, "00:01"},
		{ParseFrequency, "3hz"}, {ParseFrequency, "3MB"},
	} {
		got, err := c.parse(c.in)
		if err == nil {
			t.Errorf("%q is read as %v", c.in, got)
			continue
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("%q", c.in)) || !strings.Contains(err.Error(), "such as") {
			t.Errorf("%q: error %q does not repeat it and give an example", c.in, err)
		}
	}
}

// TestNoUnit checks that the error for a number without a unit shows the possible units.
func TestNoUnit(t *testing.T) {
	for _, c := range []struct {
		parse    parser
		in, want string
	}{
		{ParseRate, "40", "40 has no unit: write 40MB/s, 40Mbit/s or 40B/s"},
		{ParseSize, "4000", "4000 has no unit: write 4000B, 4000kB or 4000KiB"},
		{ParseTime, " 6.6 ", "6.6 has no unit: write 6.6us, 6.6ms or 6.6s"},
		{ParseFrequency, "1e2", "1e2 has no unit: write 1e2MHz, 1e2GHz or 1e2Hz"},
		{ParsePower, "15", "15 has no unit: write 15W or 15mW"},
		{ParsePrice, "0.4", "0.4 has no unit: write 0.4$/h"},
	} {
		if got, err := c.parse(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%q is %v, %v; want the error %q", c.in, got, err, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Rate(26.76e6), "26.8 MB/s"}, {Rate(0), "0 B/s"}, {Rate(999.6), "1 kB/s"}, {Rate(999.4), "999 B/s"},
		{Rate(12e15), "12000 TB/s"}, {Rate(1e30), "1e+18 TB/s"}, {Digits(1e-7, 3), "1e-7"}, {Digits(2014.4, 3), "2014"},
		{Digits(math.Inf(1), 3), "unlimited"},
		{Rate(math.Inf(1)), "unlimited"}, {Rate(math.Inf(-1)), "-unlimited"}, {Rate(math.NaN()), "unknown"},
		{Rate(1e-6), "1e-6 B/s"},
		{Size(4000), "4 kB"}, {Size(524000), "524 kB"}, {Size(-4000), "-4 kB"},
		{Time(6.6e-6), "6.6 us"}, {Time(127.2), "127 s"}, {Time(2e-10), "200 ps"}, {Time(.0123456), "12.3 ms"},
		{Percent(.482), "48.2 %"}, {Percent(.9986), "99.9 %"}, {Percent(.99998), "100 %"}, {Percent(.9999999), "100 %"},
		{Percent(1), "100 %"}, {Percent(9.681e-16), "0 %"}, {Percent(-2.823e-16), "0 %"}, {Percent(2e-9), "2e-7 %"},
		{Percent(1.00003), "100 %"}, {Percent(math.NaN()), "unknown"},
		{Count(2.5e6), "2.5 M"}, {Count(13), "13"}, {Count(math.NaN()), "unknown"}, {Frequency(1e8), "100 MHz"},
	} {
		if c.got != c.want {
			t.Errorf("printed %q, want %q", c.got, c.want)
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		unit    string
		values  []float64
		heading string
		printed []string
	}{
		{"B/s", []float64{26.76e6, 8.92e6, 1e3}, "x (MB/s)", []string{"26.8", "8.92", "0.001"}},
		{"B/s", []float64{math.Inf(1), 5e3, math.NaN()}, "x (kB/s)", []string{"unlimited", "5", "unknown"}},
		{"s", []float64{2e-6, 3e-3}, "x (ms)", []string{"0.002", "3"}},
		{"", []float64{12, 5}, "x", []string{"12", "5"}},
		{"B", nil, "x (B)", nil},
		{"B", []float64{0, 0}, "x (B)", []string{"0", "0"}},
	} {
		s := ScaleFor(c.unit, c.values...)
		if got := s.Heading("x"); got != c.heading {
			t.Errorf("heading of %v is %q, want %q", c.values, got, c.heading)
		}
		for i, v := range c.values {
			if got := s.Format(v); got != c.printed[i] {
				t.Errorf("%v under %q prints %q, want %q", v, c.heading, got, c.printed[i])
			}
		}
	}
	if got := ScaleFor("s", 2e-3).Format(12.4423); got != "12400" {
		t.Errorf("12.4423 s in a column of milliseconds is %q", got)
	}
	if got := (Scale{}).Format(3); got != "3" {
		t.Errorf("the zero scale prints 3 as %q", got)
	}
}

// quantities lists the printers and their parsers.
var quantities = []struct {
	name  string
	print func(float64) string
	parse parser
}{{"rate", Rate, ParseRate}, {"size", Size, ParseSize}, {"time", Time, ParseTime}, {"frequency", Frequency,
	ParseFrequency}}

// threeDigits is the largest relative rounding error of three significant digits.
const threeDigits = 5.001e-3

// TestRoundTrip parses printed values, to three digits, over all magnitudes of a double except the last few.
func TestRoundTrip(t *testing.T) {
	for _, q := range quantities {
		t.Run(q.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := math.Pow(10, rapid.Float64Range(-290, 290).Draw(t, "log"))
				got, err := q.parse(q.print(v))
				if err != nil || !isClose(got, v, threeDigits) {
					t.Fatalf("%v prints as %q and reads as %v, %v", v, q.print(v), got, err)
				}
				if s := q.print(v); q.print(got) != s {
					t.Fatalf("%q prints as %q", s, q.print(got))
				}
			})
			for _, v := range []float64{0, math.Inf(1)} {
				if got, err := q.parse(q.print(v)); err != nil || got != v {
					t.Errorf("%v prints as %q and reads as %v, %v", v, q.print(v), got, err)
				}
			}
		})
	}
}

// TestPrefixes checks that every prefix has its factor, in bytes and in bits.
func TestPrefixes(t *testing.T) {
	factor := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1024, "Mi": 1 << 20,
		"Gi": 1 << 30, "Ti": 1 << 40}
	for p, f := range factor {
		for unit, bytes := range map[string]float64{"B": 1, "byte": 1, "Bytes": 1, "b": .125, "bit": .125,
			"bits": .125} {
			if got, err := ParseSize("3" + p + unit); err != nil || got != 3*f*bytes {
				t.Errorf("3%s%s is %v, %v; want %v", p, unit, got, err, 3*f*bytes)
			}
			for _, per := range []string{"/s", "ps", "/sec"} {
				if got, err := ParseRate("3 " + p + unit + per); err != nil || got != 3*f*bytes {
					t.Errorf("3 %s%s%s is %v, %v; want %v", p, unit, per, got, err, 3*f*bytes)
				}
			}
		}
		if got, err := ParseFrequency("3" + p + "Hz"); err != nil || got != 3*f {
			t.Errorf("3%sHz is %v, %v; want %v", p, got, err, 3*f)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"40MB/s", "1e3B/s", "inf", "6.6us", "--", "e", "1e", "-0", "1 KiB", "100MHz", "0x1p3",
		"1e-320s", "µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, q := range quantities {
			v, err := q.parse(s)
			if err != nil {
				continue
			}
			if !(v >= 0) || math.Signbit(v) {
				t.Errorf("%q is read as %v", s, v)
			}
			if v > 1e300 && !math.IsInf(v, 1) || v < 1e-290 {
				continue // three digits of it may round to infinity or to zero
			}
			if back, err := q.parse(q.print(v)); err != nil || !isClose(back, v, threeDigits) {
				t.Errorf("%q is %v, which prints as %q and reads as %v, %v", s, v, q.print(v), back, err)
			}
		}
	})
}

// TestSizeUp checks that the printed value is never too small.
func TestSizeUp(t *testing.T) {
	for v, want := range map[float64]string{47.2: "48 B", 8192: "8.2 kB", 86016: "86.1 kB", 68919: "69 kB",
		1052672: "1.06 MB", 1050000: "1.05 MB", 99996: "100 kB", math.Inf(1): "unlimited"} {
		if got := SizeUp(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	for v := 1.0; v < 1e13; v *= 1.0037 {
		v = math.Ceil(v)
		if got, err := ParseSize(SizeUp(v)); err != nil || math.Round(got) < v {
			t.Errorf("%g: %q is %g, %v", v, SizeUp(v), got, err)
		}
	}
}
