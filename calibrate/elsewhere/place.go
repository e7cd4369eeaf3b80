package elsewhere

import (
	"errors"
	"fmt"

	"xopt/internal/xlang"
)

// Place is what figures hold for: a resource, or, where Resource is "", all of a platform.
type Place struct{ Resource, Platform string }

// PlaceOf is the resource or platform of a name, as --on gives it; the zero value of no name.
func PlaceOf(p *xlang.Program, name string) (Place, error) {
	if name == "" {
		return Place{}, nil
	}
	var names []string
	for i := range p.Resources {
		if r := &p.Resources[i]; r.Name == name {
			return Place{r.Name, r.Platform}, nil
		}
		names = append(names, p.Resources[i].Name)
	}
	for i := range p.Platforms {
		if p.Platforms[i].Name == name {
			return Place{Platform: name}, nil
		}
		names = append(names, p.Platforms[i].Name)
	}
	if meant := xlang.Nearest(name, names); meant != "" {
		return Place{}, fmt.Errorf("unknown resource or platform %s; did you mean %s?", name, meant)
	}
	return Place{}, fmt.Errorf("unknown resource or platform %s", name)
}

// place says what the figures of a kernel hold for: what was given, or the resource that the trace names.
func (m *matching) place(f *Figures) error {
	on := m.options.On
	for _, x := range m.header.Places {
		if on == (Place{}) && x.Kernel == f.Instance {
			var err error
			if on, err = PlaceOf(m.program, x.Resource); err != nil {
				return fmt.Errorf("it ran, says the trace, on an %w; name the resource or platform here with --on", err)
			}
		}
	}
	if on == (Place{}) {
		return errors.New("the trace does not say where it ran: name the resource or platform with --on")
	}
	f.Resource, f.Platform = on.Resource, on.Platform
	return nil
}
