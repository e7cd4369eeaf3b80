package main

// copiesOptions are those of kernels that run in several copies.
func copiesOptions(in []string) []option {
	return []option{
		{name: "unordered", kind: kindSwitch, group: groupRun,
			in: in,
			to: func(s *settings) any { return &s.deploy.unordered },
			help: "let kernels take what copies of a kernel send as it comes, not in the order in which one would " +
				"have sent it"},
	}
}
