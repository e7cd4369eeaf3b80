package main

import "xopt/cmd/internal/campaign/hosts"

// hostOptions are those of runs over hosts.
func (s *settings) hostOptions() []option {
	return []option{
		{name: "launch", kind: kindText, word: "COMMAND", group: groupRun, perhaps: notInProject,
			in: []string{"deploy", "validate", "calibrate"}, to: &s.launch,
			help: "how something is started on a host that the architecture names: {host} stands for it, {command} " +
				"for the command, quoted for a shell (default: as it is for localhost, else " + hosts.Usual + ")"},
	}
}
