package hdl

import (
	"fmt"
	"strings"
	"text/template"
)

// Register is a word of 32 bits by which a host talks with an FPGA (board/xopt_control.v).
type Register struct {
	Name    string
	Word    int // its address, in words
	Meaning string
}

// BoardMagic is what the first register reads as: "XOPB", the lowest byte first.
const BoardMagic uint32 = 0x42504f58

// StreamsWord is where the registers of streams begin, in words: of stream i, its data at StreamsWord + 4 i, and the
// word behind it how many words of the stream there is room for, or are there.
const StreamsWord = 256

// Registers are those of the control, in their order. It is the one source of them: xopt_control.v and the host's
// header are made from it.
func Registers() []Register {
	return []Register{
		{"MAGIC", 0, "reads as MAGIC"},
		{"ID", 1, "what this design is"},
		{"CONTROL", 2, "bit 0: the kernels are to run, else they are held in reset"},
		{"STATUS", 3, "bit 0: they run"},
		{"CYCLE_LOW", 4, "cycles that they have run, lower half"},
		{"CYCLE_HIGH", 5, "upper half, as it was when the lower was read"},
		{"FRAME", 6, "cycles of a frame of the taps"},
		{"COMMAND", 7, "a command for the agent of the taps"},
		{"RECORDS", 8, "words of records that can be read"},
		{"RECORD", 9, "the next of them"},
		{"DRAIN", 16, "a bit for each kernel, 32 in a word: it is to send what it holds"},
		{"QUIET", 32, "a bit for each kernel: no word has been at its streams for some time"},
	}
}

// registersText is what the templates of the registers are filled with.
type registersText struct {
	Magic     uint32
	Streams   int
	Registers []Register
	Commands  []Command
}

// RegistersC is their header in C.
func RegistersC() (string, error) { return fillRegisters("registers.h.tmpl") }

func fillRegisters(name string) (string, error) {
	text := registersText{BoardMagic, StreamsWord, Registers(), AgentRecord().Commands}
	t, err := template.ParseFS(templates, name)
	if err != nil {
		return "", fmt.Errorf("reading the template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, text); err != nil {
		return "", fmt.Errorf("writing the registers: %w", err)
	}
	return b.String(), nil
}
