package program

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"xopt/flow/xlang"
)

// functions returns the names of the functions that a kernel of a block must define.
func functions(p *xlang.Program, block string) []string {
	x := "X_" + block
	work := x + "_push"
	if k := kernelOf(p, block); k != nil && len(k.Inputs) == 0 {
		work = x + "_go"
	}
	return []string{x + "_init", work, x + "_destroy"}
}

// kernelOf returns the first kernel of a block; nil if there is none.
func kernelOf(p *xlang.Program, block string) *xlang.Kernel {
	for i := range p.Kernels {
		if p.Kernels[i].Block == block {
			return &p.Kernels[i]
		}
	}
	return nil
}

// undefinedIn calls Undefined for an object file. It returns nil if it cannot read the file.
func undefinedIn(object string, p *xlang.Program, block string) []string {
	code, err := os.ReadFile(object)
	if err != nil {
		return nil // the linker will report it
	}
	return Undefined(code, p, block)
}

// Undefined returns the functions of a block that its machine code does not define. It returns nil if it cannot parse
// the code. The linker then reports the missing functions.
func Undefined(code []byte, p *xlang.Program, block string) []string {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil
	}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil
	}
	var missing []string
	for _, name := range functions(p, block) {
		if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
			return s.Name == name && s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL
		}) {
			missing = append(missing, name)
		}
	}
	return missing
}

// missingText returns the message about missing functions.
func missingText(names []string) string {
	return fmt.Sprintf("the source does not define %s (in C++, declare these functions extern \"C\"; they must not "+
		"be static)", strings.Join(names, ", "))
}
