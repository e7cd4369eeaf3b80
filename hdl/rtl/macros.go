package rtl

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// defined finds macros that stand for a number: `define IDLE 2'd0.
var defined = regexp.MustCompile("(?m)^[ \\t]*`define[ \\t]+([A-Za-z_][A-Za-z0-9_$]*)[ \\t]+" +
	"\\(?([0-9]*'?[sS]?[bdhoBDHO]?[0-9a-fA-F_]+)\\)?[ \\t\\r]*(?://.*)?$")

// used finds where a macro is used.
var used = regexp.MustCompile("`([A-Za-z_][A-Za-z0-9_$]*)")

// macroAt is the macro that stands at a place; "" for none. Verilator counts columns behind the macros of a line that
// it has replaced, so that the line is replaced in the same way.
func (d *designTree) macroAt(file int, p place) string {
	if p.line < 1 || p.line > len(d.lines[file]) || len(d.macros) == 0 {
		return ""
	}
	line := d.lines[file][p.line-1]
	column, last := 1, 0
	for _, at := range used.FindAllStringSubmatchIndex(line, -1) {
		name := line[at[2]:at[3]]
		value, ok := d.macros[name]
		if !ok {
			return "" // what it stands for is not known
		}
		column += at[0] - last
		if column == p.column && p.endColumn-p.column == len(value) {
			return name
		}
		column += len(value)
		last = at[1]
	}
	return ""
}

// macroValue is the number that a macro stands for; one that no state has for what is none.
func macroValue(text string) uint64 {
	digits, base := text, 10
	if _, after, ok := strings.Cut(text, "'"); ok && len(after) > 1 {
		after = strings.TrimLeft(after, "sS")
		base = map[byte]int{'b': 2, 'd': 10, 'h': 16, 'o': 8}[strings.ToLower(after)[0]]
		digits = after[1:]
	}
	if base == 0 {
		return math.MaxUint64
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(digits, "_", ""), base, 64)
	if err != nil {
		return math.MaxUint64
	}
	return v
}
