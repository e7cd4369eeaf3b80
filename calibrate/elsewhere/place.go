package elsewhere

import (
	"fmt"
	"slices"
	"strings"

	"xopt/calibrate/faults"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// Place is a resource to which figures apply or, if Resource is "", a platform.
type Place struct{ Resource, Platform string }

// PlacesOf returns the resources or the platform that --on names. The name of an array refers to all of its resources.
// For an empty name, PlacesOf returns nil.
func PlacesOf(p *xlang.Program, name string) ([]Place, error) {
	if name == "" {
		return nil, nil
	}
	var list []Place
	var names []string
	for i := range p.Resources {
		r := &p.Resources[i]
		array, _, _ := strings.Cut(r.Name, "[")
		if r.Name == name || array == name {
			list = append(list, Place{r.Name, r.Platform})
		}
		if !slices.Contains(names, array) {
			names = append(names, array)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	shown := len(names) // arrays are listed instead of their resources
	for i := range p.Platforms {
		if p.Platforms[i].Name == name {
			return []Place{{Platform: name}}, nil
		}
		names = append(names, p.Platforms[i].Name)
	}
	near := slices.Clone(names)
	for i := range p.Resources {
		near = append(near, p.Resources[i].Name)
	}
	text := "unknown resource or platform " + name
	if meant := xlang.Nearest(name, near); meant != "" {
		return nil, fmt.Errorf("%s; did you mean %s?", text, meant)
	}
	return nil, faults.UnknownPlace.Errorf("%s; available: %s, and the platforms %s", text,
		units.Some(names[:shown], maxNames), units.Some(names[shown:], maxNames))
}

// maxNames is the maximum number of resources, and of platforms, that an error message lists.
const maxNames = 6

// place sets the resources or platform to which a kernel's figures apply: those in the options, or the resource that
// the trace names.
func (m *matching) place(f *Figures) error {
	on := m.options.On
	f.On = m.options.Name
	for _, x := range m.header.Places {
		if len(on) == 0 && x.Kernel == f.Instance {
			var err error
			if on, err = PlacesOf(m.program, x.Resource); err != nil {
				return faults.PlaceNotNamed.Errorf("the trace names an %w (name the resource or platform with "+
					"--on)", err)
			}
		}
	}
	if len(on) == 0 {
		return faults.PlaceNotNamed.Errorf("the trace does not state where the kernel ran: name the resource or " +
			"platform with --on")
	}
	f.Resource, f.Platform, f.Also = on[0].Resource, on[0].Platform, on[1:]
	return nil
}

// Entries returns the profile entries, one for each resource to which the figures apply.
func (f *Figures) Entries() []profile.Kernel {
	list := []profile.Kernel{f.Kernel}
	for _, p := range f.Also {
		k := f.Kernel
		k.Resource, k.Platform = p.Resource, p.Platform
		list = append(list, k)
	}
	return list
}
