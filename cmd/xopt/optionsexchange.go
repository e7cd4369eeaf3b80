package main

// maxCores is the largest number of cores of each type that an import makes.
const maxCores = 10_000

// exchangeOptions are those of import and export.
func (s *settings) exchangeOptions() []option {
	imports, exports := []string{"import sdf3", "import tgff"}, []string{"export sdf3", "export tgff"}
	list := []option{
		{name: "arch", kind: kindFile, group: groupOutput,
			in: imports, to: &s.exchange.arch,
			help: "also write an architecture: the file's, or cores for its kernels"},
		{name: "map", kind: kindFile, group: groupOutput,
			in: imports, to: &s.exchange.mapping,
			help: "also write a mapping to these cores: each kernel on the processor that it usually runs on; not " +
				"where the file has an architecture"},
		{name: "graph", kind: kindNumber, usual: "0", group: groupOutput, perhaps: ofCommand, check: atLeastValue(0),
			in: []string{"import tgff"}, to: &s.exchange.graph,
			help: "which of the file's task graphs, by number"},
	}
	for _, command := range imports {
		list = append(list,
			option{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
				in: []string{command}, to: &s.exchange.out,
				help: "write the application to this file (default: standard output)"},
			option{name: "cores", kind: kindNumber, usual: "0", group: groupOutput, perhaps: ofCommand,
				check: between(0, maxCores),
				in:    []string{command}, to: &s.exchange.cores,
				help: "number of cores of each type of processor; 0 for one for each kernel that can run there"})
	}
	for _, command := range exports {
		list = append(list, option{name: "out", short: "o", kind: kindFile, group: groupOutput, perhaps: ofCommand,
			in: []string{command}, to: &s.exchange.out,
			help: "write the graph to this file (default: standard output)"})
	}
	for _, x := range []struct{ command, usual string }{{"import sdf3", "1us"}, {"export sdf3", "1us"},
		{"import tgff", "1s"}, {"export tgff", "1s"}} {
		list = append(list, option{name: "time-unit", kind: kindDuration, usual: x.usual, group: groupModel,
			perhaps: ofCommand, check: aboveZero,
			in: []string{x.command}, to: &s.exchange.unit,
			help: "what a time of 1 in the file means"})
	}
	return list
}
