package hdl

// Register is a 32-bit word that a host uses to control an FPGA (board/xopt_control.v).
type Register struct {
	Name    string
	Word    int // address in words
	Meaning string
}

// BoardMagic is the value of the first register: "XOPB", lowest byte first.
const BoardMagic uint32 = 0x42504f58

// StreamsWord is the word address of the first stream register. The data of stream i are at StreamsWord + 4 i. The word
// after the data is the number of words that the stream can accept or has available.
const StreamsWord = 256

// Registers returns the control registers in the order of their addresses. xopt generates the constants of
// xopt_control.v and the host's header from this list.
func Registers() []Register {
	return []Register{
		{"MAGIC", 0, "constant MAGIC"},
		{"ID", 1, "identifier of the design"},
		{"CONTROL", 2, "bit 0: 1 runs the kernels, 0 keeps them in reset"},
		{"STATUS", 3, "bit 0: the kernels run"},
		{"CYCLE_LOW", 4, "cycle count of the run, lower half"},
		{"CYCLE_HIGH", 5, "its upper half, sampled when the lower half is read"},
		{"FRAME", 6, "length of a frame of the taps, in cycles"},
		{"COMMAND", 7, "a command for the agent of the taps"},
		{"RECORDS", 8, "number of record words that can be read"},
		{"RECORD", 9, "the next record word"},
		{"DRAIN", 16, "requests to send the remaining data: one bit per kernel, 32 per word"},
		{"QUIET", 32, "one bit for each kernel: its streams have been idle for some time"},
	}
}

// registersText is the input of the register templates.
type registersText struct {
	Magic     uint32
	Streams   int
	Registers []Register
	Commands  []Command
}

// RegistersC returns a C header of the registers.
func RegistersC() (string, error) {
	return fill("registers.h.tmpl", registersText{BoardMagic, StreamsWord, Registers(), AgentRecord().Commands})
}
