package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xopt/flow"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// number returns the number in a value, which may be text.
func number(v xlang.Value) (float64, error) {
	if v.IsNumber {
		return v.Number, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64)
	if err != nil || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a number", v.Text)
	}
	return x, nil
}

// isSet reports whether a config has a value. An empty text does not count as a value.
func isSet(v xlang.Value) bool { return v.IsNumber || strings.TrimSpace(v.Text) != "" }

// bandwidth reads the bandwidth of a link. A number without a unit is in Mbit/s if the linktype itself declares the
// config as a number, such as `config bandwidth=1000;`. This follows a comment in Gayen 2008, Fig. 2.7. The config in
// std.x is text with a unit.
func bandwidth(v xlang.Value) (float64, error) {
	if v.IsNumber && !v.Quoted && v.Type != "STRING" {
		return v.Number * 1e6 / 8, nil
	}
	return units.ParseRate(v.Text)
}

// with returns a function that applies parse to the text of a value.
func with(parse func(string) (float64, error)) func(xlang.Value) (float64, error) {
	return func(v xlang.Value) (float64, error) { return parse(v.Text) }
}

// amount returns the number in a value, or +Inf for inf and unlimited.
func amount(v xlang.Value) (float64, error) {
	if t := strings.TrimSpace(v.Text); !v.IsNumber && (t == "inf" || t == "unlimited") {
		return math.Inf(1), nil
	}
	return number(v)
}

// origin returns the origin that the first word of from names, or [flow.Assumed] for another word.
func origin(from string) flow.Origin {
	word, _, _ := strings.Cut(strings.TrimSpace(from), " ")
	switch strings.ToLower(strings.TrimRight(word, ",:;")) {
	case "measured":
		return flow.Measured
	case "simulated":
		return flow.Simulated
	case "published":
		return flow.Published
	}
	return flow.Assumed
}

// Override is a set of figures from the command line, which override all other figures. [xlang.Options] contains the
// overrides of configs.
type Override struct {
	// Target is a kernel or a block type.
	Target string
	// Resource is the scope of the figures: a resource, an array of resources or a platform. If it is empty, the
	// figures apply to every resource that may run the kernel.
	Resource string
	// Attrs contains pairs of attribute name and value, in the order of the command line.
	Attrs [][2]string
}

// ParseOverride reads KERNEL:NAME=VALUE or KERNEL@RESOURCE:NAME=VALUE. Commas separate several pairs NAME=VALUE:
// "top.fft@proc[1]:mu=40MB/s,gain=2". KERNEL is an instance or a block.
func ParseOverride(s string) (Override, error) {
	const want = `expected KERNEL:NAME=VALUE or KERNEL@RESOURCE:NAME=VALUE, such as "FFT@proc[1]:mu=40MB/s"`
	target, attrs, ok := strings.Cut(s, ":")
	if !ok {
		return Override{}, fmt.Errorf("cannot read %q: %s", s, want)
	}
	var o Override
	o.Target, o.Resource, ok = strings.Cut(target, "@")
	o.Target, o.Resource = strings.TrimSpace(o.Target), strings.TrimSpace(o.Resource)
	if o.Target == "" || ok && o.Resource == "" {
		return Override{}, fmt.Errorf("cannot read %q: %s", s, want)
	}
	for part := range strings.SplitSeq(attrs, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return Override{}, fmt.Errorf("cannot read %q: %s", s, want)
		}
		o.Attrs = append(o.Attrs, [2]string{name, strings.Trim(value, `"`)})
	}
	return o, nil
}

// String returns the override in the syntax of [ParseOverride].
func (o Override) String() string {
	var b strings.Builder
	b.WriteString(o.Target)
	if o.Resource != "" {
		b.WriteString("@" + o.Resource)
	}
	for i, a := range o.Attrs {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(a[0] + "=" + a[1])
	}
	return b.String()
}
