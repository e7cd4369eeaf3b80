package program

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xopt/flow/xlang"
)

// Names in X files become X_<BLOCK>… in C: X_FFT, X_FFT_in_avail. They never collide with the runtime's own names,
// XRT_… and x_…. But two names in X files may become the same name in C. A name may also become X_fail, which X.h
// offers to all kernels. A config may have a name that no structure member can have. The functions below find these
// faults before a compiler reports them.

// NameFault is a name in an X file that is invalid in C.
type NameFault struct {
	Block      string // block with the name
	Text, Hint string
}

// The separate name spaces of C, including the members of a block's structure.
const (
	ordinaryNames = "ordinary"
	tagNames      = "tag"
	memberNames   = "member of "
)

// cName is a name in a name space of C.
type cName struct{ space, name string }

// names maps each C name to its meaning.
type names struct {
	of       map[cName]string // meaning of each name
	reported map[[2]string]bool
	faults   []NameFault
}

// NameFaults returns the invalid names of a program's blocks and their parts. These are names that collide in C, and
// configs that are keywords of C or C++. impls contains the source of each block. Blocks without a kernel are skipped.
func NameFaults(p *xlang.Program, impls map[string]*xlang.Impl) []NameFault {
	n := &names{of: map[cName]string{{ordinaryNames, "X_fail"}: "the function X_fail of X.h"},
		reported: make(map[[2]string]bool)}
	for _, block := range slices.Sorted(maps.Keys(impls)) {
		if kernelOf(p, block) == nil {
			continue
		}
		b := blockOf(p, block)
		n.block(&b)
		n.configs(&b, isCxx(impls[block].Source()))
	}
	return n.faults
}

// declare adds a name of a block. It reports a fault if the name already has another meaning.
func (n *names) declare(b *block, space, name, what string) {
	old, there := n.of[cName{space, name}]
	if !there {
		n.of[cName{space, name}] = what
		return
	}
	if pair := [2]string{old, what}; old != what && !n.reported[pair] {
		n.reported[pair] = true
		n.faults = append(n.faults, NameFault{b.Name, fmt.Sprintf("%s and %s would have the same name in C: "+
			"%s", old, what, name), "rename one of them"})
	}
}

// block adds the names that a block's header declares (block.h.tmpl).
func (n *names) block(b *block) {
	x := "X_" + b.Name
	own := func(name string) string {
		return fmt.Sprintf("the function %s of every kernel of block %s", name, b.Name)
	}
	n.declare(b, ordinaryNames, x, "block "+b.Name)
	n.declare(b, tagNames, x, "block "+b.Name)
	functions := []string{"init", "destroy", "push", "drain"}
	if b.IsSource {
		functions = []string{"init", "destroy", "go"}
		if len(b.Ports) > 0 {
			functions = append(functions, "firing", "firings")
		}
	}
	if len(b.Points) > 0 {
		functions = append(functions, "testpoint")
		n.declare(b, tagNames, x+"_point", "the testpoints of block "+b.Name)
	}
	for _, f := range functions {
		n.declare(b, ordinaryNames, x+"_"+f, own(f))
	}
	for _, m := range []string{"state", "name", "config"} {
		n.declare(b, memberNames+x, m, "a member of every kernel")
	}
	for _, p := range b.Ports {
		what := fmt.Sprintf("port %s of block %s", p.Name, b.Name)
		suffixes := []string{"", "_avail", "_release"}
		if p.Way == "out" {
			suffixes = []string{"", "_room", "_send"}
		}
		for _, s := range suffixes {
			n.declare(b, ordinaryNames, x+"_"+p.Name+s, what)
		}
		n.declare(b, memberNames+x, "port_"+p.Name, what)
		if p.IsArray {
			n.declare(b, memberNames+x, p.Name+"_count", what)
		}
	}
	for _, p := range b.Points {
		n.declare(b, ordinaryNames, p.Constant, fmt.Sprintf("testpoint %s of block %s", p.Name, b.Name))
	}
}

// configs reports config names that structure members cannot have.
func (n *names) configs(b *block, cxx bool) {
	for _, c := range b.Config {
		if why := notMember(c.Name, cxx); why != "" {
			n.faults = append(n.faults, NameFault{b.Name,
				fmt.Sprintf("config %s of block %s is %s", c.Name, b.Name, why), "rename the config"})
		}
	}
}

// notMember returns the reason why a name is invalid for a structure member in C or C++; "" if it is valid.
func notMember(name string, cxx bool) string {
	switch {
	case slices.Contains(cKeywords(), name) || cxx && slices.Contains(cxxKeywords(), name):
		return "a reserved word of C"
	case reservedName().MatchString(name):
		return "reserved for the C compiler"
	case cMacro().MatchString(name):
		return "a macro of C"
	case strings.HasPrefix(name, "XRT_"):
		return "the name of a macro of the runtime"
	}
	return ""
}

// reservedName matches the names that C reserves for compilers and their libraries (ISO C11 §7.1.3).
func reservedName() *regexp.Regexp { return regexp.MustCompile(`^_[_A-Z]`) }

// cMacro matches the macros that compilers predefine in GNU C, and the macros of stddef.h and stdint.h, which X.h
// includes.
func cMacro() *regexp.Regexp {
	return regexp.MustCompile(`^(linux|unix|i386|NULL|` +
		`(U?INT((_LEAST|_FAST)?(8|16|32|64)|MAX|PTR)|PTRDIFF|SIG_ATOMIC|SIZE|WCHAR|WINT)_(MIN|MAX|WIDTH))$`)
}

// cKeywords lists the words that are invalid for a structure member in C, or in a header that C++ also reads.
func cKeywords() []string {
	return strings.Fields(`auto break case char const continue default do double else enum extern float for goto if
		inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void
		volatile while bool catch class delete false friend mutable namespace new operator private protected public
		template this throw true try typename using virtual asm typeof`)
}

// cxxKeywords lists the additional keywords of C++ (ISO C++17, tables 5 and 6, and the keywords of C++20 and C++23).
func cxxKeywords() []string {
	return strings.Fields(`alignas alignof and and_eq bitand bitor char8_t char16_t char32_t co_await co_return co_yield
		compl concept const_cast consteval constexpr constinit decltype dynamic_cast explicit export noexcept not not_eq
		nullptr or or_eq reinterpret_cast requires static_assert static_cast thread_local typeid wchar_t xor xor_eq`)
}
