package design

import (
	"fmt"
	"strings"
)

// Override is a set of figures given outside the X files, on the command line;
// they go before all others. Configs are overridden when the files are read
// ([xlang.Options]).
type Override struct {
	// Target is a kernel or a block type.
	Target string
	// Resource is where the figures hold: a resource, an array of resources or
	// a platform; empty for wherever the kernel may go.
	Resource string
	// Attrs are attribute and value in the order given.
	Attrs [][2]string
}

// ParseOverride reads KERNEL:NAME=VALUE or KERNEL@RESOURCE:NAME=VALUE, with more
// NAME=VALUE after commas: "top.fft@proc[1]:mu=40MB/s,gain=2". KERNEL is an
// instance or a block.
func ParseOverride(s string) (Override, error) {
	const want = `want KERNEL:NAME=VALUE or KERNEL@RESOURCE:NAME=VALUE, such as "FFT@proc[1]:mu=40MB/s"`
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

// String returns the override as [ParseOverride] reads it.
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
