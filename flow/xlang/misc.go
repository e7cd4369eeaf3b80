package xlang

import (
	"path/filepath"
	"slices"
	"strings"

	"xopt/flow/faults"
	"xopt/internal/units"
)

// Testpoint is a place in a kernel's code: misc { testpoint "src"; } (Gayen 2008 Figs. 3.12, 3.15). A run can record
// the times at which a kernel reaches the testpoint. Statements of TimeTrial and rules of X-Eval can refer to the
// testpoint. Its name is local to the block.
type Testpoint struct{ Name string }

// Constant returns the part of the testpoint's name in C that follows X_<BLOCK>_, such as SRC for src.
func (t *Testpoint) Constant() string { return strings.ToUpper(t.Name) }

// These are the keywords of the statements in a misc section.
const (
	miscTestpoint = "testpoint"
	miscFilepath  = "filepath"
)

// args returns the arguments of a line without their quotes.
func (l *miscLine) args() []string {
	var list []string
	for _, a := range l.Args {
		list = append(list, strings.Trim(a, `"`))
	}
	return list
}

// checkMisc reports lines in the misc sections of a block that have no effect.
func (e *elaborator) checkMisc(b *blockDecl) {
	points := make(map[string]Pos) // by constant
	folder := false
	for _, s := range b.misc {
		for i := range s.Lines {
			line := &s.Lines[i]
			at, args := position(line.Pos), line.args()
			switch {
			case len(b.instances) > 0:
				e.failf(faults.BlockOfBlocks, at, "move the line into the block of its kernel",
					"block %s contains instances and has no code, so %s has no effect", quote(b.name),
					quote(line.Name))
			case line.Name == miscTestpoint && len(args) == 0:
				e.failf(faults.WrongNameInBlock, at, form("misc"), "the name of the testpoint is missing")
			case line.Name == miscTestpoint:
				for _, name := range args {
					e.checkTestpoint(b, name, at, points)
				}
			case line.Name != miscFilepath:
				e.unknown(at, "statement of misc", line.Name, []string{miscTestpoint, miscFilepath})
			case folder:
				e.failf(faults.GivenTwice, at, "keep one filepath", "block %s has more than one filepath",
					quote(b.name))
			case len(args) != 1 || !filepath.IsLocal(args[0]):
				e.failf(faults.WrongNameInBlock, at, `name one folder within the trace folder: filepath "temp";`,
					"filepath has %s", units.Counted(len(args), "name", "names")+": "+quote(strings.Join(args, " ")))
			default:
				folder = true
			}
		}
	}
}

// longestTestpoint limits the length of a testpoint's name, because the name becomes an identifier in C and Verilog.
const longestTestpoint = 64

func (e *elaborator) checkTestpoint(b *blockDecl, name string, at Pos, points map[string]Pos) {
	plain := len(name) > 0 && len(name) <= longestTestpoint && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) && (name[0] < '0' || name[0] > '9')
	if !plain {
		e.failf(faults.WrongTestpoint, at, "use letters, digits and _, and start with a letter or _: the constant in "+
			"C is X_"+b.name+"_NAME", "the name of testpoint %s is not valid in C", quote(name))
		return
	}
	for _, s := range b.ports {
		if slices.ContainsFunc(s.Names, func(d declared) bool { return d.Name == name }) {
			e.failf(faults.WrongTestpoint, at, "rename the port or the testpoint: rules and statements use the same "+
				"syntax for ports and testpoints", "testpoint %s of block %s has the name of a port", quote(name),
				quote(b.name))
			return
		}
	}
	constant := (&Testpoint{Name: name}).Constant()
	if old, ok := points[constant]; ok {
		e.duplicate(at, old, "testpoint", name)
		return
	}
	points[constant] = at
}

// addMisc copies the misc sections of a block to a kernel.
func addMisc(k *Kernel, b *blockDecl) {
	for _, s := range b.misc {
		for i := range s.Lines {
			line := &s.Lines[i]
			for _, a := range line.args() {
				switch line.Name {
				case miscTestpoint:
					k.Testpoints = append(k.Testpoints, Testpoint{Name: a})
				case miscFilepath:
					k.TraceFolder = a
				}
			}
		}
	}
}
