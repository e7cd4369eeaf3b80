package rtl

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// signal is a variable of a module, with the values assigned to it.
type signal struct {
	declared *element
	width    int
	parts    []become
	clocked  bool // assigned in a process with a clock
	driven   bool // driven by an instance, not by assignments
	tested   bool // compared with a constant, used as a selector, or a bit of it tested
}

// become is an assignment of a value under conditions. bit is the index of the assigned bit; nil if the entire signal
// is assigned.
type become struct {
	value *element
	scope string   // scope of the names in the assignment
	under []string // signals in the conditions of the assignment
	bit   *element
}

// moduleScan is the state of the search in one module. Names are looked up in the current block, and then in the
// surrounding blocks. A scope is "" for the module, and ends in a dot for a block.
type moduleScan struct {
	tree    *designTree
	signals map[string]*signal
	named   map[string]uint64
}

// key returns the path of the signal to which a name in a scope refers; "" if there is none.
func (s *moduleScan) key(scope, name string) string {
	name = plain(name)
	for {
		if s.signals[scope+name] != nil {
			return scope + name
		}
		if scope == "" {
			return ""
		}
		scope = scope[:strings.LastIndexByte(scope[:len(scope)-1], '.')+1]
	}
}

// machinesOf returns the state machines of one module.
func (d *designTree) machinesOf(m *element) []Machine {
	s := &moduleScan{tree: d, signals: make(map[string]*signal), named: d.named(m)}
	s.declare(m, "")
	s.statements(m, "", nil, false)
	var list []Machine
	for _, name := range slices.Sorted(maps.Keys(s.signals)) {
		if x, ok := s.machine(name); ok {
			list = append(list, x)
		}
	}
	return list
}

// declare records the signals of a module and of its blocks.
func (s *moduleScan) declare(e *element, path string) {
	for _, k := range e.kids {
		switch k.tag {
		case "var":
			if !isParameter(k) {
				s.signals[path+plain(k.attr["name"])] = &signal{declared: k, width: s.tree.width(k.attr["dtype_id"])}
			}
		case "begin":
			inner := path
			if name := plain(k.attr["name"]); name != "" {
				inner += name + "."
			}
			s.declare(k, inner)
		}
	}
}

// isStatement reports whether an element is a statement rather than an expression.
func isStatement(e *element) bool {
	switch e.tag {
	case "assign", "assigndly", "contassign", "assignw", "begin", "if", "case", "display", "finish", "stop", "while",
		"jumpblock", "taskref", "stmtexpr", "comment":
		return true
	}
	return false
}

// statements records the assignments and tests in a module, a process or a statement. under lists the signals in the
// enclosing conditions.
func (s *moduleScan) statements(e *element, scope string, under []string, clocked bool) {
	switch e.tag {
	case "begin":
		if name := plain(e.attr["name"]); name != "" {
			scope += name + "."
		}
	case "always", "alwayspublic", "alwayspost":
		e.all(func(x *element) bool {
			clocked = clocked || x.tag == "senitem" && (x.attr["edgeType"] == "POS" || x.attr["edgeType"] == "NEG")
			return x.tag == "always" || x.tag == "sentree" || x.tag == e.tag
		})
	case "initial", "final", "func", "task":
		return
	case "assign", "assigndly", "contassign", "assignw":
		s.assignment(e, scope, under, clocked)
		return
	case "if":
		if len(e.kids) > 0 {
			s.tests(e.kids[0], scope)
			s.test(e.kids[0], scope)
			under = append(slices.Clip(under), s.reads(e.kids[0], scope)...)
		}
	case "case":
		s.choice(e, scope)
		if len(e.kids) > 0 {
			under = append(slices.Clip(under), s.reads(e.kids[0], scope)...)
			for _, item := range e.kids[1:] {
				for _, k := range item.kids {
					if !isStatement(k) {
						under = append(under, s.reads(k, scope)...)
					}
				}
			}
		}
	case "instance":
		s.instance(e, scope)
		return
	}
	for _, k := range e.kids {
		switch {
		case k.tag == "sentree" || k.tag == "var":
		case isStatement(k) || k.tag == "caseitem" || strings.HasPrefix(k.tag, "always") || k.tag == "instance" ||
			k.tag == "generate":
			s.statements(k, scope, under, clocked)
		}
	}
}

// instance marks the signals that an instance drives.
func (s *moduleScan) instance(e *element, scope string) {
	for _, port := range e.kids {
		if port.tag == "port" && port.attr["direction"] != "in" {
			for _, name := range s.reads(port, scope) {
				s.signals[name].driven = true
			}
		}
	}
}

// choice records a case statement. The statement tests its selector and, if they are bits, its items.
func (s *moduleScan) choice(e *element, scope string) {
	if len(e.kids) == 0 {
		return
	}
	s.test(e.kids[0], scope)
	for _, item := range e.kids[1:] {
		if item.tag != "caseitem" {
			continue
		}
		for _, k := range item.kids {
			if !isStatement(k) {
				s.tests(k, scope)
			}
		}
	}
}

// assignment records an assignment. In verilator's XML, the value precedes the target.
func (s *moduleScan) assignment(e *element, scope string, under []string, clocked bool) {
	if len(e.kids) < 2 {
		return
	}
	value, to := e.kids[0], e.kids[1]
	s.tests(value, scope)
	b := become{value: value, scope: scope, under: under}
	if to.tag == "sel" && len(to.kids) == 3 && to.kids[0].tag == "varref" {
		if n, ok := to.kids[2].constant(); ok && n == 1 {
			b.bit = to.kids[1]
			to = to.kids[0]
		}
	}
	if to.tag != "varref" {
		for _, name := range s.reads(to, scope) {
			s.signals[name].driven = true // the search does not analyze other assignments
		}
		return
	}
	if v := s.signals[s.key(scope, to.attr["name"])]; v != nil {
		v.parts = append(v.parts, b)
		v.clocked = v.clocked || clocked
	}
}

// reads returns the signals in an expression.
func (s *moduleScan) reads(e *element, scope string) (names []string) {
	e.all(func(x *element) bool {
		if x.tag == "varref" {
			if name := s.key(scope, x.attr["name"]); name != "" {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

// tests marks the signals that an expression compares with constants, and the signals of which it tests bits.
func (s *moduleScan) tests(e *element, scope string) {
	e.all(func(x *element) bool {
		switch x.tag {
		case "eq", "neq", "eqcase", "neqcase", "eqwild", "neqwild":
			if len(x.kids) == 2 {
				for i, k := range x.kids {
					if s.isConstant(x.kids[1-i], scope) {
						s.test(k, scope)
					}
				}
			}
		case "sel":
			if len(x.kids) == 3 && s.isConstant(x.kids[1], scope) {
				if n, ok := x.kids[2].constant(); ok && n == 1 {
					s.test(x.kids[0], scope)
				}
			}
		case "cond":
			if len(x.kids) == 3 {
				s.test(x.kids[0], scope)
			}
		}
		return true
	})
}

// test marks a signal as tested.
func (s *moduleScan) test(e *element, scope string) {
	for (e.tag == "extend" || e.tag == "not" || e.tag == "lognot") && len(e.kids) == 1 {
		e = e.kids[0]
	}
	if v := s.signals[s.key(scope, e.attr["name"])]; e.tag == "varref" && v != nil {
		v.tested = true
	}
}

func (s *moduleScan) isConstant(e *element, scope string) bool {
	if e.tag == "const" || e.tag == "enumitemref" {
		return true
	}
	_, parameter := s.named[e.attr["name"]]
	return e.tag == "varref" && parameter && s.key(scope, e.attr["name"]) == ""
}

// states collects the values of a register.
type states struct {
	scan    *moduleScan
	names   map[uint64][]string // names of each code, in the order in which they are found
	through []string            // signals assigned to the register
	bits    bool                // single bits of the register are assigned
	loose   bool                // an expression is assigned to a bit
	unnamed bool                // a bit without a name is set
}

// machine returns the state machine that has the given signal as its register. It returns false if there is none.
func (s *moduleScan) machine(name string) (Machine, bool) {
	v := s.signals[name]
	if !v.clocked || v.width < 1 || v.width > 64 || len(v.parts) == 0 {
		return Machine{}, false
	}
	c := &states{scan: s, names: make(map[uint64][]string)}
	if !c.signal(name) || !slices.ContainsFunc(c.through, func(n string) bool { return s.signals[n].tested }) {
		return Machine{}, false
	}
	if c.bits {
		delete(c.names, 0) // until the first bit is set
		for code := range c.names {
			if c.loose && (c.unnamed || bits.OnesCount64(code) != 1) {
				return Machine{}, false
			}
		}
	}
	if len(c.names) < 2 || !s.depends(c.through, name) {
		return Machine{}, false
	}
	m := Machine{Path: name, Width: v.width}
	if p, ok := v.declared.place(); ok {
		if i, ok := s.tree.files[p.file]; ok {
			m.File, m.Line = s.tree.module.verilog[i].name, p.line
		}
	}
	items := s.tree.enumeration(v.declared.attr["dtype_id"])
	for _, code := range slices.Sorted(maps.Keys(c.names)) {
		x := State{Code: code, Name: items[code]}
		if x.Name == "" && len(c.names[code]) > 0 {
			x.Name = c.names[code][0]
		}
		if v.width == 1 && x.Name == "" {
			return Machine{}, false
		}
		m.States = append(m.States, x)
	}
	return m, true
}

// signal adds all values that a signal may have. It returns true if the signal has only a few constant values.
func (c *states) signal(name string) bool {
	if slices.Contains(c.through, name) {
		return true
	}
	v := c.scan.signals[name]
	if v == nil || v.driven || len(v.parts) == 0 {
		return false
	}
	c.through = append(c.through, name)
	for _, b := range v.parts {
		if b.bit != nil {
			if !c.bit(b) {
				return false
			}
		} else if !c.value(b.value, b.scope) {
			return false
		}
	}
	return true
}

// value adds a value that is assigned to a signal. It returns false for a value that is not constant.
func (c *states) value(e *element, scope string) bool {
	switch e.tag {
	case "const":
		v, ok := e.constant()
		if !ok {
			return strings.ContainsAny(strings.ToLower(e.attr["name"]), "x?") // an undefined value is not a state
		}
		c.add(v, c.scan.tree.nameAt(e, c.scan.named, v))
		return true
	case "enumitemref":
		v, ok := c.scan.named[e.attr["name"]]
		c.add(v, e.attr["name"])
		return ok
	case "varref":
		key := c.scan.key(scope, e.attr["name"])
		if v, ok := c.scan.named[e.attr["name"]]; ok && key == "" {
			c.add(v, e.attr["name"])
			return true
		}
		return c.signal(key)
	case "cond":
		return len(e.kids) == 3 && c.value(e.kids[1], scope) && c.value(e.kids[2], scope)
	case "extend", "extends":
		return len(e.kids) == 1 && c.value(e.kids[0], scope)
	case "sel": // the lower bits of a wider constant
		if len(e.kids) == 3 {
			at, ok := e.kids[1].constant()
			return ok && at == 0 && e.kids[0].tag != "varref" && c.value(e.kids[0], scope)
		}
	}
	return false
}

func (c *states) add(code uint64, name string) {
	if _, ok := c.names[code]; !ok {
		c.names[code] = nil
	}
	if name != "" && !slices.Contains(c.names[code], name) {
		c.names[code] = append(c.names[code], name)
	}
}

// bit adds an assignment to a single bit. It returns false if the index of the bit is not constant.
func (c *states) bit(b become) bool {
	at, ok := b.bit.constant()
	if !ok || at > 63 {
		return false
	}
	c.bits = true
	name := c.scan.tree.nameAt(b.bit, c.scan.named, at)
	switch v, constant := b.value.constant(); {
	case constant && v == 0:
		return true
	case !constant:
		c.loose = true
	}
	c.unnamed = c.unnamed || name == ""
	c.add(1<<at, name)
	return true
}

// depends reports whether the values of given signals depend on a register through conditions, directly or through
// other signals.
func (s *moduleScan) depends(through []string, register string) bool {
	seen := make(map[string]bool)
	var leads func(name string) bool
	leads = func(name string) bool {
		if name == register {
			return true
		}
		v := s.signals[name]
		if v == nil || v.clocked || seen[name] {
			return false
		}
		seen[name] = true
		for _, b := range v.parts {
			if slices.ContainsFunc(append(s.reads(b.value, b.scope), b.under...), leads) {
				return true
			}
		}
		return false
	}
	for _, name := range through {
		for _, b := range s.signals[name].parts {
			deciding := b.under
			b.value.all(func(e *element) bool {
				if e.tag == "cond" && len(e.kids) == 3 {
					deciding = append(slices.Clip(deciding), s.reads(e.kids[0], b.scope)...)
				}
				return true
			})
			if b.bit != nil { // an expression is assigned to the bit
				deciding = append(slices.Clip(deciding), s.reads(b.value, b.scope)...)
			}
			if slices.ContainsFunc(deciding, leads) {
				return true
			}
		}
	}
	return false
}
