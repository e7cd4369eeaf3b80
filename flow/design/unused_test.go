package design

import (
	"strings"
	"testing"

	"xopt/internal/fault"
)

// TestNothingIsLeftOut: a figure of an X file or a profile has an effect, is an error, or is reported.
func TestNothingIsLeftOut(t *testing.T) {
	for _, c := range []struct{ more, want string }{
		{`impl MID on proc (lut=5);`, "no effect on proc[1]"},
		{`impl SRC on C (dsp=5);`, "no effect on"},
		{`platform Odd : HDL { config STRING switch = "0s"; }; resource odd is Odd (switch="1us");`,
			"switch of resource odd"},
	} {
		if _, err := lower(t, Options{}, figured+c.more); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.more, err, c.want)
		}
	}
	for _, more := range []string{`impl MID on fpga (lut=5);`, `impl MID on Chip (bram=5);`} {
		mustLower(t, Options{}, figured+more)
	}
	// A rate that is stated takes the place of one that was measured, with the costs that belong to it.
	p := &measured{kernels: map[string]kernelFigures{"MID proc[1]": {ServiceRate: 1e6, Gain: 0.5, ServiceSCV: 1,
		CoLocationCost: 1e-9}}}
	d := mustLower(t, Options{Profile: p.source()}, figured)
	if text := strings.Join(fault.Texts(d.Notes), "\n"); !strings.Contains(text, "contention of top.mid, because") {
		t.Errorf("notes are %q", text)
	}
	// A gain of a kernel without outputs.
	d = mustLower(t, Options{}, figured+`impl top.sink on C (gain=2);`)
	if text := strings.Join(fault.Texts(d.Warnings), "\n"); !strings.Contains(text,
		"gain of top.sink has no effect: the kernel has no outputs") {
		t.Errorf("warnings are %q", text)
	}
	// A stated bulk overrides that of the profile; otherwise the profile's remains.
	for _, c := range []struct {
		config string
		want   float64
	}{{``, 4096}, {`, bulk="1KiB"`, 1024}} {
		p := &measured{link: LinkFigures{Bandwidth: 1e9, TransferCost: 1e-6, TransferBytes: 4096}}
		d := mustLower(t, Options{Profile: p.source()}, figured+`resource other is bus ({proc}`+c.config+`);`)
		links := d.Problem.Architecture.Links
		if s := links[len(links)-1].Sharing; s.TransferBytes != c.want || s.TransferCost != 1e-6 {
			t.Errorf("with the config %q transfers have %g bytes and cost %g s, want %g and 1e-6", c.config,
				s.TransferBytes, s.TransferCost, c.want)
		}
	}
}
