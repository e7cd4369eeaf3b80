package predict

import (
	"fmt"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
)

// window warns where the buffer of an edge between hosts is less than what must be under way for its flow: what is
// sent in the time until its writer knows that it was released. Then the network cannot be filled, however fast it is.
// The buffer is the one given, else the one that deploy makes. Where links have jitter, all is taken to be as late as
// it may be.
func (b *builder) window(e int) {
	edge := &b.design.Problem.Application.Edges[e]
	name, until := "", ""
	seconds := b.design.Problem.Architecture.Until(b.network.Mapping.Route[e])
	for _, l := range b.network.Mapping.Route[e] {
		link := &b.design.Problem.Architecture.Links[l]
		if link.Told() > 0 {
			name = link.DeclaredName()
		}
		if link.Jitter > 0 {
			until = "up to "
		}
	}
	if seconds == 0 {
		return
	}
	bytes, whose := float64(design.NetworkBufferBytes), "the buffer that xopt deploy gives it"
	usable := bytes * (flow.ToldParts - 1) / flow.ToldParts
	if n, ok := b.design.Buffers[e]; ok {
		bytes, whose = float64(n)*edge.ElementBytes, "its buffer"
		usable = flow.Usable(float64(n)) * edge.ElementBytes
	}
	if most := usable / seconds; b.solution.EdgeFlow[e] > most {
		needs := b.solution.EdgeFlow[e] * seconds * flow.ToldParts / (flow.ToldParts - 1)
		b.out.Warnings = append(b.out.Warnings, fmt.Sprintf("%s cannot carry its flow: over %s, there and back, data "+
			"are under way for %s%s, and %s holds %s, so that it carries %s at most; give it %s or more: buffer { "+
			"%s } = \"%.0fKiB\";", edge.Name, name, until, units.Time(seconds), whose, units.Size(bytes),
			units.Rate(most), units.SizeUp(needs), edge.Name, needs/1024+1))
	}
}
