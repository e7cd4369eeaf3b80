package rtl

// SourceText is a file of Verilog or SystemVerilog.
type SourceText struct{ Name, Text string }

// Sources are the files of a module: those of its kernels, VHDL turned into Verilog, and what is generated.
func (m *Module) Sources() (list []SourceText) {
	for _, f := range m.verilog {
		list = append(list, SourceText{f.name, f.text})
	}
	return list
}

// Tapped reports whether a partition has taps or monitors, and an agent.
func (p *Partition) Tapped() bool { return len(p.Taps)+len(p.Monitors) > 0 }

// SeenWidth is how many bits are seen of the streams of part i.
func (p *Partition) SeenWidth(i int) int { return max(min(len(p.Parts[i].Module.Streams), maxTold), 1) }
