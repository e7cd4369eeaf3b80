package main

// options is the table of all options: what a user can set, where, and to what. An option that
// is not here does not exist.
func options() table {
	var t table
	for _, list := range [][]option{globalOptions(), modelOptions(), searchOptions(), sweepOptions(),
		validateOptions(), calibrateOptions(), deployOptions(), frontOptions(), xevalOptions(), exchangeOptions(),
		campaignOptions(), engineOptions(), machineOptions(), traceOptions(),
		outputOptions(), wavesOptions()} {
		for i := range list {
			t = append(t, &list[i])
		}
	}
	return t
}

// globalOptions are those of every command.
func globalOptions() []option {
	return []option{
		{name: "config", kind: kindFile, group: groupGlobal, perhaps: notInFile,
			to:   func(s *settings) any { return &s.Config },
			help: "read settings from this file instead of " + configName + " in the working folder"},
		{name: "quiet", kind: kindSwitch, group: groupGlobal,
			to:   func(s *settings) any { return &s.Quiet },
			help: "print the answer and errors only: no notes, no warnings, no progress"},
		{name: "cache", kind: kindFolder, group: groupGlobal,
			to: func(s *settings) any { return &s.Cache },
			help: "keep what is compiled in this folder (default: xopt in the folder that the system gives you for " +
				"caches)"},
		{name: "cache-size", kind: kindSize, usual: "2GiB", group: groupGlobal,
			to:   func(s *settings) any { return &s.CacheSize },
			help: "size of that folder at most: what was used longest ago goes first"},
	}
}
