package lint

// Floor is a floor of the house: its packages may import those of the floors below, and nothing
// of their own floor or above.
type Floor struct {
	Name     string
	Packages []string // folders, from the top of the repository
}

// Floors are all floors, the lowest first. Data moves up: from X files and profiles to what they
// mean, to the best mapping, to programs that run, to results and what is shown of them.
func Floors() []Floor {
	return []Floor{
		{"files, text and quantities", []string{
			"internal/campaign/slurm", "internal/cluster", "internal/infile", "internal/jsonfile", "internal/release",
			"internal/milp", "internal/safetext",
			"internal/scratch", "internal/units"}},
		{"files that are kept or written; what starts workers", []string{
			"internal/cache", "internal/campaign", "internal/campaign/hosts", "internal/output"}},
		{"what was measured of times", []string{
			"calibrate/goodtime", "internal/trace", "queueing/times"}},
		{"what things are: networks, queues, memory, hardware, drawings", []string{
			"bench/sdf3", "bench/tgff", "configs", "flow", "hdl", "internal/deploy/abi", "internal/deploy/wire",
			"internal/topology", "internal/view/graph", "queueing", "queueing/maxplus", "queueing/sdf"}},
		{"languages, the profile, what is compiled with a program", []string{
			"bench/apps", "calibrate/profile", "internal/bigapp", "internal/deploy", "internal/xlang", "queueing/sim"}},
		{"how large buffers must be; what no mapping exceeds; expressions of signals", []string{
			"internal/signals", "mapper/buffers", "mapper/copies", "mapper/cutbound"}},
		{"what the files mean; the search; tools for hardware", []string{
			"bench/randomapp", "bench/taskgraph", "internal/deploy/federate", "internal/design", "internal/result",
			"internal/rtl",
			"internal/timetrial", "internal/xeval", "mapper"}},
		{"programs are made; what is predicted of them", []string{
			"bench/search", "internal/deploy/build", "internal/exchange", "internal/predict",
			"internal/replicate", "internal/testkit"}},
		{"programs run, on cores or in virtual time", []string{
			"calibrate/elsewhere", "internal/deploy/run", "internal/xsim"}},
		{"runs are measured and compared with predictions", []string{
			"calibrate/fresh", "internal/board", "internal/measure", "internal/stateless", "internal/testkit/apptest",
			"internal/validate"}},
		{"kernels, links and sharing are measured", []string{
			"calibrate"}},
		{"results and experiments", []string{
			"bench/micro", "bench/networks", "bench/paper", "bench/pharos", "bench/unseen", "internal/record"}},
		{"what is shown of a result", []string{
			"internal/timeline", "internal/view"}},
		{"how it is shown", []string{
			"internal/compare", "internal/view/markdown", "internal/view/page", "internal/view/plots",
			"internal/view/text"}},
		{"the commands", []string{
			"cmd/xopt", "internal/cluster/up"}},
		{"the rules", []string{
			"internal/lint"}},
	}
}

// Apart is a package that must not import another, although the floors would allow it.
type Apart struct{ Package, Import, Why string }

// Exceptions to what the floors allow.
func apart() []Apart {
	return []Apart{
		{"flow", "internal/units", "the model is in SI units; who reads and prints converts"},
		{"internal/validate", "mapper", "it knows nothing of how the mappings were found"},
		{"internal/xlang", "flow", "what the words of X mean for the model is in internal/design"},
		{"calibrate", "mapper", "it measures whatever mapping it is given"},
		{"internal/measure", "mapper", "it measures whatever mapping it is given"},
	}
}

// forTests are packages that only tests import.
func forTests() []string {
	return []string{"internal/bigapp", "internal/lint", "internal/testkit", "internal/testkit/apptest", "queueing/sim"}
}
