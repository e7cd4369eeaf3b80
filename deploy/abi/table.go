// Package abi defines the interface between the supervisor, the runtime of kernels and the simulations of FPGAs,
// across processes and languages. It contains the structures in shared memory, their sizes, and the offsets of their
// members.
//
// The file table.go defines each of them once. These files are generated from it: layout.h and ends.h, which the C
// runtime (runtime/*.c) and the C++ of simulations (federate/cpp/*.cpp) include, and offsets.go for packages program
// and run. The compilers of C and C++ check every offset against the table. After a change of the table, go test -run
// TestGenerated -update writes the three files.
//
// Package program lays the structures out in a run's memory, and package run reads them.
package abi

// Struct is a structure in shared memory. Its members are adjacent, except that some start a new cache line.
type Struct struct {
	Name     string // in C
	Comment  string
	Fields   []Field
	Multiple int  // the divisor of its size, in bytes; 0 for 8
	Ends     bool // it is in ends.h, which kernels include, not in layout.h
	// Run is the array after the structure, whose length is in the run's tables; nil for none.
	Run *Run
}

// Field is a member.
type Field struct {
	Name    string
	Type    string // in C: one of the keys of bytesOf
	Atomic  bool   // others write it while it is read
	Count   int    // of an array; 0 for no array
	Line    int    // the size in bytes of the cache line that it starts; 0 for none
	Comment string
}

// Run is an array after a structure.
type Run struct {
	Name string // of the function that finds it
	Type string // of an element: a structure, or one of the keys of bytesOf
	// Atomic reports that others write an element while it is read.
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
	Values        []string // without XRT_
}

// bytesOf returns the sizes of the types of members, which are also their alignments.
func bytesOf(cType string) int {
	return map[string]int{"char": 1, "uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8, "double": 8,
		"uint8_t *": 8, "const uint8_t *": 8}[cType]
}

const (
	cacheLine    = 64
	fetched      = 128 // processors fetch two lines together
	messageBytes = 320
)

// pulses is the maximum number of pulses kept of a virtual run. When it is reached, pairs of pulses are merged.
const pulses = 240

// batchesKept is the number of batch ends in a queue.
const batchesKept = 1024

const (
	faces          = 6
	referenceLines = 8
	referenceApart = 512
)

// Constants returns the constants that are not part of a structure.
func Constants() []Constant {
	return []Constant{
		{Name: "XRT_SHARED_FD", Value: 3, Comment: "the file descriptor of the shared memory in every process"},
		{Name: "XRT_EVENTS_FD", Value: 4, Comment: "the file descriptor of the pipe to which a process writes " +
			"its events"},
		{Name: "XRT_PAGE_BYTES", Value: 4096, Comment: "every mapping begins and ends at a multiple of this number"},
		{Name: "XRT_END_BYTES", Value: 384, Comment: "size of one end of an edge: its x_reader or x_writer, and " +
			"private data"},
		{Name: "XRT_MESSAGE_BYTES", Value: messageBytes, Comment: "size of the message of a failed process, " +
			"including the final 0"},
		{Name: "XRT_EXIT_FAILED", Value: 3, Comment: "exit code of a process whose kernel called X_fail; the message " +
			"has the reason"},
		{Name: "XRT_EXIT_OVERRUN", Value: 4, Comment: "exit code of a process that wrote or read beyond its " +
			"elements"},
		{Name: "XRT_FENCE", Value: 0xc3a5e97bd1f08d6b, Hex: true, Comment: "the value after the last element that a " +
			"writer has space for (overrun.c)"},
		{Name: "XRT_FENCED_RING", Value: 1, Comment: "the fence is in the data area of the edge"},
		{Name: "XRT_FENCED_BLOCK", Value: 2, Comment: "it is in a block of the process alone (warm.c)"},
		{Name: "XRT_FACES", Value: faces, Comment: "number of pieces of work of the reference (reference.c)"},
		{Name: "XRT_LINES", Value: referenceLines, Comment: "cache lines that one process writes and another reads " +
			"(reference.c)"},
		{Name: "XRT_APART", Value: referenceApart, Comment: "bytes from one of these lines to the next"},
		{Name: "XRT_FENCE_BYTES", Value: 8, Comment: "size of that value"},
		{Name: "XRT_BATCHES", Value: batchesKept, Comment: "ends of batches that a copy tells before the reader has " +
			"taken them (copies.c)"},
		{Name: "XRT_PULSES", Value: pulses, Comment: "most pulses that a run in virtual time keeps (pulses.c)"},
	}
}

// Enums returns the enumerations.
func Enums() []Enum {
	return []Enum{{Name: "x_event_kind",
		Comment: "Kinds of events, as in package trace.",
		Values:  []string{"AVAILABLE", "IN", "OUT", "POINT"}}, {Name: "x_op",
		Comment: "A condition is a program in postfix notation over a stack of numbers; NaN means unknown.",
		Values: []string{"NUMBER", "HELD", "WAITING", "RUNNING", "LATEST", "THIS", "LESS", "LESS_EQUAL", "EQUAL", "NOT",
			"AND", "OR"}}}
}

// Structs returns the structures. Each cache line has one writer, and so has each pair of lines that a processor
// fetches together. Times are in ticks of the clock in clock.h, unless a comment states otherwise.
func Structs() []Struct {
	return []Struct{reader(), writer(), runControl(), processControl(), kernelControl(), ringControl(), mark(),
		markQueue(),
		batch(), batchQueue(),
		tapSlot(), trace(), tapControl(), federate(), packets(), referenceTurn(), reference(), event()}
}

func reader() Struct {
	return Struct{Name: "x_reader", Ends: true,
		Comment: "the reading end of an edge. It counts elements since the " +
			"start. The data area is mapped twice, back to back, so that elements never wrap",
		Fields: []Field{
			{Name: "at", Type: "const uint8_t *", Comment: "the oldest unreleased element"},
			{Name: "end", Type: "const uint8_t *", Comment: "the end of the first mapping"},
			{Name: "tail", Type: "uint64_t", Comment: "elements released"},
			{Name: "visible", Type: "uint64_t", Comment: "elements that the reader may see"},
			{Name: "mark", Type: "uint64_t", Comment: "the tail at which x_released must be called"},
			{Name: "bytes", Type: "uint64_t", Comment: "size of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "size of an element"},
		}}
}

func writer() Struct {
	return Struct{Name: "x_writer", Ends: true, Comment: "the writing end of an edge",
		Fields: []Field{
			{Name: "at", Type: "uint8_t *", Comment: "where the next element goes"},
			{Name: "end", Type: "uint8_t *", Comment: "the end of the first mapping"},
			{Name: "head", Type: "uint64_t", Comment: "elements sent"},
			{Name: "limit", Type: "uint64_t", Comment: "the head up to which there is known to be space"},
			{Name: "mark", Type: "uint64_t", Comment: "the head at which x_sent must be called"},
			{Name: "bytes", Type: "uint64_t", Comment: "size of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "size of an element"},
			{Name: "reserved", Type: "uint64_t", Comment: "the head up to which the kernel last asked for space"},
			{Name: "fenced", Type: "uint64_t", Comment: "whether XRT_FENCE is at the end of that space " +
				"(overrun.c), and where that is: 0, XRT_FENCED_RING or XRT_FENCED_BLOCK"},
		}}
}

func runControl() Struct {
	return Struct{Name: "x_run_control", Comment: "the state of the run, at the start of shared memory",
		Multiple: fetched,
		Fields: []Field{
			{Name: "start", Type: "uint32_t", Atomic: true,
				Comment: "the supervisor sets it when all processes are ready"},
			{Name: "look", Type: "uint32_t", Atomic: true, Comment: "how often the supervisor has asked " +
				"whether any kernel can go on (sched.c)"},
			{Name: "frame", Type: "uint32_t", Atomic: true, Line: cacheLine,
				Comment: "the current time frame of all taps"},
			{Name: "over", Type: "uint32_t", Atomic: true,
				Comment: "whether a run in virtual time has reached its limit"},
			{Name: "now", Type: "uint64_t", Atomic: true, Comment: "the virtual time, in ps"},
			{Name: "ended", Type: "uint32_t", Atomic: true, Comment: "time frames that have ended in virtual time"},
			{Name: "unused", Type: "uint32_t"},
			{Name: "settled", Type: "uint64_t", Atomic: true, Comment: "the virtual time, in ps, at which the turns " +
				"and transfers begun by the last movement end"},
			{Name: "limit", Type: "uint64_t", Comment: "the limit of the virtual time, in ps; 0 for none"},
			{Name: "frame_length", Type: "uint64_t", Comment: "length of a time frame, in ps; 0 for none"},
			{Name: "pulse_length", Type: "uint64_t", Atomic: true,
				Comment: "length of a pulse of virtual time, in ps (pulses.c)"},
			{Name: "pulse_sent", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes that left the sources, up to the end of each pulse"},
			{Name: "pulse_taken", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes that reached the sinks, up to the end of each pulse"},
			{Name: "pulses", Type: "uint64_t", Atomic: true, Comment: "pulses that have ended"},
			{Name: "clock_offset", Type: "int64_t", Atomic: true, Comment: "of a run over hosts: what to add to " +
				"CLOCK_MONOTONIC here for that of the host that controls the run, in ns"},
		}}
}

func processControl() Struct {
	return Struct{Name: "x_process_control", Comment: "the state of a process", Multiple: fetched,
		Fields: []Field{
			{Name: "unused", Type: "char", Count: cacheLine},
			{Name: "ready", Type: "uint32_t", Atomic: true},
			{Name: "done", Type: "uint32_t", Atomic: true},
			{Name: "kernel", Type: "int32_t", Atomic: true, Comment: "the kernel whose code is running, -1 for none"},
			{Name: "resolution", Type: "uint32_t", Atomic: true,
				Comment: "ticks of the clock from one reading to the next"},
			{Name: "tick0", Type: "uint64_t", Atomic: true,
				Comment: "the clock at the start; ns0 is CLOCK_MONOTONIC then, in ns"},
			{Name: "ns0", Type: "uint64_t", Atomic: true},
			{Name: "tick1", Type: "uint64_t", Atomic: true, Comment: "both clocks a little later"},
			{Name: "ns1", Type: "uint64_t", Atomic: true},
			{Name: "tick2", Type: "uint64_t", Atomic: true, Comment: "both clocks at the end, valid when done is set"},
			{Name: "ns2", Type: "uint64_t", Atomic: true},
			{Name: "sleeps", Type: "uint64_t", Atomic: true, Comment: "how often the process has slept"},
			{Name: "idle", Type: "uint32_t", Atomic: true, Comment: "odd while no kernel of the process can go on"},
			{Name: "looked", Type: "uint32_t", Atomic: true,
				Comment: "the last value of look since which no kernel could"},
			{Name: "message", Type: "char", Count: messageBytes, Line: cacheLine, Comment: "the message of X_fail"},
			{Name: "sleeping", Type: "uint32_t", Atomic: true, Line: fetched,
				Comment: "other processes read it and doorbell"},
			{Name: "doorbell", Type: "uint32_t", Atomic: true},
		}}
}

func kernelControl() Struct {
	return Struct{Name: "x_kernel_control", Comment: "the state of a kernel", Multiple: cacheLine,
		Fields: []Field{
			{Name: "calls", Type: "uint64_t", Atomic: true, Comment: "calls of its functions that have returned"},
			{Name: "busy", Type: "uint64_t", Atomic: true, Comment: "time in its functions, without waiting for space"},
			{Name: "fired", Type: "uint64_t", Atomic: true, Comment: "of a source with several outputs and no emit: " +
				"calls in which it sent something, which are its firings"},
			{Name: "done", Type: "uint32_t", Atomic: true},
			{Name: "still", Type: "uint32_t", Atomic: true, Comment: "whether a kernel of a loop on an FPGA is " +
				"idle, with nothing to send"},
		}}
}

func ringControl() Struct {
	return Struct{Name: "x_ring_control", Comment: "what the two ends of an edge publish to each other",
		Multiple: fetched,
		Fields: []Field{
			{Name: "head", Type: "uint64_t", Atomic: true, Comment: "elements sent since the start"},
			{Name: "waits", Type: "uint64_t", Atomic: true, Comment: "how often the writer found no space"},
			{Name: "blocked", Type: "uint64_t", Atomic: true, Comment: "how long the writer has waited for space"},
			{Name: "blocked_since", Type: "uint64_t", Atomic: true,
				Comment: "when the writer began to wait; 0 when it does not wait"},
			{Name: "closed", Type: "uint32_t", Atomic: true, Comment: "whether the writer has ended"},
			{Name: "area", Type: "uint32_t", Atomic: true, Comment: "how often the ring has grown (grow.c)"},
			{Name: "marks", Type: "uint64_t", Atomic: true, Comment: "marks that were put on elements"},
			{Name: "area_offset", Type: "uint64_t", Atomic: true, Comment: "the place of the current area of elements"},
			{Name: "area_bytes", Type: "uint64_t", Atomic: true, Comment: "size of that area"},
			{Name: "area_from", Type: "uint64_t", Atomic: true,
				Comment: "the first element that was sent to that area"},
			{Name: "area_capacity", Type: "uint64_t", Atomic: true, Comment: "elements that the area may hold"},
			{Name: "asked", Type: "uint64_t", Atomic: true, Comment: "elements that the waiting writer needs space " +
				"for; 0 when it does not wait"},
			{Name: "told", Type: "uint64_t", Atomic: true, Comment: "of an edge between hosts, on its reader's: " +
				"elements released that the writer's host was told of (carry.c)"},
			{Name: "tail", Type: "uint64_t", Atomic: true, Line: fetched, Comment: "elements released since the start"},
			{Name: "held", Type: "uint64_t", Atomic: true, Comment: "in virtual time: the sum of elements times ns"},
			{Name: "most", Type: "uint64_t", Atomic: true,
				Comment: "in virtual time: the largest number of elements held"},
			{Name: "seen", Type: "uint64_t", Atomic: true,
				Comment: "elements that a reader in a loop had seen when it stopped (loop.c)"},
			{Name: "follows", Type: "uint32_t", Atomic: true, Comment: "the area that the reader uses"},
			{Name: "grow", Type: "uint32_t", Atomic: true, Comment: "the area that the supervisor offers; its " +
				"place, size and capacity follow"},
			{Name: "grow_offset", Type: "uint64_t", Atomic: true},
			{Name: "grow_bytes", Type: "uint64_t", Atomic: true},
			{Name: "grow_capacity", Type: "uint64_t", Atomic: true},
			{Name: "sent_counts", Type: "uint64_t", Comment: "what an element adds to the bytes out of the sources, " +
				"in a virtual run (pulses.c)"},
			{Name: "taken_counts", Type: "uint64_t", Comment: "and to those into the sinks"},
			{Name: "forwarded", Type: "uint64_t", Atomic: true, Comment: "of an edge between hosts, on its " +
				"writer's: elements that were sent to the other host (carry.c)"},
			{Name: "passed", Type: "uint64_t", Atomic: true, Comment: "elements released that were for other copies " +
				"of the reader's kernel (copies.c)"},
		}}
}

func mark() Struct {
	return Struct{Name: "x_mark", Comment: "a mark on an element whose latency is measured",
		Fields: []Field{
			{Name: "index", Type: "uint64_t", Comment: "the number of the element on the edge"},
			{Name: "origin", Type: "uint64_t", Comment: "when the element, or its origin, entered the path"},
			{Name: "weight", Type: "double", Comment: "elements that the mark stands for"},
		}}
}

func markQueue() Struct {
	return Struct{Name: "x_mark_queue", Comment: "marks that the writer of an edge passes to its reader",
		Multiple: cacheLine,
		Run:      &Run{Name: "marks", Type: "x_mark"},
		Fields: []Field{
			{Name: "written", Type: "uint64_t", Atomic: true},
			{Name: "read", Type: "uint64_t", Atomic: true, Line: cacheLine},
		}}
}

func batch() Struct {
	return Struct{Name: "x_batch", Comment: "the end of a batch of a copy of a kernel",
		Fields: []Field{
			{Name: "from", Type: "uint64_t", Comment: "its first firing, counted where the stream divides"},
			{Name: "to", Type: "uint64_t", Comment: "the firing after its last"},
			{Name: "head", Type: "uint64_t", Comment: "elements sent on the edge up to its end"},
		}}
}

func batchQueue() Struct {
	return Struct{Name: "x_batch_queue", Comment: "the batches whose ends a copy of a kernel has told the reader of " +
		"an edge, XRT_BATCHES of them at most",
		Multiple: fetched,
		Run:      &Run{Name: "batches", Type: "x_batch"},
		Fields: []Field{
			{Name: "written", Type: "uint64_t", Atomic: true},
			{Name: "begun", Type: "uint64_t", Atomic: true, Comment: "one more than the first firing of the batch at " +
				"hand, where keys select copies; 0 for none"},
			{Name: "read", Type: "uint64_t", Atomic: true, Line: fetched},
		}}
}

func tapSlot() Struct {
	return Struct{Name: "x_tap_slot", Comment: "what a tap has measured in one frame", Run: &Run{Name: "bins",
		Type: "double"},
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Atomic: true, Comment: "the number of the frame plus one"},
			{Name: "samples", Type: "uint64_t"},
			{Name: "weight", Type: "double", Comment: "elements that the samples stand for"},
			{Name: "sum", Type: "double"},
			{Name: "squares", Type: "double"},
			{Name: "min", Type: "double"},
			{Name: "max", Type: "double"},
			{Name: "below", Type: "double", Comment: "weight below the bins"},
			{Name: "above", Type: "double", Comment: "weight above the bins"},
			{Name: "products", Type: "double",
				Comment: "sum of the products (bin + 1) of successive samples"},
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
		Comment: "the state of a tap. After it follow its slots, each with " +
			"its bins, and then its log, or the elements that it has recorded",
		Fields: []Field{
			{Name: "traced", Type: "uint64_t", Atomic: true,
				Comment: "entries written since the start, or elements recorded"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "entries that found the log full"},
			{Name: "latest", Type: "uint64_t", Atomic: true, Comment: "the bits of the last sampled value"},
			{Name: "known", Type: "uint32_t", Atomic: true, Comment: "whether latest has a value"},
			{Name: "drained", Type: "uint64_t", Atomic: true, Line: cacheLine,
				Comment: "entries that the supervisor has read"},
		}}
}

func event() Struct {
	return Struct{Name: "x_event", Comment: "events of elements of one series that follow each other, at one time " +
		"(events.c)",
		Fields: []Field{
			{Name: "time", Type: "uint64_t"},
			{Name: "index", Type: "uint64_t", Comment: "of the first"},
			{Name: "count", Type: "uint32_t"},
			{Name: "what", Type: "uint32_t", Comment: "four times the series, an edge or behind the edges a " +
				"testpoint, plus the x_event_kind"},
		}}
}

func referenceTurn() Struct {
	return Struct{Name: "x_reference_turn", Comment: "what each face of the reference took in one turn",
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Comment: "the time frame that had begun"},
			{Name: "tick", Type: "uint64_t", Comment: "when the turn began"},
			{Name: "cpu", Type: "uint64_t", Comment: "processor time of the process until then, in ns"},
			{Name: "took", Type: "uint64_t", Comment: "ticks of the whole turn"},
			{Name: "faces", Type: "uint64_t", Count: faces, Comment: "ticks that each took, XRT_FACES of them"},
			{Name: "preempted", Type: "uint64_t", Comment: "how often others had got the processor until then"},
			{Name: "distance", Type: "uint64_t", Comment: "ticks that reading what the next process has written " +
				"took; 0 where there is none, or it has written nothing"},
		}}
}

func reference() Struct {
	return Struct{Name: "x_reference", Comment: "the turns of the reference of one process",
		Multiple: cacheLine, Run: &Run{Name: "turns", Type: "x_reference_turn"},
		Fields: []Field{
			{Name: "taken", Type: "uint64_t", Atomic: true, Comment: "how many turns are complete"},
			{Name: "lines", Type: "uint64_t", Count: referenceLines * referenceApart / 8, Line: cacheLine,
				Comment: "one in XRT_APART bytes names the next; what is between keeps a processor from fetching " +
					"that early"},
		}}
}

func packets() Struct {
	return Struct{Name: "x_packets", Multiple: cacheLine,
		Comment: "what a link of a run in virtual time has carried for an edge, transfer by transfer; ps",
		Fields: []Field{
			{Name: "count", Type: "uint64_t", Atomic: true, Comment: "transfers that have arrived"},
			{Name: "sum", Type: "uint64_t", Atomic: true, Comment: "bytes of all"},
			{Name: "smallest", Type: "uint64_t", Atomic: true, Comment: "bytes of one"},
			{Name: "largest", Type: "uint64_t", Atomic: true},
			{Name: "latency", Type: "uint64_t", Atomic: true,
				Comment: "from when its first element came to the link until it arrived, the sum of all"},
			{Name: "quickest", Type: "uint64_t", Atomic: true},
			{Name: "slowest", Type: "uint64_t", Atomic: true},
		}}
}

func federate() Struct {
	return Struct{Name: "x_federate", Comment: "the state of the process that simulates an FPGA",
		Run: &Run{Name: "figures", Type: "uint64_t", Atomic: true},
		Fields: []Field{
			{Name: "until", Type: "uint64_t", Atomic: true, Comment: "the cycle up to which the simulation must run"},
			{Name: "done", Type: "uint64_t", Atomic: true, Comment: "cycles that have been simulated"},
			{Name: "stop", Type: "uint32_t", Atomic: true},
			{Name: "waits", Type: "uint32_t", Atomic: true, Comment: "whether the simulation sleeps until more " +
				"cycles are needed"},
			{Name: "awaited", Type: "uint32_t", Atomic: true,
				Comment: "whether the engine sleeps until the cycles are done"},
			{Name: "records", Type: "uint64_t", Atomic: true, Line: cacheLine,
				Comment: "records that the agent has sent"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "records that found no space"},
			{Name: "wrong", Type: "uint64_t", Atomic: true, Comment: "records whose check failed"},
			{Name: "tapped", Type: "uint64_t", Atomic: true, Comment: "cycles of the frames of these records"},
		}}
}
