package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Link is a link of the architecture. Its name comes from the component that its units share.
type Link struct {
	Name, Linktype string
	Sharing        Sharing
}

// Architecture is the description of a machine in X.
type Architecture struct {
	Machine *Machine
	Units   []Unit   // units in the order of the names
	Names   []string // names of the resources
	Links   []Link
}

// NewArchitecture names the cores of a machine, and the links between them. With threads, each hardware thread is a
// core.
func NewArchitecture(m *Machine, threads bool) *Architecture {
	a := &Architecture{Machine: m, Units: m.Units(threads)}
	count := make(map[int]int) // number of cores of each kind
	for _, u := range a.Units {
		kind := m.Cores[u.Core].Kind
		count[kind]++
		a.Names = append(a.Names, fmt.Sprintf("%s[%d]", a.array(kind), count[kind]))
	}
	sharings := m.Sharings(a.Units)
	used := make(map[string]int)
	for i, s := range sharings {
		linktype, name := linktypeOf(s), strings.ToLower(s.What[0])
		if i == len(sharings)-1 { // all units share this component
			linktype, name = "memory", "mem"
		}
		used[name]++
		a.Links = append(a.Links, Link{Name: name, Linktype: linktype, Sharing: s})
	}
	next := make(map[string]int)
	for i := range a.Links {
		if l := &a.Links[i]; used[l.Name] > 1 {
			next[l.Name]++
			l.Name = fmt.Sprintf("%s_%d", l.Name, next[l.Name])
		}
	}
	return a
}

// linktypeOf returns the linktype for a shared component: "SameL3", "SameSocket".
func linktypeOf(s Sharing) string {
	return "Same" + strings.ToUpper(s.What[0][:1]) + s.What[0][1:]
}

// platform returns the platform of a kind of cores.
func (a *Architecture) platform(kind int) string {
	switch n := a.Machine.Kinds(); {
	case n == 1:
		return "C"
	case n == 2:
		return [...]string{"Fast", "Slow"}[kind]
	}
	return fmt.Sprintf("Kind%d", kind+1)
}

// array returns the name of the resources of a kind.
func (a *Architecture) array(kind int) string {
	if a.Machine.Kinds() == 1 {
		return "core"
	}
	return strings.ToLower(a.platform(kind))
}

// X returns the architecture in X. head contains the lines of the comment at its top.
func (a *Architecture) X(head ...string) string {
	var b strings.Builder
	for _, line := range head {
		fmt.Fprintf(&b, "// %s\n", line)
	}
	b.WriteString("#include \"std.x\"\n")
	a.writeCores(&b)
	a.writeLinks(&b)
	return b.String()
}

// writeCores declares the cores, with an array for each kind.
func (a *Architecture) writeCores(b *strings.Builder) {
	m := a.Machine
	if m.Kinds() > 1 {
		b.WriteString("\n// Calibration measures kernels on each kind of core.\n")
	}
	for kind := range m.Kinds() {
		var one *Core
		for _, u := range a.Units {
			if m.Cores[u.Core].Kind == kind {
				one = &m.Cores[u.Core]
			}
		}
		if m.Kinds() > 1 {
			capacity := ""
			if one.Capacity > 0 {
				capacity = fmt.Sprintf(" // capacity %d, where the fastest core has 1024", one.Capacity)
			}
			fmt.Fprintf(b, "platform %s : C { };%s\n", a.platform(kind), capacity)
		}
	}
	b.WriteString("\n// cpu is the processor of this machine to which xopt deploy pins the processes of a core.\n")
	for kind := range m.Kinds() {
		var processors []int
		for _, u := range a.Units {
			if m.Cores[u.Core].Kind == kind {
				processors = append(processors, u.Processor)
			}
		}
		list := "[" + spans(processors, "..", ", ", 3) + "]"
		if len(processors) == 1 { // a single core needs no list
			list = fmt.Sprint(processors[0])
		}
		fmt.Fprintf(b, "resource %s[%d] is %s (cpu=%s);%s\n", a.array(kind), len(processors), a.platform(kind), list,
			a.own(processors[0]))
	}
}

// own describes the private caches of a processor's core.
func (a *Architecture) own(processor int) string {
	var parts []string
	for _, level := range a.Machine.Levels() {
		c := a.Machine.Cache(level, processor)
		if c == nil || c.Bytes == 0 {
			continue
		}
		units := 0
		for _, u := range a.Units {
			if slices.Contains(c.Processors, u.Processor) {
				units++
			}
		}
		if units == 1 {
			parts = append(parts, fmt.Sprintf("L%d %s", level, Size(c.Bytes)))
		}
	}
	if parts == nil {
		return ""
	}
	return " // each with " + strings.Join(parts, ", ")
}

// Size formats the size of a cache or memory.
func Size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(bytes), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	if v == float64(int64(v)) {
		return fmt.Sprintf("%.0f %s", v, units[i])
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// writeLinks declares a link for every shared component. If a component is inside another component, data use the inner
// component, which is nearer.
func (a *Architecture) writeLinks(b *strings.Builder) {
	if len(a.Links) == 0 {
		b.WriteString("\n// A single core needs no links.\n")
		return
	}
	b.WriteString("\n// xopt calibrate measures the cost of messages, once for each linktype.\n")
	nested := len(a.Links) > 1
	declared := make(map[string]bool)
	for i := range a.Links {
		if l := &a.Links[i]; l.Linktype != "memory" && !declared[l.Linktype] {
			declared[l.Linktype] = true
			fmt.Fprintf(b, "linktype %s : memory { config STRING nearest = \"yes\"; };\n", l.Linktype)
		}
	}
	for i := range a.Links {
		l := &a.Links[i]
		config := ""
		if nested && l.Linktype == "memory" {
			config = `, nearest="yes"`
		}
		cache := ""
		if c := l.Sharing.Cache; c != nil && c.Bytes > 0 {
			cache = fmt.Sprintf(", an L%d cache of %s", c.Level, Size(c.Bytes))
		}
		fmt.Fprintf(b, "resource %s is %s ({ %s }%s); // the same %s%s\n", l.Name, l.Linktype,
			a.endpoints(l.Sharing.Units),
			config, strings.Join(l.Sharing.What, ", "), cache)
	}
}

// endpoints formats units as the endpoints of a link.
func (a *Architecture) endpoints(units []int) string {
	var parts []string
	for kind := range a.Machine.Kinds() {
		var numbers []int // indices into the array, from 1
		all := 0
		for i, u := range a.Units {
			if a.Machine.Cores[u.Core].Kind != kind {
				continue
			}
			all++
			if slices.Contains(units, i) {
				numbers = append(numbers, all)
			}
		}
		if len(numbers) == all && all > 0 {
			parts = append(parts, a.array(kind))
			continue
		}
		for part := range strings.SplitSeq(spans(numbers, "..", " ", 2), " ") {
			if part != "" {
				parts = append(parts, fmt.Sprintf("%s[%s]", a.array(kind), part))
			}
		}
	}
	return strings.Join(parts, ", ")
}
