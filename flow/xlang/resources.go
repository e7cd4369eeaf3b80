package xlang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xopt/flow/faults"
)

// resources creates the computational resources, then the links that connect them.
func (e *elaborator) resources() {
	var links []*resourceStmt
	for _, u := range e.units {
		s, ok := u.stmt.(*resourceStmt)
		if !ok || e.stopped() {
			continue
		}
		pos := position(s.Pos)
		t := e.types[s.Type]
		if t == nil {
			e.unknown(pos, "platform or linktype", s.Type, e.typeNames(""))
			e.unread[s.Name] = true
			continue
		}
		if old, ok := e.placed[s.Name]; ok {
			e.duplicate(pos, old, "resource", s.Name)
			continue
		}
		e.placed[s.Name] = pos
		if t.decl.kind == "linktype" {
			links = append(links, s)
			continue
		}
		e.computational(s, t, pos)
	}
	for _, s := range links {
		e.link(s, e.types[s.Type], position(s.Pos))
	}
}

// computational creates a computational resource, or an array of computational resources.
func (e *elaborator) computational(s *resourceStmt, t *typeInfo, pos Pos) {
	n := 1
	if s.Size != nil {
		var err *mistake
		if n, err = s.Size.count(Values{}, "resource "+s.Name); err != nil {
			e.fail(err)
			return
		}
	}
	many, resized := e.resized(s)
	if resized {
		n = many
	}
	array := s.Size != nil || resized
	if len(e.program.Resources)+n > maxResources {
		e.failf(faults.TooLarge, pos, "declare fewer resources", "the architecture has more than %d resources",
			maxResources)
		return
	}
	lists, common := e.configLists(s)
	if n == 0 {
		e.resourceArray[s.Name] = []int{}
		return
	}
	elements, err := elementSets("resource "+quote(s.Name), shape{n, array, resized}, lists, common, Values{})
	if err != nil {
		e.fail(err)
		elements, lists = [][]assign{nil}, nil
		reported := len(e.diags)
		defer func() { e.diags = e.diags[:min(reported, len(e.diags))] }() // drop errors that follow from this error
	}
	defs := t.allConfigs()
	var config Values
	failed := false // report the same error once for all elements
	for i := range n {
		name := s.Name
		if array {
			name = fmt.Sprintf("%s[%d]", s.Name, i+1)
		}
		if !failed {
			sets := slices.Clone(elements[min(i, len(elements)-1)])
			at := pos
			if len(lists) > 1 {
				at = position(lists[min(i, len(lists)-1)].Pos)
			}
			before := len(e.diags)
			sets = lastOf(append(sets, e.setsFor(name, defs)...))
			config = e.configure("resource "+name, at, defs, sets, Values{})
			failed = len(e.diags) > before && len(elements) == 1
		}
		e.resourceIndex[name] = len(e.program.Resources)
		e.resourceArray[s.Name] = append(e.resourceArray[s.Name], len(e.program.Resources))
		e.program.Resources = append(e.program.Resources, Resource{Name: name, Platform: s.Type, Config: config,
			Pos: pos})
	}
}

// resized returns the number of array elements that the command line sets for a resource. The number 0 removes the
// resource.
func (e *elaborator) resized(s *resourceStmt) (n int, ok bool) {
	text, ok := e.opt.Set[s.Name]
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > maxResources {
		e.diags.add(faults.WrongConfigValue, Pos{}, fmt.Sprintf("%s=%s is not a size of resource %s",
			e.opt.given(s.Name), text, quote(s.Name)), fmt.Sprintf("write a whole number from 0 to %d", maxResources))
		return 0, false
	}
	return n, true
}

// configLists separates the configs of single array elements from the configs of all elements.
func (e *elaborator) configLists(s *resourceStmt) (lists []*setList, common []assign) {
	for i := range s.Items {
		item := &s.Items[i]
		switch {
		case item.Endpoints != nil:
			e.failf(faults.NotALink, position(item.Pos), "only links have endpoints", "resource %s is not a link and "+
				"cannot connect resources", quote(s.Name))
		case item.List != nil:
			lists = append(lists, item.List)
		default:
			common = append(common, *item.Set)
		}
	}
	if len(s.More) > 0 {
		if len(lists) > 0 {
			e.failf(faults.GivenTwice, position(s.More[0].Pos), form("resource"), "resource %s has lists of configs "+
				"both inside and outside the brackets", quote(s.Name))
		}
		lists = append([]*setList{{Pos: s.Pos, Sets: common}}, s.More...)
		common = nil
	}
	return lists, common
}

// link creates an interconnect resource.
func (e *elaborator) link(s *resourceStmt, t *typeInfo, pos Pos) {
	if s.Size != nil {
		e.failf(faults.LinkArray, pos, "declare each link separately", "link %s cannot be an array", quote(s.Name))
		return
	}
	l := Link{Name: s.Name, Linktype: s.Type, Pos: pos}
	var sets []assign
	hasEndpoints := false
	for i := range s.Items {
		item := &s.Items[i]
		switch {
		case item.Endpoints != nil:
			hasEndpoints = true
			for j := range item.Endpoints.Refs {
				l.Removed = l.Removed || e.removed(&item.Endpoints.Refs[j])
				l.Endpoints = append(l.Endpoints, e.resourceRefs(&item.Endpoints.Refs[j])...)
			}
		case item.List != nil:
			sets = append(sets, item.List.Sets...)
		default:
			sets = append(sets, *item.Set)
		}
	}
	slices.Sort(l.Endpoints)
	l.Endpoints = slices.Compact(l.Endpoints)
	if !hasEndpoints {
		e.failf(faults.LinkWithoutEnds, pos, "name the resources in braces: "+s.Type+"({ proc[1], fpga })",
			"link %s connects no resources", quote(s.Name))
	}
	defs := t.allConfigs()
	sets = lastOf(append(sets, e.setsFor(s.Name, defs)...))
	l.Config = e.configure("link "+s.Name, pos, defs, sets, Values{})
	e.linkIndex[s.Name] = len(e.program.Links)
	e.program.Links = append(e.program.Links, l)
}

// removed reports whether a reference names a resource that the command line has removed.
func (e *elaborator) removed(r *ref) bool {
	array, ok := e.resourceArray[r.Segments[0].Name]
	return ok && len(array) == 0
}

// needsResource reports an error for the first resource in to that the command line has removed.
func (e *elaborator) needsResource(s *mapStmt, to []ref) {
	for i := range to {
		if name := to[i].Segments[0].Name; e.removed(&to[i]) {
			e.failf(faults.ResourceRemoved, position(to[i].Pos), fmt.Sprintf("omit this statement, or set %s to at "+
				"least 1", name), "%s needs %s, but %s=0 removes it", s.Kind, quote(to[i].String()),
				e.opt.given(name))
			return
		}
	}
}

// resourceRefs resolves proc[1], proc[1..3], proc[*] or proc.
func (e *elaborator) resourceRefs(r *ref) []int {
	out, found := e.findResources(r)
	if !found && !e.isUnread(r) {
		e.diags.add(faults.UnknownResource, position(r.Pos), "unknown resource "+quote(r.String()),
			didYouMean(r.Segments[0].Name, keys(e.resourceArray)))
	}
	return out
}

// findResources is like resourceRefs, but returns false for an unknown name and does not report it. It reports errors
// in an index.
func (e *elaborator) findResources(r *ref) ([]int, bool) {
	if len(r.Segments) != 1 {
		return nil, false
	}
	seg := &r.Segments[0]
	array, ok := e.resourceArray[seg.Name]
	if !ok {
		return nil, false
	}
	if e.work += len(array); e.work > maxReferences {
		e.fail(&mistake{faults.TooLarge, position(r.Pos), fmt.Sprintf("the files contain more than %d references",
			maxReferences), "name fewer kernels or resources, or use smaller arrays"})
		return nil, true
	}
	if len(array) == 0 {
		return []int{}, true
	}
	isArray := strings.HasSuffix(e.program.Resources[array[0]].Name, "]")
	chosen, err := e.choose(seg.Index, indexed{seg.Name, len(array), isArray, true}, position(seg.Pos), Values{})
	if err != nil {
		e.fail(err)
		return nil, true
	}
	var out []int
	for _, i := range chosen {
		out = append(out, array[i])
	}
	return out, true
}
