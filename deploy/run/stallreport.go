package run

import (
	"fmt"
	"strings"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/internal/units"
)

// stalled returns the failure of a run without progress. It distinguishes three cases:
//
//   - a kernel that does not return, whose number of calls is unchanged;
//   - a kernel that has its input but does nothing;
//   - kernels that wait for each other.
func (r *run) stalled(stall time.Duration, calls []uint64) *Failure {
	var hung []string
	who := ""
	for i := range r.prog.Processes {
		if k := r.kernelIn(i); k >= 0 && r.calls(k) == calls[k] {
			who = r.prog.Kernels[k].Name
			hung = append(hung, fmt.Sprintf("%s has not returned, after %s", r.sourceText(k), r.lastProgress(k)))
		}
	}
	if len(hung) > 0 {
		return &Failure{Kind: "hang", Kernel: who, Text: fmt.Sprintf("no element has moved for %v: %s (if a kernel "+
			"needs longer for one element, raise --stall)", stall, strings.Join(hung, "; ")), State: r.state()}
	}
	var blamed, waits []string
	for k := range r.prog.Kernels {
		idle, text := r.standing(k)
		switch {
		case text == "":
		case !idle:
			waits = append(waits, text)
		default:
			if who == "" {
				who = r.prog.Kernels[k].Name
			}
			blamed = append(blamed, text)
		}
	}
	if len(waits)+len(blamed) == 0 {
		return r.notEnded(stall)
	}
	text := fmt.Sprintf("no element has moved for %v, and every kernel waits: %s; %s", stall, listed(waits, "; "),
		r.fullAndEmpty())
	if len(blamed) > 0 {
		text = fmt.Sprintf("no element has moved for %v: %s; %s", stall, listed(blamed, "; "), r.fullAndEmpty())
	}
	if hint := r.notGrown(); hint != "" {
		text += "; " + hint
	}
	return &Failure{Kind: "deadlock", Kernel: who, Text: text + r.cycles(), State: r.state()}
}

// notEnded returns the failure of a run whose kernels have ended, but not all of their processes. A function that a
// kernel registered with atexit may hang.
func (r *run) notEnded(stall time.Duration) *Failure {
	var names []string
	who := ""
	for i := range r.prog.Processes {
		r.mu.Lock()
		ended := r.running[i] == nil
		r.mu.Unlock()
		if ended {
			continue
		}
		names = append(names, r.processText(i))
		if k := r.owner(i); who == "" && k >= 0 {
			who = r.prog.Kernels[k].Name
		}
	}
	return &Failure{Kind: "hang", Kernel: who, Text: fmt.Sprintf("all kernels have ended, but these processes still "+
		"run after %v (a function registered with atexit may hang): %s", stall, listed(names, "; ")),
		State: r.state()}
}

// starting reports whether Linux is still starting processes. Some processes are then not ready, and no process runs a
// kernel's init function.
func (r *run) starting() bool {
	if r.load32(abi.RunStart) != 0 || r.allReady() {
		return false
	}
	for i := range r.prog.Processes {
		if r.kernelIn(i) >= 0 {
			return false
		}
	}
	return true
}

// notStarted returns the failure of a run whose processes have not started within a time limit.
func (r *run) notStarted(limit time.Duration) *Failure {
	var names []string
	for i := range r.prog.Processes {
		if r.load32(r.processAt(i)+abi.ProcessReady) == 0 {
			names = append(names, r.processText(i))
		}
	}
	return &Failure{Kind: "hang", Text: fmt.Sprintf("these processes have not started within %v: %s. The machine may "+
		"be too busy (raise --stall)", limit, listed(names, "; "))}
}

// notGrown returns the reason why the full buffer for which a kernel waits has not grown; "" for none.
func (r *run) notGrown() string {
	switch {
	case r.prog.Grows || !r.anyRequested():
		return ""
	case len(r.prog.FPGAs) > 0:
		return "buffers do not grow in a run with an FPGA: enlarge them (buffer { … } = …;)"
	}
	return "buffers may not grow (--max-buffer-memory)"
}

// maxListed is the maximum number of kernels or edges in a message.
const maxListed = 12

// listed joins texts, and counts the texts beyond the limit.
func listed(texts []string, by string) string {
	return strings.Join(units.First(texts, maxListed, "and %d more"), by)
}

// standing describes the event for which a kernel waits when no element moves. idle reports that the kernel could
// continue according to its declaration. The text is empty for a kernel that has ended.
func (r *run) standing(k int) (idle bool, text string) {
	if r.load32(r.kernelAt(k)+abi.KernelDone) != 0 {
		return false, ""
	}
	name, blamed := r.kernelText(k), r.sourceText(k)
	if r.prog.Kernels[k].OnFPGA {
		if consumed, sent := r.throughputOf(k); consumed > 0 && sent == 0 && len(r.prog.Kernels[k].Outputs) > 0 {
			return true, fmt.Sprintf("%s on %s has consumed %s but sent no element", blamed, r.prog.Kernels[k].Where,
				units.Elements(consumed))
		}
	}
	for _, port := range r.prog.Kernels[k].Outputs {
		for _, e := range port.Edges {
			if r.load64(r.prog.Edges[e].Control+abi.RingBlockedSince) != 0 || r.prog.Kernels[k].OnFPGA &&
				r.queued(e) >= r.capacity(e) {
				return false, fmt.Sprintf("%s waits for space on %s", name, r.prog.Edges[e].Name)
			}
		}
	}
	if r.prog.Kernels[k].IsSource() {
		return true, fmt.Sprintf("%s is called repeatedly and has space, but sends nothing, after %s", blamed,
			r.lastProgress(k))
	}
	var has, lacks []string
	starved := 0
	for _, port := range r.prog.Kernels[k].Inputs {
		queued, maximum, edges := uint64(0), uint64(0), ""
		for _, e := range port.Edges {
			if r.stuck(e) {
				starved++
				lacks = append(lacks, fmt.Sprintf("%s (the link of %s waits for a full transfer)", port.Name,
					r.prog.Edges[e].Name))
				continue
			}
			queued, maximum = queued+r.queued(e), maximum+r.capacity(e)
			if edges == "" {
				edges = r.prog.Edges[e].Name
			}
		}
		input := port.Name
		switch {
		case edges == "": // reported already
		case port.Needs > maximum:
			return true, fmt.Sprintf("%s needs %s of %s, but the buffer of %s has space for only %s (enlarge the "+
				"buffer)", blamed, units.Elements(port.Needs), input, edges, units.Elements(maximum))
		case queued < port.Needs || queued == 0:
			starved++
			lacks = append(lacks, fmt.Sprintf("%s (%s contains %s)", input, edges, units.Elements(queued)))
		default:
			has = append(has, fmt.Sprintf("%s of %s (%s)", units.Elements(queued), input, edges))
		}
	}
	switch joined := r.prog.Kernels[k].Joined; {
	case len(has) == 0 || joined && starved > 0:
		return false, fmt.Sprintf("%s waits for %s", name, strings.Join(lacks, ", "))
	case starved > 0:
		return false, fmt.Sprintf("%s has %s but too few elements of %s, and consumes nothing", name,
			strings.Join(has, ", "), strings.Join(lacks, ", "))
	}
	return true, fmt.Sprintf("%s has %s and space to send, but does nothing: it may need more elements at once than "+
		"a buffer can contain (buffer { … } = …;)", blamed, strings.Join(has, ", "))
}

// stuck reports whether an edge contains elements, but fewer than its link waits for.
func (r *run) stuck(e int) bool {
	queued := r.queued(e)
	return queued > 0 && queued < uint64(r.prog.Edges[e].Bulk)
}

// queued returns the number of elements on an edge.
func (r *run) queued(e int) uint64 {
	consumed := r.tail(e) // read first, so that the length is never negative
	return since(r.head(e), consumed)
}

// throughputOf returns the numbers of elements that a kernel has consumed and sent.
func (r *run) throughputOf(k int) (consumed, sent uint64) {
	for _, port := range r.prog.Kernels[k].Inputs {
		for _, e := range port.Edges {
			consumed += r.tail(e)
		}
	}
	for _, port := range r.prog.Kernels[k].Outputs {
		for _, e := range port.Edges {
			sent += r.sent(e)
		}
	}
	return consumed, sent
}

// noteSilent adds notes about kernels that have consumed elements and sent none.
func (r *run) noteSilent() {
	for k := range r.prog.Kernels {
		if consumed, sent := r.throughputOf(k); consumed > 0 && sent == 0 && len(r.prog.Kernels[k].Outputs) > 0 {
			where := ""
			if r.prog.Kernels[k].OnFPGA {
				where = " on " + r.prog.Kernels[k].Where
			}
			r.notes = append(r.notes, faults.NothingSent.Notef("%s%s has consumed %s but sent no element",
				r.kernelText(k),
				where, units.Elements(consumed)))
		}
	}
}

// fullAndEmpty states the numbers of elements on the edges in a deadlock.
func (r *run) fullAndEmpty() string {
	var parts []string
	for e := range r.prog.Edges {
		queued := r.queued(e)
		state := fmt.Sprintf("contains %d of %s", queued, units.Elements(r.capacity(e)))
		switch queued {
		case 0:
			state = "is empty"
		case r.capacity(e):
			state = "is full with " + units.Elements(queued)
		}
		if r.stuck(e) {
			state += fmt.Sprintf(", but its link waits for a transfer of %d elements (enlarge the buffer, or set a "+
				"flush time on the link)", r.prog.Edges[e].Bulk)
		}
		parts = append(parts, r.prog.Edges[e].Name+" "+state)
	}
	return listed(parts, ", ")
}
