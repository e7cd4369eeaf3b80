package main

import (
	"fmt"
	"slices"
	"strings"

	"xopt/flow/xlang"
)

// meant says in a clause which key of xopt.yaml was meant by one that sets nothing; "" where that is not clear.
func (t table) meant(key string) string {
	if places := t.needingSection(key); len(places) > 0 {
		return "; give it in a section: " + strings.Join(places, ", ")
	}
	if near := t.nearest(key); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// needingSection lists the keys of the options that have a name, where all of them stand in sections only.
func (t table) needingSection(name string) []string {
	var list []string
	for _, o := range t {
		if o.name == name && o.is(ofCommand) {
			list = append(list, o.key())
		}
	}
	return list
}

// nearest is the key of xopt.yaml that is spelled most like one. Of a key in a section only what is wrong is
// compared, so that a long section does not make other names near.
func (t table) nearest(key string) string {
	dot := strings.LastIndexByte(key, '.')
	if dot < 0 {
		return xlang.Nearest(key, t.keys())
	}
	in, name := key[:dot], key[dot+1:]
	if sections := t.sections(); !slices.Contains(sections, in) {
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

// namesIn lists the names of the options that a section can hold.
func (t table) namesIn(in string) []string {
	var list []string
	for _, o := range t {
		for _, command := range o.in {
			if section(command) == in {
				list = append(list, o.name)
			}
		}
	}
	return list
}

// variable is what a key is called in the environment.
func variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
}

// unknownEnvironment remarks on variables that look like options but are not.
func (t table) unknownEnvironment(environ []string) []string {
	var known, names []string
	for _, o := range t {
		known = append(known, o.variable())
	}
	for _, k := range known {
		names = append(names, strings.TrimPrefix(k, envPrefix+"_"))
	}
	var remarks []string
	for _, e := range environ {
		variable, _, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, envPrefix+"_")
		if !ours || slices.Contains(known, variable) {
			continue
		}
		remarks = append(remarks, fmt.Sprintf("%s in the environment is not a setting%s", variable,
			t.meantVariable(name, names)))
	}
	return remarks
}

// meantVariable says in a clause which variable was meant by one that sets nothing. Names are without XOPT_.
func (t table) meantVariable(name string, known []string) string {
	var places []string
	for _, key := range t.needingSection(strings.ToLower(strings.ReplaceAll(name, "_", "-"))) {
		places = append(places, variable(key))
	}
	if len(places) > 0 {
		return "; name the command: " + strings.Join(places, ", ")
	}
	return didYouMean(envPrefix+"_", name, known)
}
