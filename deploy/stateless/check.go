// Package stateless checks the stateless statements of blocks: a stateless kernel must have the same output with
// two copies as with one copy.
//
// It builds and runs a program with a mapping twice, first with one copy of each kernel and then with two copies. It
// compares the output of every stateless kernel, element by element. Batches are as short as firings permit, so that
// the copies alternate as often as possible. The result is valid only for the data of the run: equal outputs are no
// proof for other data.
package stateless

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/files/scratch"
	"xopt/internal/units"
)

// recordBytes is the maximum number of bytes to store and compare for each stream.
const recordBytes = 16 << 20

// Options configure the check.
type Options struct {
	Build program.Options // options of the build, without taps
	Run   run.Options
	// Lower converts a program to a design for a run.
	Lower func(p *xlang.Program) (*design.Design, error)
}

// Verdict is the result for one output of a kernel.
type Verdict struct {
	Kernel, Block, Port string
	Elements            int // number of compared elements
	ElementBytes        int
	// Difference describes the first difference between the two runs; "" if there is none.
	Difference string
	// Unknown is the reason why there is no result; "" if there is one.
	Unknown string
}

// String describes a verdict on one line.
func (v *Verdict) String() string {
	at := v.Kernel + "." + v.Port
	switch {
	case v.Difference != "":
		return fmt.Sprintf("%s: the output differs between one and two copies: %s. If the firings "+
			"depend on each other, block %s is not stateless", at, v.Difference, v.Block)
	case v.Unknown != "":
		return fmt.Sprintf("%s: undetermined: %s", at, v.Unknown)
	case v.Elements == 0:
		return at + ": undetermined: the kernel sent nothing"
	case v.Elements == 1:
		return at + ": 1 element is the same with two copies as with one copy"
	}
	return fmt.Sprintf("%s: %s are the same with two copies as with one copy", at, units.Elements(uint64(v.Elements)))
}

// Findings returns notes about the verdicts and about unchecked kernels, and an error if a kernel is not stateless.
func Findings(verdicts []Verdict, skipped []string) (notes []string, err error) {
	for _, text := range skipped {
		notes = append(notes, faults.NotChecked.Textf("note: xopt did not check %s", text))
	}
	if len(verdicts) == 0 && len(skipped) == 0 {
		notes = append(notes, faults.NoStateless.Textf("note: no block is declared stateless, so there is nothing "+
			"to check"))
	}
	isFew := func(v Verdict) bool { return v.Difference == "" && v.Unknown == "" && v.Elements == 1 }
	if slices.ContainsFunc(verdicts, isFew) {
		notes = append(notes, faults.OneElement.Textf("note: one element is too few, because state can affect only "+
			"the second and later firings (use more --elements)"))
	}
	if slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Difference != "" }) {
		err = faults.NotStateless.Errorf("two copies of a kernel declared stateless send other output than one copy " +
			"(remove stateless, or correct the kernel)")
	}
	return notes, err
}

// Check runs a program twice: with one copy of each kernel, and with two copies of each kernel declared stateless. The
// mapping must place every kernel; its copies are ignored. The verdicts are in the order of the kernels and their
// outputs. skipped lists the untested stateless kernels with the reasons.
func Check(ctx context.Context, p *xlang.Program, o Options) (verdicts []Verdict, skipped []string, err error) {
	one := *p
	one.Maps = slices.Clone(p.Maps)
	for i := range one.Maps {
		one.Maps[i].Copies = nil
	}
	kernels, second, skipped := candidates(&one)
	if len(kernels) == 0 {
		return nil, skipped, nil
	}
	dir, err := scratch.Dir("", scratch.Deploy)
	if err != nil {
		return nil, nil, fmt.Errorf("creating a folder for relays: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	with, relays, err := withRelays(&one, kernels, dir)
	if err != nil {
		return nil, nil, err
	}
	streams := streamsOf(with, kernels, relays)
	alone, err := record(ctx, with, streams, o)
	if err != nil {
		return nil, nil, fmt.Errorf("running one copy of each kernel: %w", err)
	}
	two, err := copied(with, kernels, second)
	if err != nil {
		return nil, nil, err
	}
	beside, err := record(ctx, two, streams, o)
	if err != nil {
		return nil, nil, fmt.Errorf("running two copies of stateless kernels: %w", err)
	}
	return compare(with, relays, streams, alone, beside), skipped, nil
}

// candidates returns the stateless kernels that can run as two copies, with the core for the second copy of each.
func candidates(p *xlang.Program) (kernels, second []int, skipped []string) {
	for k := range p.Kernels {
		kernel := &p.Kernels[k]
		at := placeOf(p, k)
		if kernel.Stateless == nil || at < 0 {
			continue
		}
		if !design.IsCore(p, at) {
			skipped = append(skipped, kernel.Name+": it is not on a core")
			continue
		}
		other := -1
		for r := range p.Resources {
			if r != at && design.IsCore(p, r) && p.Implementation(kernel.Block, p.Ancestors(p.Resources[r].Platform)) ==
				p.Implementation(kernel.Block, p.Ancestors(p.Resources[at].Platform)) {
				other = r
				break
			}
		}
		if other < 0 {
			skipped = append(skipped, kernel.Name+": no other core runs the same source")
			continue
		}
		q := *p
		q.Maps = []xlang.Map{{Kernel: k, Edge: -1, Copies: []xlang.Copy{{Resource: at, Turns: 1},
			{Resource: other, Turns: 1}}, Unit: 1}}
		var why xlang.Diagnostics
		if _, err := q.Replicate(); errors.As(err, &why) {
			skipped = append(skipped, kernel.Name+": "+why[0].Message)
			continue
		}
		kernels, second = append(kernels, k), append(second, other)
	}
	return kernels, second, skipped
}

// copied returns the program with two copies of the given kernels and the shortest batches.
func copied(p *xlang.Program, kernels, second []int) (*xlang.Program, error) {
	q := *p
	q.Maps = slices.Clone(p.Maps)
	for i := range q.Maps {
		m := &q.Maps[i]
		if at := slices.Index(kernels, m.Kernel); m.Kernel >= 0 && at >= 0 {
			m.Copies = []xlang.Copy{{Resource: m.Resource, Turns: 1}, {Resource: second[at], Turns: 1}}
			m.Unit = at + 1
		}
	}
	two, err := q.Replicate()
	if err != nil {
		return nil, fmt.Errorf("copying stateless kernels: %w", err)
	}
	for e := range two.Edges {
		if x := two.Kernels[two.Edges[e].From].Replica; x != nil {
			two.Edges[e].Batch = two.Edges[e].Batch / x.Batch * x.MinBatch
		}
	}
	for k := range two.Kernels {
		if x := two.Kernels[k].Replica; x != nil {
			x.Batch = x.MinBatch
		}
	}
	return two, nil
}

// streamsOf returns the sorted indices of the edges to record: the inputs of the kernels and the outputs of relays.
func streamsOf(p *xlang.Program, kernels []int, relays []relay) []int {
	var edges []int
	once := p.SentOnce()
	for e := range p.Edges {
		edge := &p.Edges[e]
		if slices.Contains(kernels, edge.To) && !once[edge.To][edge.ToPort] {
			edges = append(edges, e)
		}
	}
	for _, r := range relays {
		edges = append(edges, r.out)
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// stream is the recorded data of an edge.
type stream struct {
	data     []byte
	complete bool // data contains everything that was sent
}

// record runs a program and returns the data on edges of the program without copies. If several edges replace one
// edge, each of them carries the complete stream, and the first of them is recorded.
func record(ctx context.Context, p *xlang.Program, edges []int, o Options) (map[int]stream, error) {
	d, err := o.Lower(p)
	if err != nil {
		return nil, err
	}
	at := make(map[int]int) // for each edge, the first edge that replaces it
	for e := range d.Program.Edges {
		origin := e
		if x := d.Program.Edges[e].Origin; x > 0 {
			origin = x - 1
		}
		if _, ok := at[origin]; !ok {
			at[origin] = e
		}
	}
	options := o.Build
	options.InTurn = true // each copy must process a part
	for _, e := range edges {
		size := int(d.Problem.Application.Edges[at[e]].ElementBytes)
		options.Taps = append(options.Taps, program.Tap{Kind: program.Record, Edge: at[e],
			Bytes: max(recordBytes/size, 1) * size})
	}
	prog, err := program.New(ctx, d, options, "")
	if err != nil {
		return nil, err
	}
	m, err := run.Once(ctx, prog, o.Run)
	if err = errors.Join(err, prog.Remove()); err != nil {
		return nil, err
	}
	if m.Failure != nil && m.Failure.Kind != "stopped" {
		return nil, m.Failure
	}
	out := make(map[int]stream)
	for i, e := range edges {
		data := m.Taps[len(o.Build.Taps)+i].Recorded
		out[e] = stream{data, m.Failure == nil && len(data) < options.Taps[len(o.Build.Taps)+i].Bytes}
	}
	return out, nil
}

// compare compares each output of the two runs.
func compare(p *xlang.Program, relays []relay, edges []int, one, two map[int]stream) []Verdict {
	var verdicts []Verdict
	for _, r := range relays {
		kernel := &p.Kernels[r.kernel]
		port := kernel.Outputs[r.port]
		v := Verdict{Kernel: kernel.Name, Block: kernel.Block, Port: port.Name, ElementBytes: int(port.ElementBytes)}
		for _, e := range edges {
			if p.Edges[e].To != r.kernel || v.Unknown != "" {
				continue
			}
			from := &p.Kernels[p.Edges[e].From]
			if d := differ(one[e], two[e], int(from.Outputs[p.Edges[e].FromPort].ElementBytes)); d != "" {
				v.Unknown = fmt.Sprintf("its input from %s already differs between the two runs: %s",
					p.Edges[e].Name, d)
			}
		}
		if v.Unknown == "" {
			v.Elements = min(len(one[r.out].data), len(two[r.out].data)) / v.ElementBytes
			v.Difference = differ(one[r.out], two[r.out], v.ElementBytes)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// shownBytes is the maximum number of element bytes in a message.
const shownBytes = 16

// differ describes the first difference between two recorded streams; "" if there is none.
func differ(one, two stream, size int) string {
	n := min(len(one.data), len(two.data)) / size
	for i := range n {
		a, b := one.data[i*size:(i+1)*size], two.data[i*size:(i+1)*size]
		if bytes.Equal(a, b) {
			continue
		}
		from := 0
		for a[from] == b[from] {
			from++
		}
		to := min(from+shownBytes, size)
		return fmt.Sprintf("element %d, from byte %d: %x with one copy, %x with two copies", i+1, from+1,
			a[from:to], b[from:to])
	}
	if one.complete && two.complete && len(one.data) != len(two.data) {
		return fmt.Sprintf("one copy sent %d elements, two copies sent %d elements", len(one.data)/size,
			len(two.data)/size)
	}
	return ""
}
