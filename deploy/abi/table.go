// Package abi defines the interface between the supervisor, the runtime of kernels and the simulations of FPGAs,
// across processes and languages. It contains the structures in shared memory, their sizes, and the offsets of their
// members.
//
// The file table.go defines each of them once. Three files are generated from it. The C runtime (runtime/*.c) and the
// C++ of simulations (federate/cpp/*.cpp) include layout.h and ends.h. Packages program and run use offsets.go. The
// compilers of C and C++ check every offset against the table. After a change of the table, go test -run TestGenerated
// -update writes the three files.
//
// Package program lays the structures out in a run's memory, and package run reads them.
package abi

// Struct is a structure in shared memory. Members are adjacent unless Line starts a new cache line.
type Struct struct {
	Name     string // in C
	Comment  string
	Fields   []Field
	Multiple int  // the size is a multiple of this number of bytes; 0 for 8
	Ends     bool // declared not in layout.h but in ends.h, which kernels include
	// Run is the array after the structure; nil for none. Its length is in the run's tables.
	Run *Run
}

// Field is a member of a structure.
type Field struct {
	Name    string
	Type    string // C type: a key of bytesOf
	Atomic  bool   // threads or processes access it concurrently
	Count   int    // array length; 0 for no array
	Line    int    // size in bytes of the cache line that the member starts; 0 for none
	Comment string
}

// Run is an array of variable length after a structure.
type Run struct {
	Name string // name of the function that returns an element's offset
	Type string // type of an element: a structure, or a key of bytesOf
	// Atomic reports that threads or processes access an element concurrently.
	Atomic bool
}

// Constant is a number that C and Go share.
type Constant struct {
	Name    string
	Value   uint64
	Hex     bool
	Comment string
}

// Enum is an enumeration. Its values are numbered from 0.
type Enum struct {
	Name, Comment string
	Values        []string // without XRT_
}

// bytesOf maps the types of members to their sizes, which are also their alignments.
func bytesOf(cType string) int {
	return map[string]int{"char": 1, "uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8, "double": 8,
		"uint8_t *": 8, "const uint8_t *": 8}[cType]
}

const (
	cacheLine    = 64
	fetched      = 128 // processors fetch pairs of 64-byte lines
	messageBytes = 320
)

// pulses is the maximum number of stored pulses of a virtual run. When it is reached, pairs of pulses are merged.
const pulses = 240

// batchesKept is the maximum number of batch ends in a queue.
const batchesKept = 1024

// claimsKept is the number of claims that the log of a copy stores.
const claimsKept = 1024

const (
	probes         = 6
	referenceLines = 8
	referenceApart = 512
)

// Constants returns the constants that are not part of a structure.
func Constants() []Constant {
	return []Constant{
		{Name: "XRT_SHARED_FD", Value: 3, Comment: "the file descriptor of the shared memory in every process"},
		{Name: "XRT_EVENTS_FD", Value: 4, Comment: "the file descriptor of the pipe to which a process writes " +
			"its events"},
		{Name: "XRT_PAGE_BYTES", Value: 4096, Comment: "page size: memory mappings start and end at a multiple of it"},
		{Name: "XRT_END_BYTES", Value: 384, Comment: "size of one end of an edge: its x_reader or x_writer, and " +
			"private data"},
		{Name: "XRT_MESSAGE_BYTES", Value: messageBytes, Comment: "size of the message of a failed process, " +
			"including the final 0"},
		{Name: "XRT_EXIT_FAILED", Value: 3, Comment: "exit code of a process that called X_fail; the message " +
			"contains the reason"},
		{Name: "XRT_EXIT_OVERRUN", Value: 4, Comment: "exit code of a process that wrote or read beyond its " +
			"elements"},
		{Name: "XRT_FENCE", Value: 0xc3a5e97bd1f08d6b, Hex: true, Comment: "the value after the last element that a " +
			"writer has space for (overrun.c)"},
		{Name: "XRT_FENCED_RING", Value: 1, Comment: "the fence is in the data area of the edge"},
		{Name: "XRT_FENCED_BLOCK", Value: 2, Comment: "the fence is in a private block of the process (fused.c)"},
		{Name: "XRT_PROBES", Value: probes, Comment: "number of probes of the reference load (reference.c)"},
		{Name: "XRT_LINES", Value: referenceLines, Comment: "cache lines that one process writes and another reads " +
			"(reference.c)"},
		{Name: "XRT_LINE_DISTANCE", Value: referenceApart, Comment: "distance between two of these lines, in bytes"},
		{Name: "XRT_FENCE_BYTES", Value: 8, Comment: "size of XRT_FENCE"},
		{Name: "XRT_BATCHES", Value: batchesKept, Comment: "maximum number of unread batch ends of a copy (copies.c)"},
		{Name: "XRT_CLAIMS", Value: claimsKept, Comment: "number of claims of a copy that are kept (copies.c)"},
		{Name: "XRT_PULSES", Value: pulses, Comment: "maximum number of stored pulses of a virtual run " +
			"(pulses.c)"},
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

// Structs returns the structures. Each cache line, and each pair of lines that a processor fetches together, has one
// writer. Times are in ticks of the clock in clock.h, unless a comment states otherwise.
func Structs() []Struct {
	return []Struct{reader(), writer(), runControl(), processControl(), kernelControl(), ringControl(), mark(),
		markQueue(),
		batch(), batchQueue(), claims(), claimLog(),
		tapSlot(), trace(), tapControl(), federate(), packets(), referenceTurn(), reference(), event()}
}

func reader() Struct {
	return Struct{Name: "x_reader", Ends: true,
		Comment: "the reading end of an edge. It counts elements since the " +
			"start. The data area is mapped twice, back to back, so that elements never wrap",
		Fields: []Field{
			{Name: "at", Type: "const uint8_t *", Comment: "the oldest unreleased element"},
			{Name: "end", Type: "const uint8_t *", Comment: "end of the first mapping"},
			{Name: "tail", Type: "uint64_t", Comment: "elements released"},
			{Name: "visible", Type: "uint64_t", Comment: "number of elements visible to the reader"},
			{Name: "mark", Type: "uint64_t", Comment: "the tail at which x_released must be called"},
			{Name: "bytes", Type: "uint64_t", Comment: "size of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "size of an element"},
		}}
}

func writer() Struct {
	return Struct{Name: "x_writer", Ends: true, Comment: "the writing end of an edge",
		Fields: []Field{
			{Name: "at", Type: "uint8_t *", Comment: "address of the next element"},
			{Name: "end", Type: "uint8_t *", Comment: "end of the first mapping"},
			{Name: "head", Type: "uint64_t", Comment: "elements sent"},
			{Name: "limit", Type: "uint64_t", Comment: "largest value of head for which space is available"},
			{Name: "mark", Type: "uint64_t", Comment: "the head at which x_sent must be called"},
			{Name: "bytes", Type: "uint64_t", Comment: "size of the data area"},
			{Name: "size", Type: "uint64_t", Comment: "size of an element"},
			{Name: "reserved", Type: "uint64_t", Comment: "value of head up to which the kernel last requested space"},
			{Name: "fenced", Type: "uint64_t", Comment: "location of XRT_FENCE at the end of that space " +
				"(overrun.c): 0 (none), XRT_FENCED_RING or XRT_FENCED_BLOCK"},
		}}
}

func runControl() Struct {
	return Struct{Name: "x_run_control", Comment: "the state of the run, at the start of shared memory",
		Multiple: fetched,
		Fields: []Field{
			{Name: "start", Type: "uint32_t", Atomic: true,
				Comment: "set by the supervisor when all processes are ready"},
			{Name: "look", Type: "uint32_t", Atomic: true, Comment: "number of times that the supervisor has checked " +
				"whether any kernel can continue (sched.c)"},
			{Name: "frame", Type: "uint32_t", Atomic: true, Line: cacheLine,
				Comment: "the current time frame of all taps"},
			{Name: "finished", Type: "uint32_t", Atomic: true,
				Comment: "whether a run in virtual time has reached its limit"},
			{Name: "now", Type: "uint64_t", Atomic: true, Comment: "the virtual time, in ps"},
			{Name: "ended", Type: "uint32_t", Atomic: true, Comment: "number of ended time frames in virtual time"},
			{Name: "unused", Type: "uint32_t"},
			{Name: "settled", Type: "uint64_t", Atomic: true, Comment: "the virtual time, in ps, at which the turns " +
				"and transfers started by the last movement end"},
			{Name: "limit", Type: "uint64_t", Comment: "the limit of the virtual time, in ps; 0 for none"},
			{Name: "frame_length", Type: "uint64_t", Comment: "length of a time frame, in ps; 0 for none"},
			{Name: "pulse_length", Type: "uint64_t", Atomic: true,
				Comment: "length of a pulse of virtual time, in ps (pulses.c)"},
			{Name: "pulse_sent", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes sent by the sources until the end of each pulse"},
			{Name: "pulse_taken", Type: "uint64_t", Atomic: true, Count: pulses,
				Comment: "bytes received by the sinks until the end of each pulse"},
			{Name: "pulses", Type: "uint64_t", Atomic: true, Comment: "number of ended pulses"},
			{Name: "clock_offset", Type: "int64_t", Atomic: true,
				Comment: "in a run over several hosts: CLOCK_MONOTONIC of " +
					"the controlling host minus that of this host, in ns"},
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
				Comment: "clock ticks between two successive readings"},
			{Name: "tick0", Type: "uint64_t", Atomic: true,
				Comment: "the clock at the start; ns0 is CLOCK_MONOTONIC at that time, in ns"},
			{Name: "ns0", Type: "uint64_t", Atomic: true},
			{Name: "tick1", Type: "uint64_t", Atomic: true, Comment: "both clocks a little later"},
			{Name: "ns1", Type: "uint64_t", Atomic: true},
			{Name: "tick2", Type: "uint64_t", Atomic: true, Comment: "both clocks at the end, valid when done is set"},
			{Name: "ns2", Type: "uint64_t", Atomic: true},
			{Name: "sleeps", Type: "uint64_t", Atomic: true, Comment: "number of times that the process has slept"},
			{Name: "idle", Type: "uint32_t", Atomic: true, Comment: "odd while no kernel of the process can continue"},
			{Name: "looked", Type: "uint32_t", Atomic: true,
				Comment: "the last value of look at which no kernel could continue"},
			{Name: "message", Type: "char", Count: messageBytes, Line: cacheLine, Comment: "the message of X_fail"},
			{Name: "sleeping", Type: "uint32_t", Atomic: true, Line: fetched,
				Comment: "read by other processes, as doorbell is"},
			{Name: "doorbell", Type: "uint32_t", Atomic: true},
		}}
}

func kernelControl() Struct {
	return Struct{Name: "x_kernel_control", Comment: "the state of a kernel", Multiple: cacheLine,
		Fields: []Field{
			{Name: "calls", Type: "uint64_t", Atomic: true, Comment: "number of completed calls of its functions"},
			{Name: "busy", Type: "uint64_t", Atomic: true, Comment: "time in its functions, excluding waits for space"},
			{Name: "fired", Type: "uint64_t", Atomic: true,
				Comment: "firings of a source with several outputs and no emit: the calls that sent an element"},
			{Name: "done", Type: "uint32_t", Atomic: true},
			{Name: "still", Type: "uint32_t", Atomic: true, Comment: "whether a kernel of a loop on an FPGA is " +
				"idle and has nothing to send"},
		}}
}

func ringControl() Struct {
	return Struct{Name: "x_ring_control", Comment: "shared state of the two ends of an edge",
		Multiple: fetched,
		Fields: []Field{
			{Name: "head", Type: "uint64_t", Atomic: true, Comment: "elements sent since the start"},
			{Name: "waits", Type: "uint64_t", Atomic: true, Comment: "number of times that the writer found no space"},
			{Name: "blocked", Type: "uint64_t", Atomic: true,
				Comment: "total time that the writer has waited for space"},
			{Name: "blocked_since", Type: "uint64_t", Atomic: true,
				Comment: "start of the writer's current wait; 0 if it does not wait"},
			{Name: "closed", Type: "uint32_t", Atomic: true, Comment: "1 after the writer has ended"},
			{Name: "area", Type: "uint32_t", Atomic: true, Comment: "number of times that the ring has grown (grow.c)"},
			{Name: "marks", Type: "uint64_t", Atomic: true, Comment: "number of marks set on elements"},
			{Name: "area_offset", Type: "uint64_t", Atomic: true, Comment: "offset of the current data area"},
			{Name: "area_bytes", Type: "uint64_t", Atomic: true, Comment: "size of that area"},
			{Name: "area_from", Type: "uint64_t", Atomic: true,
				Comment: "number of the first element in that area"},
			{Name: "area_capacity", Type: "uint64_t", Atomic: true, Comment: "capacity of the area, in elements"},
			{Name: "requested", Type: "uint64_t", Atomic: true, Comment: "number of elements for which the waiting " +
				"writer needs space; 0 if it does not wait"},
			{Name: "reported", Type: "uint64_t", Atomic: true, Comment: "on the reader's host of an edge between " +
				"hosts: released elements that were acknowledged to the writer's host (carry.c)"},
			{Name: "tail", Type: "uint64_t", Atomic: true, Line: fetched, Comment: "elements released since the start"},
			{Name: "held", Type: "uint64_t", Atomic: true,
				Comment: "in virtual time: the integral of the backlog, in elements × ns"},
			{Name: "maximum", Type: "uint64_t", Atomic: true,
				Comment: "in virtual time: the largest backlog, in elements"},
			{Name: "seen", Type: "uint64_t", Atomic: true,
				Comment: "elements visible to a reader in a loop when it stopped (loop.c)"},
			{Name: "follows", Type: "uint32_t", Atomic: true, Comment: "the area that the reader uses"},
			{Name: "grow", Type: "uint32_t", Atomic: true, Comment: "the area that the supervisor offers; its " +
				"offset, size and capacity follow"},
			{Name: "grow_offset", Type: "uint64_t", Atomic: true},
			{Name: "grow_bytes", Type: "uint64_t", Atomic: true},
			{Name: "grow_capacity", Type: "uint64_t", Atomic: true},
			{Name: "sent_counts", Type: "uint64_t", Comment: "bytes that an element adds to the sources' output " +
				"in a virtual run (pulses.c)"},
			{Name: "taken_counts", Type: "uint64_t", Comment: "bytes that an element adds to the sinks' input"},
			{Name: "forwarded", Type: "uint64_t", Atomic: true, Comment: "on the writer's host of an edge between " +
				"hosts: elements sent to the other host (carry.c)"},
			{Name: "passed", Type: "uint64_t", Atomic: true, Comment: "released elements that other copies " +
				"of the reader's kernel process (copies.c)"},
			{Name: "popped", Type: "uint64_t", Atomic: true, Comment: "batches of the writer's copy that the reader " +
				"has consumed (copies.c)"},
		}}
}

func mark() Struct {
	return Struct{Name: "x_mark", Comment: "a mark on an element whose latency is measured",
		Fields: []Field{
			{Name: "index", Type: "uint64_t", Comment: "the number of the element on the edge"},
			{Name: "origin", Type: "uint64_t", Comment: "time at which the element, or its origin, entered the path"},
			{Name: "weight", Type: "double", Comment: "number of elements that the mark represents"},
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
			{Name: "from", Type: "uint64_t",
				Comment: "number of its first firing, counted before the stream is divided"},
			{Name: "to", Type: "uint64_t", Comment: "number of the firing after its last firing"},
			{Name: "head", Type: "uint64_t", Comment: "number of elements sent on the edge until its end"},
		}}
}

func batchQueue() Struct {
	return Struct{Name: "x_batch_queue", Comment: "batch ends that a copy of a kernel has published to the reader " +
		"of an edge, at most XRT_BATCHES",
		Multiple: fetched,
		Run:      &Run{Name: "batches", Type: "x_batch"},
		Fields: []Field{
			{Name: "written", Type: "uint64_t", Atomic: true},
			{Name: "begun", Type: "uint64_t", Atomic: true, Comment: "if keys select copies: the number of the first " +
				"firing of the current batch, plus one; 0 for none"},
			{Name: "read", Type: "uint64_t", Atomic: true, Line: fetched},
		}}
}

func claims() Struct {
	return Struct{Name: "x_claims", Comment: "the batches of a stream that its copies have claimed", Multiple: fetched,
		Fields: []Field{{Name: "next", Type: "uint64_t", Atomic: true, Comment: "the first unclaimed part of a batch"}}}
}

func claimLog() Struct {
	return Struct{Name: "x_claim_log",
		Comment: "the last batches that a copy has claimed, in their order: the number of the first part, and in the " +
			"upper 16 bits the number of parts",
		Multiple: fetched,
		Run:      &Run{Name: "numbers", Type: "uint64_t"},
		Fields:   []Field{{Name: "written", Type: "uint64_t", Atomic: true}}}
}

func tapSlot() Struct {
	return Struct{Name: "x_tap_slot", Comment: "the measurements of a tap in one frame", Run: &Run{Name: "bins",
		Type: "double"},
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Atomic: true, Comment: "the number of the frame plus one"},
			{Name: "samples", Type: "uint64_t"},
			{Name: "weight", Type: "double", Comment: "number of elements that the samples represent"},
			{Name: "sum", Type: "double"},
			{Name: "squares", Type: "double"},
			{Name: "min", Type: "double"},
			{Name: "max", Type: "double"},
			{Name: "below", Type: "double", Comment: "weight below the bins"},
			{Name: "above", Type: "double", Comment: "weight above the bins"},
			{Name: "products", Type: "double",
				Comment: "sum of the products of (bin + 1) of successive samples"},
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
		Comment: "the state of a tap. It is followed by the tap's slots, each with " +
			"its bins, and then by the log or the recorded elements",
		Fields: []Field{
			{Name: "traced", Type: "uint64_t", Atomic: true,
				Comment: "number of entries written, or elements recorded, since the start"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "entries dropped because the log was full"},
			{Name: "latest", Type: "uint64_t", Atomic: true, Comment: "the bits of the last sampled value"},
			{Name: "measured", Type: "uint32_t", Atomic: true, Comment: "whether latest contains a value"},
			{Name: "drained", Type: "uint64_t", Atomic: true, Line: cacheLine,
				Comment: "number of entries that the supervisor has read"},
		}}
}

func event() Struct {
	return Struct{Name: "x_event", Comment: "events of consecutive elements of one series at the same time " +
		"(events.c)",
		Fields: []Field{
			{Name: "time", Type: "uint64_t"},
			{Name: "index", Type: "uint64_t", Comment: "number of the first element"},
			{Name: "count", Type: "uint32_t"},
			{Name: "what", Type: "uint32_t", Comment: "4 × series + x_event_kind; the series are the edges, " +
				"then the testpoints"},
		}}
}

func referenceTurn() Struct {
	return Struct{Name: "x_reference_turn", Comment: "the times of the probes in one turn of the reference load",
		Fields: []Field{
			{Name: "frame", Type: "uint64_t", Comment: "the current time frame"},
			{Name: "tick", Type: "uint64_t", Comment: "start time of the turn"},
			{Name: "cpu", Type: "uint64_t", Comment: "processor time of the process at the start of the turn, in ns"},
			{Name: "took", Type: "uint64_t", Comment: "duration of the turn, in ticks"},
			{Name: "probes", Type: "uint64_t", Count: probes, Comment: "duration of each probe, in ticks"},
			{Name: "preempted", Type: "uint64_t", Comment: "preemptions of the process until the start of the turn"},
			{Name: "distance", Type: "uint64_t", Comment: "duration of reading the next process's lines, in " +
				"ticks; 0 without a next process, or until that process has written them"},
		}}
}

func reference() Struct {
	return Struct{Name: "x_reference", Comment: "the turns of the reference load in one process",
		Multiple: cacheLine, Run: &Run{Name: "turns", Type: "x_reference_turn"},
		Fields: []Field{
			{Name: "taken", Type: "uint64_t", Atomic: true, Comment: "number of complete turns"},
			{Name: "lines", Type: "uint64_t", Count: referenceLines * referenceApart / 8, Line: cacheLine,
				Comment: "one word in every XRT_LINE_DISTANCE bytes is the index of the next line; this " +
					"distance prevents prefetching"},
		}}
}

func packets() Struct {
	return Struct{Name: "x_packets", Multiple: cacheLine,
		Comment: "statistics of an edge's transfers over a link in a run in virtual time; times in ps",
		Fields: []Field{
			{Name: "count", Type: "uint64_t", Atomic: true, Comment: "number of completed transfers"},
			{Name: "sum", Type: "uint64_t", Atomic: true, Comment: "total bytes"},
			{Name: "smallest", Type: "uint64_t", Atomic: true, Comment: "bytes of the smallest transfer"},
			{Name: "largest", Type: "uint64_t", Atomic: true},
			{Name: "latency", Type: "uint64_t", Atomic: true,
				Comment: "sum of the times from a transfer's first element to its delivery"},
			{Name: "quickest", Type: "uint64_t", Atomic: true},
			{Name: "slowest", Type: "uint64_t", Atomic: true},
		}}
}

func federate() Struct {
	return Struct{Name: "x_federate", Comment: "the state of the process that simulates an FPGA",
		Run: &Run{Name: "figures", Type: "uint64_t", Atomic: true},
		Fields: []Field{
			{Name: "until", Type: "uint64_t", Atomic: true, Comment: "the cycle up to which the simulation must run"},
			{Name: "done", Type: "uint64_t", Atomic: true, Comment: "number of simulated cycles"},
			{Name: "stop", Type: "uint32_t", Atomic: true},
			{Name: "waits", Type: "uint32_t", Atomic: true, Comment: "whether the simulation sleeps until more " +
				"cycles are requested"},
			{Name: "awaited", Type: "uint32_t", Atomic: true,
				Comment: "whether the engine sleeps until the cycles are done"},
			{Name: "records", Type: "uint64_t", Atomic: true, Line: cacheLine,
				Comment: "number of records sent by the agent"},
			{Name: "lost", Type: "uint64_t", Atomic: true, Comment: "records dropped because the buffer was full"},
			{Name: "wrong", Type: "uint64_t", Atomic: true, Comment: "records with a wrong checksum"},
			{Name: "tapped", Type: "uint64_t", Atomic: true, Comment: "total cycles of the frames of these records"},
		}}
}
