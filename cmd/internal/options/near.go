package options

import (
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/flow/xlang"
)

// meant returns a clause that suggests a known key for an unknown key; "" if no key is similar.
func (t Table) meant(key string) string {
	if places := t.needingSection(key); len(places) > 0 {
		return "; set it in a section: " + strings.Join(places, ", ")
	}
	return suggestion(t.nearest(key))
}

// needingSection lists the keys of the options with this name that are valid only in sections of xopt.yaml.
func (t Table) needingSection(name string) []string {
	var list []string
	for _, o := range t {
		if o.Name == name && o.Is(PerCommand) {
			list = append(list, o.Key())
		}
	}
	return list
}

// nearest returns the known key with the most similar spelling, or "". It compares section and name separately, so that
// a long common section does not make different names similar.
func (t Table) nearest(key string) string {
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return xlang.Nearest(key, t.keys())
	}
	in, name := key[:dot], key[dot+1:]
	if sections := t.Sections(); !slices.Contains(sections, in) {
		near := xlang.Nearest(in, sections) + "." + name
		if len(t.meantBy(near)) == 0 {
			return ""
		}
		return near
	}
	if near := xlang.Nearest(name, t.namesIn(in)); near != "" {
		return in + "." + near
	}
	return ""
}

// namesIn lists the names of the options in a section.
func (t Table) namesIn(in string) []string {
	var list []string
	for _, o := range t {
		for _, command := range o.Commands {
			if Section(command) == in {
				list = append(list, o.Name)
			}
		}
	}
	return list
}

// variable returns the environment variable of a key.
func variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
}

// UnknownEnvironment returns a note for each XOPT_ variable that is not a setting.
func (t Table) UnknownEnvironment(environ []string) []string {
	var existing, names []string
	for _, o := range t {
		existing = append(existing, o.Variable())
	}
	for _, k := range existing {
		names = append(names, strings.TrimPrefix(k, envPrefix+"_"))
	}
	var remarks []string
	for _, e := range environ {
		variable, _, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, envPrefix+"_")
		if !ours || slices.Contains(existing, variable) {
			continue
		}
		remarks = append(remarks, faults.UnknownSetting.Textf("environment variable %s is not a setting%s",
			variable, t.meantVariable(name, names)))
	}
	return remarks
}

// meantVariable returns a clause that suggests a known variable for an unknown variable. name and existing have no
// prefix XOPT_.
func (t Table) meantVariable(name string, existing []string) string {
	var places []string
	for _, key := range t.needingSection(strings.ToLower(strings.ReplaceAll(name, "_", "-"))) {
		places = append(places, variable(key))
	}
	if len(places) > 0 {
		return "; include the command: " + strings.Join(places, ", ")
	}
	return DidYouMean(envPrefix+"_", name, existing)
}

// DidYouMean returns a clause that suggests the known name with the most similar spelling; "" if no name is similar.
func DidYouMean(prefix, name string, existing []string) string {
	if near := xlang.Nearest(name, existing); near != "" {
		return suggestion(prefix + near)
	}
	return ""
}

// suggestion returns a clause that suggests a name; "" for none.
func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return ", did you mean " + name + "?"
}
