package abi

// Struct is a structure in shared memory. Its members follow one another with nothing between
// them, except where one begins a new line.
type Struct struct {
	Name     string // in C
	Comment  string
	Fields   []Field
	Multiple int  // its size is a multiple of so many bytes; 0 for 8
	Ends     bool // it stands in ends.h, which kernels include, not in layout.h
	// Run is what lies behind it, as many as the run's tables say; nil for nothing.
	Run *Run
}

// Field is a member.
type Field struct {
	Name    string
	Type    string // in C: one of the keys of bytesOf
	Atomic  bool   // others write it while it is read
	Count   int    // of an array; 0 for no array
	Line    int    // it begins a line of so many bytes; 0 for none
	Comment string
}

// Run is an array behind a structure.
type Run struct {
	Name string // of the function that finds it
	Type string // of an element: a structure, or one of the keys of bytesOf
	// Atomic is that others write an element while it is read.
	Atomic bool
}

// Constant is a number that C and Go share.
type Constant struct {
	Name    string
	Value   uint64
	Hex     bool
	Comment string
}

// Enum is names of the numbers from 0 on.
type Enum struct {
	Name, Comment string
	Values        []string // without X_
}

// bytesOf are the sizes of the types of members, which are also their alignments.
func bytesOf(cType string) int {
	return map[string]int{"char": 1, "uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8, "double": 8,
		"uint8_t *": 8, "const uint8_t *": 8}[cType]
}

const (
	cacheLine    = 64
	fetched      = 128 // processors fetch two lines together
	messageBytes = 320
)

// pulses is how many pulses of a virtual run are kept at most: when there are more, each two become one.
const pulses = 240

// Constants returns what is not a structure.
func Constants() []Constant {
	return []Constant{
		{Name: "X_SHARED_FD", Value: 3, Comment: "the shared memory, in every process"},
		{Name: "X_PAGE_BYTES", Value: 4096, Comment: "what is mapped begins and ends at a multiple of it"},
		{Name: "X_END_BYTES", Value: 256, Comment: "of an end of an edge: an x_reader or x_writer, and what is its " +
			"process's own"},
		{Name: "X_MESSAGE_BYTES", Value: messageBytes, Comment: "of the message of a process that fails, with its 0"},
		{Name: "X_EXIT_FAILED", Value: 3, Comment: "how a process ends whose kernel has called X_fail; the message " +
			"says more"},
		{Name: "X_EXIT_OVERRUN", Value: 4, Comment: "how one ends that has written or read where it may not"},
		{Name: "X_FENCE", Value: 0xc3a5e97bd1f08d6b, Hex: true, Comment: "stands behind the last element that a " +
			"writer has room for (overrun.c)"},
		{Name: "X_FACES", Value: 5, Comment: "how many pieces of work the reference has (reference.c)"},
		{Name: "X_FENCE_BYTES", Value: 8, Comment: "of it"},
		{Name: "X_PULSES", Value: pulses, Comment: "at most so many are kept of a virtual run (pulses.c)"},
	}
}

// Enums returns the enumerations.
func Enums() []Enum {
	return []Enum{{Name: "x_op",
		Comment: "A condition is a program in postfix over a stack of numbers; NaN is unknown.",
		Values: []string{"NUMBER", "HELD", "WAITING", "RUNNING", "LATEST", "THIS", "LESS", "LESS_EQUAL", "EQUAL", "NOT",
			"AND", "OR"}}}
}

// Structs returns the structures. Each cache line has one writer, and so has each pair of lines
// that a processor fetches together. Times are in ticks of the clock in clock.h, unless a comment
// says otherwise.
func Structs() []Struct {
	return []Struct{reader(), writer(), runControl(), processControl(), kernelControl(), ringControl(), mark(),
		markQueue(),
		tapSlot(), trace(), tapControl(), federate(), referenceTurn(), reference()}
}

func reader() Struct {
	return Struct{Name: "x_reader", Ends: true,
		Comment: "the reading end of an edge: counts are of elements since the " +
			"start; the data area is mapped twice, back to back, so that elements never wrap",
		Fields: []Field{
			{Name: "at", Type: "const uint8_t *", Comment: "the oldest unreleased element"},
			{Name: "end", Type: "const uint8_t *", Comment: "of the first mapping"},
			{Name: "tail", Type: "uint64_t", Comment: "elements released"},
			{Name: "visible", Type: "uint64_t", Comment: "those that may be seen"},
			{Name: "mark", Type: "uint64_t", Comment: "at which tail x_released is due"},
			{Name: "bytes", Type: "uint64_t", Comment: "of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "of an element"},
		}}
}

func writer() Struct {
	return Struct{Name: "x_writer", Ends: true, Comment: "the writing end",
		Fields: []Field{
			{Name: "at", Type: "uint8_t *", Comment: "where the next element goes"},
			{Name: "end", Type: "uint8_t *", Comment: "of the first mapping"},
			{Name: "head", Type: "uint64_t", Comment: "elements sent"},
			{Name: "limit", Type: "uint64_t", Comment: "how far room is known to reach"},
			{Name: "mark", Type: "uint64_t", Comment: "at which head x_sent is due"},
			{Name: "bytes", Type: "uint64_t", Comment: "of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "of an element"},
			{Name: "fenced", Type: "uint64_t", Comment: "whether a fence stands behind the room that is known " +
				"(overrun.c)"},
		}}
}

func runControl() Struct {
	return Struct{Name: "x_run_control", Comment: "of the run, at the start of shared memory", Multiple: fetched,
		Fields: []Field{
			{Name: "start", Type: "uint32_t", Atomic: true,
				Comment: "set by the supervisor when all processes are ready"},
			{Name: "look", Type: "uint32_t", Atomic: true, Comment: "counts the questions of the supervisor " +
				"whether anything can go on (sched.c)"},
			{Name: "frame", Type: "uint32_t", Atomic: true, Line: cacheLine,
				Comment: "the time frame that taps count into"},
			{Name: "over", Type: "uint32_t", Atomic: true, Comment: "a virtual run has reached its limit"},
			{Name: "now", Type: "uint64_t", Atomic: true, Comment: "of a virtual run, in ps"},
			{Name: "ended", Type: "uint32_t", Atomic: true, Comment: "time frames that have ended in it"},
			{Name: "unused", Type: "uint32_t"},
			{Name: "limit", Type: "uint64_t", Comment: "of it, in ps; 0 for none"},
			{Name: "frame_length", Type: "uint64_t", Comment: "of a time frame, in ps; 0 for none"},
			{Name: "pulse_length", Type: "uint64_t", Atomic: true, Comment: "of a pulse of it, in ps (pulses.c)"},
			{Name: "pulse_sent", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes out of the sources, until the end of each"},
			{Name: "pulse_taken", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes into the sinks, likewise"},
			{Name: "pulses", Type: "uint64_t", Atomic: true, Comment: "that have ended"},
		}}
}

func processControl() Struct {
	return Struct{Name: "x_process_control", Comment: "of a process", Multiple: fetched,
		Fields: []Field{
			{Name: "unused", Type: "char", Count: cacheLine},
			{Name: "ready", Type: "uint32_t", Atomic: true},
			{Name: "done", Type: "uint32_t", Atomic: true},
			{Name: "kernel", Type: "int32_t", Atomic: true, Comment: "whose code is running, -1 for none"},
			{Name: "resolution", Type: "uint32_t", Atomic: true,
				Comment: "of the clock: ticks from one reading to the next"},
			{Name: "tick0", Type: "uint64_t", Atomic: true,
				Comment: "the clock, against CLOCK_MONOTONIC in ns: at the start"},
			{Name: "ns0", Type: "uint64_t", Atomic: true},
			{Name: "tick1", Type: "uint64_t", Atomic: true, Comment: "a little later"},
			{Name: "ns1", Type: "uint64_t", Atomic: true},
			{Name: "tick2", Type: "uint64_t", Atomic: true, Comment: "at the end; it counts once done is set"},
			{Name: "ns2", Type: "uint64_t", Atomic: true},
			{Name: "sleeps", Type: "uint64_t", Atomic: true, Comment: "how often it has slept"},
			{Name: "idle", Type: "uint32_t", Atomic: true, Comment: "odd while none of its kernels can go on"},
			{Name: "looked", Type: "uint32_t", Atomic: true, Comment: "the last look since which none could"},
			{Name: "message", Type: "char", Count: messageBytes, Line: cacheLine, Comment: "of X_fail"},
			{Name: "sleeping", Type: "uint32_t", Atomic: true, Line: fetched,
				Comment: "read by other processes, as is doorbell"},
			{Name: "doorbell", Type: "uint32_t", Atomic: true},
		}}
}

func kernelControl() Struct {
	return Struct{Name: "x_kernel_control", Comment: "of a kernel", Multiple: cacheLine,
		Fields: []Field{
			{Name: "calls", Type: "uint64_t", Atomic: true, Comment: "of its functions that have returned"},
			{Name: "busy", Type: "uint64_t", Atomic: true, Comment: "without waiting for room"},
			{Name: "done", Type: "uint32_t", Atomic: true},
			{Name: "still", Type: "uint32_t", Atomic: true, Comment: "of a kernel on an FPGA that is in a loop: it " +
				"has long done nothing, and has nothing to send"},
		}}
}

func ringControl() Struct {
	return Struct{Name: "x_ring_control", Comment: "what the two ends of an edge show each other", Multiple: fetched,
		Fields: []Field{
			{Name: "head", Type: "uint64_t", Atomic: true, Comment: "elements ever sent"},
			{Name: "waits", Type: "uint64_t", Atomic: true, Comment: "times that the writer found no room"},
			{Name: "blocked", Type: "uint64_t", Atomic: true, Comment: "how long it has waited then"},
			{Name: "blocked_since", Type: "uint64_t", Atomic: true, Comment: "0 when it does not wait"},
			{Name: "closed", Type: "uint32_t", Atomic: true, Comment: "no more will be sent"},
			{Name: "area", Type: "uint32_t", Atomic: true, Comment: "how often the ring has grown (grow.c)"},
			{Name: "marks", Type: "uint64_t", Atomic: true, Comment: "marks put on elements"},
			{Name: "area_offset", Type: "uint64_t", Atomic: true, Comment: "where its elements lie since then"},
			{Name: "area_bytes", Type: "uint64_t", Atomic: true, Comment: "of the area that they lie in"},
			{Name: "area_from", Type: "uint64_t", Atomic: true, Comment: "the first element that was sent there"},
			{Name: "area_capacity", Type: "uint64_t", Atomic: true, Comment: "elements that may be in it"},
			{Name: "asked", Type: "uint64_t", Atomic: true, Comment: "elements that its writer waits for room for, " +
				"0 when it does not wait"},
			{Name: "tail", Type: "uint64_t", Atomic: true, Line: fetched, Comment: "elements ever released"},
			{Name: "held", Type: "uint64_t", Atomic: true, Comment: "in a virtual run: elements times ns"},
			{Name: "most", Type: "uint64_t", Atomic: true, Comment: "in a virtual run: the most elements held"},
			{Name: "seen", Type: "uint64_t", Atomic: true,
				Comment: "of a reader in a loop: elements that it had seen " +
					"when it last could do nothing more (loop.c)"},
			{Name: "follows", Type: "uint32_t", Atomic: true, Comment: "the area that its reader takes from"},
			{Name: "grow", Type: "uint32_t", Atomic: true, Comment: "the area that the supervisor gives; what it " +
				"is, follows"},
			{Name: "grow_offset", Type: "uint64_t", Atomic: true},
			{Name: "grow_bytes", Type: "uint64_t", Atomic: true},
			{Name: "grow_capacity", Type: "uint64_t", Atomic: true},
			{Name: "sent_counts", Type: "uint64_t", Comment: "what an element adds to the bytes out of the sources, " +
				"in a virtual run (pulses.c)"},
			{Name: "taken_counts", Type: "uint64_t", Comment: "and to those into the sinks"},
		}}
}

func mark() Struct {
	return Struct{Name: "x_mark", Comment: "an element whose latency is taken",
		Fields: []Field{
			{Name: "index", Type: "uint64_t", Comment: "on the edge"},
			{Name: "origin", Type: "uint64_t", Comment: "when it, or what it was made from, entered the path"},
			{Name: "weight", Type: "double", Comment: "elements that it stands for"},
		}}
}

func markQueue() Struct {
	return Struct{Name: "x_mark_queue", Comment: "marks from the writer of an edge to its reader", Multiple: cacheLine,
		Run: &Run{Name: "marks", Type: "x_mark"},
		Fields: []Field{
			{Name: "written", Type: "uint64_t", Atomic: true},
			{Name: "read", Type: "uint64_t", Atomic: true, Line: cacheLine},
		}}
}

func tapSlot() Struct {
	return Struct{Name: "x_tap_slot", Comment: "what a tap has measured in one frame", Run: &Run{Name: "bins",
		Type: "double"},
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Atomic: true, Comment: "its number plus one"},
			{Name: "samples", Type: "uint64_t"},
			{Name: "weight", Type: "double", Comment: "elements that the samples stand for"},
			{Name: "sum", Type: "double"},
			{Name: "squares", Type: "double"},
			{Name: "min", Type: "double"},
			{Name: "max", Type: "double"},
			{Name: "below", Type: "double", Comment: "weight below the bins"},
			{Name: "above", Type: "double", Comment: "weight above the bins"},
			{Name: "products", Type: "double",
				Comment: "of the numbers of the bins, plus one, of samples that follow each other"},
		}}
}

func trace() Struct {
	return Struct{Name: "x_trace", Comment: "one entry of the log of a tap",
		Fields: []Field{
			{Name: "index", Type: "uint64_t"},
			{Name: "tick", Type: "uint64_t"},
			{Name: "value", Type: "double"},
		}}
}

func tapControl() Struct {
	return Struct{Name: "x_tap_control", Multiple: cacheLine,
		Comment: "of a tap; behind it lie its slots, each with its " +
			"bins, and then its log, or the elements that it has recorded",
		Fields: []Field{
			{Name: "traced", Type: "uint64_t", Atomic: true, Comment: "entries ever written; elements recorded"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "entries that found the log full"},
			{Name: "latest", Type: "uint64_t", Atomic: true, Comment: "bits of the value sampled last"},
			{Name: "known", Type: "uint32_t", Atomic: true, Comment: "whether there is one"},
			{Name: "drained", Type: "uint64_t", Atomic: true, Line: cacheLine,
				Comment: "entries read by the supervisor"},
		}}
}

func referenceTurn() Struct {
	return Struct{Name: "x_reference_turn", Comment: "what each face of the reference took in one turn",
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Comment: "the time frame that had begun"},
			{Name: "tick", Type: "uint64_t", Comment: "when the turn began"},
			{Name: "cpu", Type: "uint64_t", Comment: "processor time of the process until then, in ns"},
			{Name: "faces", Type: "uint64_t", Count: 5, Comment: "ticks that each took, X_FACES of them"},
			{Name: "preempted", Type: "uint64_t", Comment: "how often others had got the processor until then"},
		}}
}

func reference() Struct {
	return Struct{Name: "x_reference", Comment: "the turns of the reference of one process",
		Multiple: cacheLine, Run: &Run{Name: "turns", Type: "x_reference_turn"},
		Fields: []Field{
			{Name: "taken", Type: "uint64_t", Atomic: true, Comment: "how many turns are complete"},
		}}
}

func federate() Struct {
	return Struct{Name: "x_federate", Comment: "of the simulation of an FPGA, a process of its own",
		Run: &Run{Name: "figures", Type: "uint64_t", Atomic: true},
		Fields: []Field{
			{Name: "until", Type: "uint64_t", Atomic: true, Comment: "cycles asked for"},
			{Name: "done", Type: "uint64_t", Atomic: true, Comment: "cycles simulated"},
			{Name: "stop", Type: "uint32_t", Atomic: true},
			{Name: "waits", Type: "uint32_t", Atomic: true, Comment: "it sleeps until more cycles are asked for"},
			{Name: "awaited", Type: "uint32_t", Atomic: true, Comment: "the engine sleeps until it is done"},
			{Name: "records", Type: "uint64_t", Atomic: true, Line: cacheLine, Comment: "that the agent has sent"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "records that found no room"},
			{Name: "wrong", Type: "uint64_t", Atomic: true, Comment: "records whose check was wrong"},
			{Name: "tapped", Type: "uint64_t", Atomic: true, Comment: "cycles of their frames"},
		}}
}
