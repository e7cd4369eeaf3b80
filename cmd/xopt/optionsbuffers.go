package main

import "xopt/internal/units"

// bufferOptions say how large the buffers of a run are.
func (s *settings) bufferOptions(in []string) []option {
	return []option{
		{name: "buffers", kind: kindText, word: "WHICH", usual: buffersDefault, group: groupRun,
			in: in, to: &s.deploy.buffers,
			help: "sizes of buffers that the X files do not give: default (256 KiB each), tuned (as recommended for " +
				"the mapping), or raftlib (64 elements, doubled while their writers are blocked, as RaftLib does); " +
				"or a file with buffer { e } = n; statements, which override those of the X files"},
		{name: "max-buffer-memory", kind: kindText, word: "SIZE", group: groupRun, check: bufferMemory,
			in: in, to: &s.deploy.maxBuffers,
			help: "memory that all buffers may take: where every kernel waits, and one for space, the smallest full " +
				"buffer grows; 0: none grows (default: 1GiB, or what they take at the start, if that is more)"},
		{name: "write-map", kind: kindFile, group: groupOutput,
			in: in, to: &s.deploy.writeMap,
			help: "write the mapping to this file (X), with the sizes that were given to its buffers, and those " +
				"that buffers have grown to"},
	}
}

// bufferMemory checks --max-buffer-memory, of which 0 has a meaning.
func bufferMemory(now any) error {
	if text := now.(string); text != "" && text != "0" {
		if bytes, err := units.ParseSize(text); err != nil || bytes > maxBufferMemory {
			return wants("a size such as 64MiB, at most 1TiB, or 0")
		}
	}
	return nil
}
