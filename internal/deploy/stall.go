package deploy

import (
	"fmt"
	"strings"
	"time"

	"xopt/flow"
)

// stalled tells a kernel that does not return, because its calls are still those
// that were counted before, from one that has what it needs and does nothing, and both from
// kernels that wait for each other.
func (r *run) stalled(stall time.Duration, calls []uint64) *Failure {
	var hung []string
	who := ""
	for i := range r.processes {
		if k := r.kernelIn(i); k >= 0 && r.calls(k) == calls[k] {
			who = r.program.Kernels[k].Name
			hung = append(hung, fmt.Sprintf("%s has not returned, after %s", r.kernelText(k), r.lastProgress(k)))
		}
	}
	if len(hung) > 0 {
		return &Failure{"hang", who, fmt.Sprintf("nothing has moved for %v: %s (a kernel that needs longer for one "+
			"element: --stall)", stall, strings.Join(hung, "; "))}
	}
	var blamed, waits []string
	for k := range r.program.Kernels {
		idle, text := r.standing(k)
		switch {
		case text == "":
		case !idle:
			waits = append(waits, text)
		default:
			if who == "" {
				who = r.program.Kernels[k].Name
			}
			blamed = append(blamed, text)
		}
	}
	text := fmt.Sprintf("nothing has moved for %v, and every kernel waits: %s; %s", stall, listed(waits, "; "),
		r.fullAndEmpty())
	if len(blamed) > 0 {
		text = fmt.Sprintf("nothing has moved for %v: %s; %s", stall, listed(blamed, "; "), r.fullAndEmpty())
	}
	return &Failure{"deadlock", who, text}
}

// mostListed is how many kernels or edges a message names.
const mostListed = 12

// listed joins texts, and counts those for which there is no room.
func listed(texts []string, by string) string {
	if n := len(texts); n > mostListed {
		texts = append(texts[:mostListed:mostListed], fmt.Sprintf("and %d more", n-mostListed))
	}
	return strings.Join(texts, by)
}

// standing tells what a kernel waits for when nothing moves: idle is that it could go on, as
// far as its declaration tells. A kernel that has ended has no text.
func (r *run) standing(k int) (idle bool, text string) {
	if r.load32(r.kernelAt(k)+kernelDone) != 0 {
		return false, ""
	}
	name := r.kernelText(k)
	if r.onFPGA(k) {
		if taken, sent := r.throughputOf(k); taken > 0 && sent == 0 && len(r.out[k]) > 0 {
			return true, fmt.Sprintf("%s on %s has taken %d elements and sent none", name, r.where(k), taken)
		}
	}
	for _, port := range r.out[k] {
		for _, e := range port {
			if r.load64(r.layout.control[e]+ringBlockedSince) != 0 || r.onFPGA(k) &&
				r.held(e) >= uint64(r.capacity[e]) {
				return false, fmt.Sprintf("%s waits for room on %s", name, r.program.Edges[e].Name)
			}
		}
	}
	if r.isSource[k] {
		return true, fmt.Sprintf("%s is called again and again, has room, and sends nothing, after %s", name,
			r.lastProgress(k))
	}
	needs := r.needs(k)
	var has, lacks []string
	starved := 0
	for i, port := range r.in[k] {
		held, most, edges := uint64(0), uint64(0), ""
		for j, e := range port {
			held, most = held+r.held(e), most+uint64(r.capacity[e])
			if j == 0 {
				edges = r.program.Edges[e].Name
			}
		}
		input := r.program.Kernels[k].Inputs[i].Name
		switch {
		case needs[i] > most:
			return true, fmt.Sprintf("%s needs %d of %s; %s holds %d", name, needs[i], input, edges, most)
		case held < needs[i] || held == 0:
			starved++
			lacks = append(lacks, fmt.Sprintf("%s (%s holds %d)", input, edges, held))
		default:
			has = append(has, fmt.Sprintf("%d of %s (%s)", held, input, edges))
		}
	}
	switch joined := len(r.program.Kernels[k].Joins) > 0; {
	case len(has) == 0 || joined && starved > 0:
		return false, fmt.Sprintf("%s waits for %s", name, strings.Join(lacks, ", "))
	case starved > 0:
		return false, fmt.Sprintf("%s has %s and none of %s, and takes nothing", name, strings.Join(has, ", "),
			strings.Join(lacks, ", "))
	}
	return true, fmt.Sprintf("%s has %s and room to send, and does nothing: it may need more at once than a buffer "+
		"holds (buffer { … } = …;)", name, strings.Join(has, ", "))
}

// needs are the elements of each input that a kernel takes together, as it is declared.
func (p *plan) needs(k int) []uint64 {
	n := make([]uint64, len(p.program.Kernels[k].Inputs))
	for i := range n {
		n[i] = 1
	}
	for _, j := range p.program.Kernels[k].Joins {
		for i, port := range j.Ports {
			n[port] = max(n[port], uint64(j.Counts[i]))
		}
	}
	return n
}

// held is how many elements an edge holds.
func (r *run) held(e int) uint64 {
	taken := r.taken(e)
	return since(r.sent(e), taken)
}

// throughputOf counts the elements that a kernel has taken and sent.
func (r *run) throughputOf(k int) (taken, sent uint64) {
	for _, port := range r.in[k] {
		for _, e := range port {
			taken += r.taken(e)
		}
	}
	for _, port := range r.out[k] {
		for _, e := range port {
			sent += r.sent(e)
		}
	}
	return taken, sent
}

// noteSilent notes the kernels that have taken elements and have sent none.
func (r *run) noteSilent() {
	for k := range r.program.Kernels {
		if taken, sent := r.throughputOf(k); taken > 0 && sent == 0 && len(r.out[k]) > 0 {
			where := ""
			if r.onFPGA(k) {
				where = " on " + r.where(k)
			}
			r.notes = append(r.notes, fmt.Sprintf("%s%s has taken %d elements and sent none", r.kernelText(k), where,
				taken))
		}
	}
}

// fullAndEmpty lists what the edges hold in a deadlock.
func (r *run) fullAndEmpty() string {
	var parts []string
	for e := range r.program.Edges {
		held := r.held(e)
		state := fmt.Sprintf("holds %d of %d elements", held, r.capacity[e])
		switch held {
		case 0:
			state = "is empty"
		case uint64(r.capacity[e]):
			state = fmt.Sprintf("is full with %d elements", held)
		}
		parts = append(parts, r.program.Edges[e].Name+" "+state)
	}
	return listed(parts, ", ")
}

// tooSmall is wrong input: a buffer in which a kernel never finds what it takes together.
type tooSmall struct{ text string }

func (e *tooSmall) Error() string { return e.text }

// Is makes it wrong input for whoever asks.
func (e *tooSmall) Is(target error) bool { return target == flow.ErrInvalid }
