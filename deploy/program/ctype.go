package program

import (
	"fmt"
	"strings"

	"xopt/flow/xlang"
)

// cType returns the C type of an element type.
func cType(x string) string {
	base, _, _ := strings.Cut(x, "[")
	switch base {
	case "UNSIGNED8":
		return "uint8_t"
	case "UNSIGNED16":
		return "uint16_t"
	case "UNSIGNED32":
		return "uint32_t"
	case "UNSIGNED64":
		return "uint64_t"
	case "SIGNED8":
		return "int8_t"
	case "SIGNED16":
		return "int16_t"
	case "SIGNED32":
		return "int32_t"
	case "SIGNED64":
		return "int64_t"
	case "FLOAT32":
		return "float"
	case "FLOAT64":
		return "double"
	case "FLOAT128":
		return "x_float128"
	}
	return "char" // STRING
}

// configType returns the C type of a config.
func configType(v xlang.Value) string {
	switch {
	case v.Type == "STRING" || v.Type == "" && (v.Quoted || !v.IsNumber):
		return "const char *"
	case v.Type == "":
		return "double "
	}
	return cType(v.Type) + " "
}

// cString returns text as a C string literal.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "\\%03o", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// valueType returns the runtime's type for the numbers in an element.
func valueType(x string) string {
	base, _, _ := strings.Cut(x, "[")
	if kind, ok := strings.CutPrefix(base, "UNSIGNED"); ok {
		return "XRT_U" + kind
	}
	if kind, ok := strings.CutPrefix(base, "SIGNED"); ok {
		return "XRT_S" + kind
	}
	if kind, ok := strings.CutPrefix(base, "FLOAT"); ok {
		return "XRT_F" + kind
	}
	return "XRT_U8" // STRING
}

func cWait(w Wait) string {
	return map[Wait]string{WaitBlock: "XRT_BLOCK", WaitSpinBlock: "XRT_SPIN_BLOCK", WaitSpin: "XRT_SPIN",
		WaitYield: "XRT_YIELD"}[w]
}

func cScheduler(s Scheduler) string {
	return map[Scheduler]string{SchedulerOther: "SCHED_OTHER", SchedulerBatch: "SCHED_BATCH",
		SchedulerRR: "SCHED_RR"}[s]
}

func cTap(k TapKind) string { return "XRT_" + strings.ToUpper(k.String()) }

func cOp(op Op) string {
	return map[Op]string{Number: "XRT_NUMBER", Queued: "XRT_HELD", Waiting: "XRT_WAITING", Running: "XRT_RUNNING",
		Latest: "XRT_LATEST", This: "XRT_THIS", Less: "XRT_LESS", LessEqual: "XRT_LESS_EQUAL", Equal: "XRT_EQUAL",
		Not: "XRT_NOT", And: "XRT_AND", Or: "XRT_OR"}[op]
}

// ConfigValue returns the value of a config as a C expression.
func ConfigValue(v xlang.Value) string {
	if configType(v) == "const char *" {
		return cString(v.Text)
	}
	return real64(v.Number)
}
