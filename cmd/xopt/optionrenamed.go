package main

import (
	"fmt"
	"os"
	"slices"
)

// An option that was called something else still takes its earlier name wherever it takes its own: as a flag, in
// xopt.yaml with and without the section of a command, and as a variable.

// earlierKey is the earlier name outside sections; "" for none.
func (o *option) earlierKey() string {
	if o.is(oldInSection) {
		return ""
	}
	return o.old
}

// renamed returns what is now written in xopt.yaml instead of an earlier key of the option.
func (o *option) renamed(key string) (now string, ok bool) {
	if o.old == "" || o.is(notInFile) {
		return "", false
	}
	if key == o.earlierKey() {
		return o.key(), true
	}
	for _, command := range o.in {
		if key == section(command)+"."+o.old {
			return section(command) + "." + o.name, true
		}
	}
	return "", false
}

// keysIn lists what the option is called in xopt.yaml where a command runs: what goes first, first.
func (o *option) keysIn(command string) []string {
	if o.is(ofCommand) {
		command = o.in[0] // whatever shows it
	}
	var keys []string
	if slices.Contains(o.in, command) {
		keys = append(keys, section(command)+"."+o.name)
		if o.old != "" {
			keys = append(keys, section(command)+"."+o.old)
		}
	}
	keys = append(keys, o.key())
	if earlier := o.earlierKey(); earlier != "" {
		keys = append(keys, earlier)
	}
	return keys
}

// earlierVariables lists what the option was called in the environment.
func (o *option) earlierVariables() []string {
	var list []string
	if earlier := o.earlierKey(); earlier != "" {
		list = append(list, variable(earlier))
	}
	if o.old != "" && (o.is(ofCommand) || o.is(oldInSection)) {
		list = append(list, variable(section(o.in[0])+"."+o.old))
	}
	return list
}

// findRenamed finds which of the earlier names of options are in the file and in the environment.
func (a *app) findRenamed(list table, file *configFile, command string) {
	for _, o := range list {
		for i := range file.entries {
			e := &file.entries[i]
			if now, ok := o.renamed(e.key); ok && (command == showPrefix || slices.Contains(o.keysIn(command), e.key)) {
				a.renamed[e.place+": "+e.key] = now
			}
		}
		for _, name := range o.earlierVariables() {
			if os.Getenv(name) != "" {
				a.renamed[name] = o.variable()
			}
		}
	}
}

// flagsOf lists the options whose earlier names the flags of a command take.
func (a *app) flagsOf(command string, list table) table {
	if command != showPrefix {
		return list
	}
	return slices.DeleteFunc(slices.Clone(a.table), func(o *option) bool { return o.is(ofCommand) })
}

// noteRenamed notes which earlier names were used.
func (a *app) noteRenamed() {
	var list []string
	for old, now := range a.renamed {
		list = append(list, fmt.Sprintf("%s is now called %s", old, now))
	}
	slices.Sort(list)
	for _, x := range list {
		a.note("note: %s", x)
	}
}
