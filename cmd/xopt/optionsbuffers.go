package main

// bufferOptions say how large the buffers of a run are.
func bufferOptions(in []string) []option {
	return []option{
		{name: "buffers", kind: kindText, word: "WHICH", usual: buffersDefault, group: groupRun,
			in: in,
			to: func(s *settings) any { return &s.deploy.buffers },
			help: "sizes of buffers that the X files do not give: default (256 KiB each) or tuned (as recommended " +
				"for the mapping); or a file with buffer { e } = n; statements, which go before those of the X files"},
	}
}
