package board

import (
	"fmt"
	"path/filepath"

	"xopt/deploy/faults"
	"xopt/deploy/xsim"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/files/infile"
	"xopt/mapper/result"
)

// Traced is a statement that traces a signal.
type Traced struct {
	Entries int          `json:"entries,omitempty"` // requested number of entries; 0 for the maximum
	Query   result.Query `json:"query"`             // the statement, without results
}

// NewTraced returns the statement of an answered query, without its results.
func NewTraced(q result.Query, entries int) Traced {
	q.Total, q.Frames, q.Box, q.Trace, q.Lost = result.QueryValue{}, nil, nil, nil, 0
	return Traced{entries, q}
}

// Trace is a ring in the hardware that records a signal (rtl.Trace), with the statements that it answers.
type Trace struct {
	Width    int      `json:"width"` // bits of the value
	Signed   bool     `json:"signed,omitempty"`
	TimeBits int      `json:"timeBits"`
	Max      int      `json:"most"` // maximum number of waiting records
	Traced   []Traced `json:"traced"`
}

// tracesOf returns the traces of a design.
func tracesOf(h *xsim.Hardware, traced []Traced) (list []Trace) {
	for i := range h.Partition.Traces {
		t := &h.Partition.Traces[i]
		x := Trace{Width: t.Width, Signed: t.Signed, TimeBits: t.TimeBits(), Max: recordCapacity(t)}
		for _, s := range traced {
			if s.Query.Target == h.Federate.Traces[i] {
				x.Traced = append(x.Traced, s)
			}
		}
		list = append(list, x)
	}
	return list
}

// recordCapacity returns the maximum number of waiting records of a trace: the records in its ring and in the queue
// before the register.
func recordCapacity(t *rtl.Trace) int { return 1<<t.LogDepth + 1 + 1<<queueDepth + 1 }

// traceText is a Trace in the templates of shells and of the host.
type traceText struct {
	Name                         string
	Width, High, Beats, Max      int
	Word, LevelWord, DroppedWord int // addresses of its registers
}

// traces adds the traces of a partition. Their registers follow the registers of the streams.
func (t *projectText) traces(p *rtl.Partition) {
	for i := range p.Traces {
		x, word := &p.Traces[i], hdl.StreamsWord+4*(len(t.Streams)+i)
		t.Traces = append(t.Traces, traceText{Name: fmt.Sprintf("trace%d", i), Width: x.RecordBits(),
			High: x.RecordBits() - 1, Beats: (x.RecordBits() + 31) / 32, Max: recordCapacity(x), Word: word,
			LevelWord: word + 1, DroppedWord: word + 2})
	}
	if len(t.Traces) > 0 {
		t.HoldWord = t.Traces[0].DroppedWord
	}
}

// check returns an error if the sizes of the trace are invalid.
func (t *Trace) check() error {
	const maxWidth, maxTime, maxTraceRecords = 64, 32, 1 << 20
	if t.Width < 1 || t.Width > maxWidth || t.TimeBits < 2 || t.TimeBits > maxTime || t.Max < 0 ||
		t.Max > maxTraceRecords {
		return faults.DamagedBoardRecord.Errorf("the trace has invalid sizes: values of %d bits, times of %d bits, "+
			"%d records", t.Width, t.TimeBits, t.Max)
	}
	return nil
}

// words returns the size of a record in 32-bit words.
func (t *Trace) words() int { return (2 + t.TimeBits + t.Width + 31) / 32 }

// traced contains the host's counts for a trace.
type traced struct{ records, dropped uint64 }

// traces reads the trace rings from the host's output, and returns the answers to their statements.
func (r *reader) traces(folder string) (list []result.Query, err error) {
	for i := range r.about.Traces {
		t := &r.about.Traces[i]
		counts, ok := r.summary.traces[i]
		if !ok {
			return nil, faults.NoSummary.Errorf("the summary in %s has no trace %d: run the host program again",
				folder, i)
		}
		name := filepath.Join(folder, fmt.Sprintf("trace%d", i))
		data, err := infile.Read(name, maxRecords)
		if err != nil {
			return nil, fmt.Errorf("reading a trace of a board: %w", err)
		}
		if counts.records > uint64(t.Max) || uint64(len(data)) != 4*uint64(t.words())*counts.records {
			return nil, faults.DamagedBoardRecord.Errorf("%s has %d bytes, but the summary lists %d records of %d "+
				"bytes: the host program did not end normally (run it again)", name, len(data), counts.records,
				4*t.words())
		}
		entries, missing := t.entries(wordsOf(data), r.summary.clock)
		if missing {
			r.m.Notes = append(r.m.Notes, faults.ChangesMissing.Notef("%s: some changes are missing, because the "+
				"hardware ring was full", name))
		}
		for _, s := range t.Traced {
			q := s.Query
			q.Trace, q.Lost = entries, counts.dropped
			if s.Entries > 0 && len(entries) >= s.Entries { // the limit is reached
				q.Trace, q.Lost = entries[:s.Entries], 0
			}
			if q.Lost > 0 {
				r.m.Notes = append(r.m.Notes, faults.ChangesDropped.Notef("%s: the ring in the hardware stored the "+
					"first %d changes and dropped %d (request more entries with trace(entries=…))", q.Name,
					len(q.Trace), q.Lost))
			}
			list = append(list, q)
		}
	}
	return list, nil
}

// entries returns the changes in records (hdl/tap/xopt_trace.v), with times for a clock in Hz. A record that only
// extends the time is not a change. missing reports that changes were dropped because the ring was full.
func (t *Trace) entries(words []uint32, clock float64) (list []result.Logged, missing bool) {
	cycle, counted, last := uint64(0), false, uint64(0)
	for n := t.words(); len(words) >= n; words = words[n:] {
		value := bitsOf(words, 0, t.Width)
		cycle += bitsOf(words, t.Width, t.TimeBits)
		counts := bitsOf(words, t.Width+t.TimeBits, 1) == 1
		missing = missing || bitsOf(words, t.Width+t.TimeBits+1, 1) == 1
		if counts == counted && (!counts || value == last) {
			continue
		}
		x := result.Logged{Index: cycle, Time: float64(cycle) / clock, Stops: !counts}
		if counts {
			x.Value = t.number(value)
		}
		list, counted, last = append(list, x), counts, value
	}
	return list, missing
}

// number returns the number that the bits of a value represent.
func (t *Trace) number(value uint64) float64 {
	if !t.Signed {
		return float64(value)
	}
	shift := 64 - t.Width
	return float64(int64(value<<shift) >> shift)
}

// bitsOf returns n bits of 32-bit words from bit position at. Bit 0 is the lowest bit of the first word.
func bitsOf(words []uint32, at, n int) (value uint64) {
	for i := range n {
		bit := at + i
		value |= uint64(words[bit/32]>>(bit%32)&1) << i
	}
	return value
}
