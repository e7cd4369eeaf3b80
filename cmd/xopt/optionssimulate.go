package main

import "strings"

// The origins of service times in virtual time.
const (
	fromMeasured = "measured"
	fromProfile  = "profile"
	fromReplay   = "replay:" // and a file
	fromBoard    = "board:"  // and a folder
)

// How edges cross links in virtual time.
const (
	edgesShare = "share"
	edgesAlone = "alone"
)

// fromWhere checks --from of deploy.
func fromWhere(now any) error {
	switch from := now.(string); {
	case from == fromMeasured || from == fromProfile:
	case strings.HasPrefix(from, fromReplay) && len(from) > len(fromReplay):
	case strings.HasPrefix(from, fromBoard) && len(from) > len(fromBoard):
	default:
		return wants("%s, %s, %sFILE, or %sDIR", fromMeasured, fromProfile, fromReplay, fromBoard)
	}
	return nil
}

// simulateOptions are those of runs in virtual time.
func (s *settings) simulateOptions(in []string) []option {
	return []option{
		{name: "simulate", kind: kindSwitch, group: groupRun,
			in: in, to: &s.deploy.simulate,
			help: "run in virtual time, as a mapping with an FPGA does"},
		{name: "from", kind: kindText, word: "ORIGIN", usual: fromMeasured, group: groupRun, check: fromWhere,
			in: in, to: &s.From,
			help: "origin of the service times of kernels on cores in virtual time: measured as they run; drawn from " +
				"the profile; or replay:FILE, those of another run in their order: a trace of deploy --trace, a " +
				"result of deploy --log, or the " +
				"rules (.smx) beside the times that xopt xeval wrote; board:DIR runs nothing, and reads what a board " +
				"has sent to the host of a project that deploy --export wrote"},
		{name: "from", kind: kindText, word: "ORIGIN", values: []string{fromMeasured, fromProfile},
			usual: fromMeasured, group: groupRun,
			in: []string{"validate"}, to: &s.From,
			help: "origin of the service times of kernels on cores in virtual time: measured as they run, or drawn " +
				"from the profile (validate then runs each mapping once)"},
		{name: "edges", kind: kindText, word: "HOW", values: []string{edgesShare, edgesAlone}, usual: edgesShare,
			group: groupRun,
			in:    in, to: &s.deploy.edges,
			help: "how edges cross links in virtual time: share them, one transfer at a time, or alone, each with " +
				"the " +
				"part of the bandwidth that its bytes are of all, as X-Sim has it"},
		{name: "seed", kind: kindCount, usual: "1", group: groupRun,
			in: in, to: &s.Seed,
			help: "seed of the service times that --from profile draws"},
		{name: "monitor-area", kind: kindText, word: "PERCENT", group: groupRun, check: percentage,
			in: in, to: &s.deploy.monitorArea,
			help: "put monitors of all state machines and ports of kernels into the hardware of each FPGA, as far as " +
				"they fit into this part of it, such as 5% (default: none, as the simulation sees the same)"},
		{name: "monitors", kind: kindText, word: "LIST", group: groupRun,
			in: in, to: &s.deploy.monitors,
			help: "kernels, or KERNEL:REGISTER, separated by commas, whose monitors --monitor-area puts in before " +
				"others; -KERNEL or -KERNEL:REGISTER gets none (default: all as they come)"},
		{name: "quantum", kind: kindCount, usual: "0", group: groupRun,
			in: in, to: &s.deploy.quantum,
			help: "number of cycles between exchanges of data of an FPGA with the cores; 0 for 64"},
	}
}
