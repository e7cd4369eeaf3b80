package main

// options is the table of all options: what a user can set, where, and to what. An option that
// is not here does not exist.
func options(s *settings) table {
	var t table
	for _, list := range [][]option{s.globalOptions(), s.modelOptions(), s.searchOptions(), s.sweepOptions(),
		s.validateOptions(), s.calibrateOptions(), s.deployOptions(), s.frontOptions(), s.xevalOptions(),
		s.exchangeOptions(),
		s.campaignOptions(), s.engineOptions(), s.machineOptions(), s.traceOptions(),
		s.outputOptions(), s.wavesOptions()} {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions are those of every command.
func (s *settings) globalOptions() []option {
	return []option{
		{name: configOption, kind: kindFile, group: groupGlobal, perhaps: notInFile,
			to:   &s.Config,
			help: "read settings from this file instead of " + configName + " in the working folder"},
		{name: "quiet", kind: kindSwitch, group: groupGlobal,
			to:   &s.Quiet,
			help: "print the answer and errors only: no notes, no warnings, no progress"},
		{name: "cache", kind: kindFolder, group: groupGlobal,
			to: &s.Cache,
			help: "keep what is compiled in this folder (default: xopt in the folder that the system gives you for " +
				"caches)"},
		{name: "cache-size", kind: kindSize, usual: "2GiB", group: groupGlobal,
			to:   &s.CacheSize,
			help: "size of that folder at most: what was used longest ago goes first"},
	}
}
