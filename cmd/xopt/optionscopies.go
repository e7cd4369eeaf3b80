package main

// What --copies says.
const (
	copiesAuto = "auto"
	copiesNone = "none"
)

// searchCopiesOptions say whether a search runs kernels in copies.
func (s *settings) searchCopiesOptions() []option {
	return []option{
		{name: "copies", kind: kindText, word: "WHICH", values: []string{copiesAuto, copiesNone}, usual: copiesAuto,
			group: groupSearch,
			in:    []string{"search", "sweep"}, to: &s.Copies,
			help: "auto also tries copies of kernels whose blocks are stateless, behind the search for the best " +
				"mapping without; none does not"},
	}
}

// copiesOptions are those of kernels that run in several copies.
func (s *settings) copiesOptions(in []string) []option {
	return []option{
		{name: "unordered", kind: kindSwitch, group: groupRun,
			in: in, to: &s.deploy.unordered,
			help: "let kernels take what copies of a kernel send as it comes, not in the order in which one would " +
				"have sent it"},
		{name: "check-stateless", kind: kindSwitch, group: groupRun,
			in: in, to: &s.deploy.checkStateless,
			help: "run two copies of each kernel that is declared stateless beside a run with one, compare what they " +
				"send, and name the first difference"},
	}
}
