package hdl

import (
	"embed"
	"fmt"
	"slices"

	"xopt/internal/files/generated"
)

// RecordLayout is the format of the agent's records and commands (xopt_agent). It is the only definition of both. Parse
// uses it directly. xopt generates the C++ header of the simulation (CHeader) and the Verilog constants of the agent
// (Verilog) from it.
//
// A record consists of 32-bit words: Magic, the words of Header, the figures of the taps, the bins of the histograms,
// and a checksum.
type RecordLayout struct {
	Magic  uint32
	Header []Word // words after Magic, in their order
	// CheckTurn is the number of bits, from 1 to 31, by which the checksum rotates to the left before each word.
	CheckTurn int
	Commands  []Command
}

// Word is one word of a record's header.
type Word struct{ Name, Meaning string }

// Command is an operation of the agent. The highest eight bits of a command word are the operation, and the lower 24
// bits are the value.
type Command struct {
	Name      string
	Operation uint8
	Meaning   string
}

// Names of the header words and of the commands.
const (
	Number    = "NUMBER"
	Lost      = "LOST"
	Sizes     = "SIZES"
	CycleLow  = "CYCLE_LOW"
	CycleHigh = "CYCLE_HIGH"

	Restart    = "RESTART"
	Enable     = "ENABLE"
	LengthLow  = "LENGTH_LOW"
	LengthHigh = "LENGTH_HIGH"
	EndFrame   = "END_FRAME"
)

// AgentRecord returns the layout of the current agent.
func AgentRecord() RecordLayout {
	return RecordLayout{
		Magic: 0x54504f58, // "XOPT", the lowest byte first
		Header: []Word{
			{Number, "number of the frame, from 0"},
			{Lost, "records lost before this one"},
			{Sizes, "number of words with figures (lower half) and with bins (upper half)"},
			{CycleLow, "number of the last cycle of the frame, from 0, lower half"},
			{CycleHigh, "number of the last cycle of the frame, upper half"},
		},
		CheckTurn: 1,
		Commands: []Command{
			{Restart, 1, "reset all counts"},
			{Enable, 2, "bit 0: count; bit 1: frame lengths are in elements instead of cycles"},
			{LengthLow, 3, "store the lower 24 bits of the frame length"},
			{LengthHigh, 4, "set the frame length: these upper 8 bits and the stored lower 24"},
			{EndFrame, 5, "end the frame now"},
		},
	}
}

// At returns the index of a header word in a record, or -1 for an unknown name.
func (l RecordLayout) At(name string) int {
	i := slices.IndexFunc(l.Header, func(w Word) bool { return w.Name == name })
	if i < 0 {
		return -1
	}
	return 1 + i
}

// FiguresAt returns the index of the first figure in a record.
func (l RecordLayout) FiguresAt() int { return 1 + len(l.Header) }

// Words returns the length of a record with the given numbers of figures and bins.
func (l RecordLayout) Words(figures, bins int) int { return l.FiguresAt() + figures + bins + 1 }

// Check computes the checksum of a record, which is its last word. words contains all earlier words.
func (l RecordLayout) Check(words []uint32) uint32 {
	var check uint32
	for _, w := range words {
		check = (check<<l.CheckTurn | check>>(32-l.CheckTurn)) ^ w
	}
	return check
}

// Command returns the word for a command. For an unknown name it returns 0, which the agent ignores.
func (l RecordLayout) Command(name string, value uint32) uint32 {
	for _, c := range l.Commands {
		if c.Name == name {
			return uint32(c.Operation)<<24 | value&0xffffff
		}
	}
	return 0
}

// Record is the content of the agent's record of one frame.
type Record struct {
	Number, Lost uint32
	Cycle        uint64 // last cycle of the frame, from 0
	Figures      []uint32
	Bins         []uint32
}

// Parse reads a record with the given numbers of figures and bins. It returns an error if the length, the first word or
// the checksum is wrong.
func (l RecordLayout) Parse(words []uint32, figures, bins int) (Record, error) {
	if n := l.Words(figures, bins); len(words) != n {
		return Record{}, fmt.Errorf("a record has %d words, expected %d", len(words), n)
	}
	last := len(words) - 1
	if words[0] != l.Magic {
		return Record{}, fmt.Errorf("the first word of a record is %#x, expected %#x", words[0], l.Magic)
	}
	if check := l.Check(words[:last]); words[last] != check {
		return Record{}, fmt.Errorf("the checksum of a record is %#x, expected %#x", words[last], check)
	}
	if got, want := words[l.At(Sizes)], uint32(bins)<<16|uint32(figures)&0xffff; got != want {
		return Record{}, fmt.Errorf("the header of a record states %d figures and %d bins, expected %d figures and "+
			"%d bins", got&0xffff, got>>16, figures, bins)
	}
	from := l.FiguresAt()
	return Record{Number: words[l.At(Number)], Lost: words[l.At(Lost)],
		Cycle:   uint64(words[l.At(CycleHigh)])<<32 | uint64(words[l.At(CycleLow)]),
		Figures: words[from : from+figures], Bins: words[from+figures : last]}, nil
}

//go:embed record.h.tmpl record.v.tmpl registers.h.tmpl registers.v.tmpl
var templates embed.FS

// recordText is the input of the record templates.
type recordText struct {
	RecordLayout
	CheckRest int // number of bits of the checksum that re-enter at the right
	Kinds     []kindText
	Merges    []string
}

type kindText struct {
	Label   string
	Figures []Figure
}

// CHeader returns the layout and the figures of all taps as a C++ header (record.h).
func (l RecordLayout) CHeader() (string, error) { return l.fill("record.h.tmpl") }

// Verilog returns the layout as the local parameters in xopt_agent.v.
func (l RecordLayout) Verilog() (string, error) { return l.fill("record.v.tmpl") }

func (l RecordLayout) fill(name string) (string, error) {
	text := recordText{RecordLayout: l, CheckRest: 32 - l.CheckTurn}
	for k := ActivityTap; k <= GapTap; k++ {
		text.Kinds = append(text.Kinds, kindText{k.name(), k.Figures()})
	}
	for m := MergeNone; m <= MergeSumHigh; m++ {
		text.Merges = append(text.Merges, m.Name())
	}
	return fill(name, text)
}

func fill(name string, values any) (string, error) {
	return generated.Text(templates, name, nil, values)
}
