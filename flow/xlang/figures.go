package xlang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// sourceAttributes returns the attributes of an implementation that describe its source.
func sourceAttributes() []string {
	return []string{"src", "with", "top", "clock", "flags", "ldflags", "std", "language"}
}

// figureAttributes returns the attributes of an `impl … on` statement.
func figureAttributes() []string {
	return []string{"mu", "time", "interval", "gain", "scv", "lut", "ff", "bram", "dsp", "fmax", "from"}
}

// attributes evaluates an attribute list, and reports unknown attribute names.
func (e *elaborator) attributes(list *setList, existing []string) Values {
	out := make(Values)
	if list == nil {
		return out
	}
	for i := range list.Sets {
		a := &list.Sets[i]
		if !slices.Contains(existing, a.Name) {
			e.unknown(position(a.Pos), "attribute", a.Name, existing)
			continue
		}
		if old, ok := out[a.Name]; ok {
			e.duplicate(position(a.Pos), old.Pos, "attribute", a.Name)
			continue
		}
		v, err := a.Value.eval(Values{})
		if err != nil {
			e.fail(err)
			continue
		}
		v.Pos = position(a.Pos)
		e.checkQuantity(a.Name, v)
		out[a.Name] = v
	}
	return out
}

// sourceImpl records an implementation in a platform's declaration. figures checks the block of the implementation
// later, when all blocks are declared.
func (e *elaborator) sourceImpl(d *typeDecl, dir string, s *implStmt) {
	if d.kind != "platform" {
		e.failf(faults.ImplOfLink, position(s.Pos), "move the impl into a platform", "linktype %s cannot have an "+
			"implementation", quote(d.name))
		return
	}
	if s.On != nil {
		e.failf(faults.ImplWithOn, position(s.Pos), "write figures outside the platform: impl SUM on proc[1] (…);",
			"an implementation inside a platform cannot have \"on\"")
		return
	}
	e.program.Impls = append(e.program.Impls, Impl{Block: s.Block.String(), Platform: d.name,
		Attrs: e.attributes(s.Attrs, sourceAttributes()), Dir: dir, Pos: position(s.Pos)})
}

// figures reads the `impl … on` statements, and checks the blocks of all implementations.
func (e *elaborator) figures() {
	type key struct{ block, platform string }
	seen := make(map[key]Pos)
	for _, i := range e.program.Impls {
		if e.stopped() {
			return
		}
		if e.blocks[i.Block] == nil {
			e.unknown(i.Pos, "block", i.Block, e.blockNames)
			continue
		}
		if len(e.blocks[i.Block].instances) > 0 {
			e.failf(faults.BlockOfBlocks, i.Pos, "implement the blocks of its instances", "block %s contains "+
				"instances and cannot have an implementation", quote(i.Block))
		}
		k := key{i.Block, i.Platform}
		if old, ok := seen[k]; ok {
			e.duplicate(i.Pos, old, "implementation", i.Block)
		}
		seen[k] = i.Pos
	}
	for _, u := range e.units {
		s, ok := u.stmt.(*implStmt)
		if !ok || e.stopped() {
			continue
		}
		pos := position(s.Pos)
		if s.On == nil {
			e.failf(faults.ImplWithoutOn, pos,
				`write platform C { impl SUM (src="sum.c"); }; for sources, impl SUM on proc[1] (…); for figures`,
				"impl outside a platform needs a resource or platform: on …")
			continue
		}
		f := Figure{Attrs: e.attributes(s.Attrs, figureAttributes()), Pos: pos}
		kernels, block, ok := e.figureBlock(&s.Block)
		if !ok {
			continue
		}
		for _, on := range e.figurePlaces(s.On) {
			f.Resource, f.OnPlatform = on.name, on.isPlatform
			if block != "" {
				f.Block = block
				e.program.Figures = append(e.program.Figures, f)
				continue
			}
			f.Instance = true
			for _, k := range kernels {
				f.Block = e.program.Kernels[k].Name
				e.program.Figures = append(e.program.Figures, f)
			}
		}
	}
}

// figurePlace is a platform or a resource.
type figurePlace struct {
	name       string
	isPlatform bool
}

// figurePlaces resolves the platform or resources of figures.
func (e *elaborator) figurePlaces(r *ref) []figurePlace {
	if len(r.Segments) == 1 && r.Segments[0].Index == nil {
		if t := e.types[r.Segments[0].Name]; t != nil && t.decl.kind == "platform" {
			return []figurePlace{{t.decl.name, true}}
		}
	}
	found, ok := e.findResources(r)
	if !ok && !e.isUnread(r) {
		existing := append(keys(e.resourceArray), e.typeNames("platform")...)
		e.diags.add(faults.UnknownResource, position(r.Pos), "unknown resource or platform "+quote(r.String()),
			e.didYouMean(r.Segments[0].Name, existing))
	}
	var out []figurePlace
	for _, i := range found {
		out = append(out, figurePlace{e.program.Resources[i].Name, false})
	}
	return out
}

// figureBlock resolves the block type or the instances of figures.
func (e *elaborator) figureBlock(r *ref) (kernels []int, block string, ok bool) {
	if len(r.Segments) == 1 && r.Segments[0].Index == nil && e.blocks[r.Segments[0].Name] != nil {
		name := r.Segments[0].Name
		if len(e.blocks[name].instances) > 0 {
			e.failf(faults.BlockOfBlocks, position(r.Pos), "state figures for the blocks of its instances",
				"block %s contains instances and cannot have figures", quote(name))
			return nil, "", false
		}
		return nil, name, true
	}
	kernels, err := e.kernels.find(e, r)
	switch {
	case err != nil:
		e.fail(err)
	case kernels == nil && !e.isUnread(r) && !e.withoutApplication(position(r.Pos)):
		existing := append(slices.Clone(e.blockNames), e.kernels.roots...)
		e.diags.add(faults.UnknownBlock, position(r.Pos), "unknown block or instance "+quote(r.String()),
			didYouMean(r.String(), existing))
	}
	return kernels, "", kernels != nil
}

// routeStatement reads a statement `route K.port = f`.
func (e *elaborator) routeStatement(s *routeStmt) {
	pos := position(s.Pos)
	n := len(s.Port.Segments)
	if n < 2 {
		e.failf(faults.RouteWithoutPort, pos, form("route"), "route needs a kernel and a port")
		return
	}
	kernelRef := ref{Pos: s.Port.Pos, Segments: s.Port.Segments[:n-1]}
	fraction, err := s.Value.eval(e.program.TopConfig)
	if err != nil {
		e.fail(err)
		return
	}
	if !(fraction >= 0 && fraction <= 1) {
		e.failf(faults.WrongFraction, position(s.Value.Pos), "routing fractions are from 0 to 1", "routing fraction "+
			"is %g", fraction)
		return
	}
	kernels, block, ok := e.figureBlock(&kernelRef)
	if !ok {
		return
	}
	route := Route{Fraction: fraction, Attrs: e.attributes(s.Attrs, []string{"from"}), Pos: pos}
	seg := &s.Port.Segments[n-1]
	if block == "" {
		for _, k := range kernels {
			ports, share := e.routePorts(k, seg)
			for _, port := range ports {
				route.Kernel, route.Instance, route.Port, route.Fraction = e.program.Kernels[k].Name, true, port,
					fraction*share
				e.program.Routes = append(e.program.Routes, route)
			}
		}
		return
	}
	seen := make(map[string]bool)
	shares := 0.0
	route.Kernel = block
	for k := range e.program.Kernels {
		if e.program.Kernels[k].Block != block {
			continue
		}
		ports, share := e.routePorts(k, seg)
		if shares != 0 && ports != nil && share != shares {
			e.failf(faults.ArraySizesDiffer, pos, "state the route for each instance",
				"one route cannot apply to all instances of block %s, whose port arrays have different sizes",
				quote(block))
			return
		}
		shares = share
		route.Fraction = fraction * share
		for _, port := range ports {
			if route.Port = port; !seen[port] {
				seen[port] = true
				e.program.Routes = append(e.program.Routes, route)
			}
		}
	}
}

// routePorts returns the output ports of a kernel that a route names, and the share of the stated fraction for each
// port. The share is 1, or an equal share if the name of an array refers to all of its ports.
func (e *elaborator) routePorts(k int, seg *segment) (out []string, share float64) {
	kernel := &e.program.Kernels[k]
	var ports, existing []string
	isArray := false
	for _, p := range kernel.Outputs {
		existing = append(existing, baseName(p.Name))
		if baseName(p.Name) == seg.Name {
			ports = append(ports, p.Name)
			isArray = strings.HasSuffix(p.Name, "]")
		}
	}
	if len(ports) == 0 {
		if !e.unread[seg.Name] {
			e.fail(&mistake{fault.UnknownPort, position(seg.Pos), "block " + kernel.Block + " has no output port " +
				quote(seg.Name), didYouMean(seg.Name, existing)})
		}
		return nil, 1
	}
	if isArray && seg.Index == nil {
		return ports, 1 / float64(len(ports))
	}
	chosen, err := e.choose(seg.Index, indexed{name: seg.Name, n: len(ports), isArray: isArray}, position(seg.Pos),
		e.program.TopConfig)
	if err != nil {
		e.fail(err)
		return nil, 1
	}
	for _, c := range chosen {
		out = append(out, ports[c])
	}
	return out, 1
}

// quantity returns the parser of an attribute's value, or nil if the value is text. Package design interprets the
// value.
func quantity(attribute string) func(string) (float64, error) {
	switch attribute {
	case "mu":
		return units.ParseRate
	case "time":
		return units.ParseTime
	case "interval":
		return rateOrTime
	case "fmax", "clock":
		return units.ParseFrequency
	case "gain", "scv", "lut", "ff", "bram", "dsp":
		return plainNumber
	}
	return nil
}

// rateOrTime parses a rate or a time. Package design checks that the unit matches the figure.
func rateOrTime(text string) (float64, error) {
	if x, err := units.ParseRate(text); err == nil {
		return x, nil
	}
	return units.ParseTime(text)
}

// plainNumber parses a figure without a unit.
func plainNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("cannot read %q: expected a number", text)
	}
	return x, nil
}

// checkQuantity reports an attribute whose value cannot be parsed, such as a rate, time or frequency without a unit.
func (e *elaborator) checkQuantity(name string, v Value) {
	parse := quantity(name)
	switch {
	case parse == nil:
	case v.IsNumber && (v.Number < 0 || v.Number == 0 && (name == "mu" || name == "time" || name == "clock")):
		e.failf(faults.WrongConfigValue, v.Pos, "", "%s is %g; expected a positive value", name, v.Number)
	default:
		if _, err := parse(v.Text); err != nil {
			wrong, advice := units.Explain(err)
			if advice != "" {
				advice = strings.Replace(advice, "write ", "write "+name+"=", 1)
			}
			e.failf(faults.WrongFigure, v.Pos, advice, "%s: %s", name, wrong)
		}
	}
}
