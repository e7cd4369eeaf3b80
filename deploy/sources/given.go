package sources

import (
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
)

// givenConfig is an option that sets a config of the sources, or of the sinks.
type givenConfig struct {
	option, config, declared string
	sinks                    bool
}

// CheckInput returns an error where --input is given and no source has the config that it sets.
func CheckInput(p *xlang.Program, input string) error {
	if input == "" {
		return nil
	}
	return hasConfig(p, givenConfig{"--input", "input", `config STRING input = "";`, false})
}

// CheckElements returns an error if no source has the config that --elements sets.
func CheckElements(p *xlang.Program) error {
	return hasConfig(p, givenConfig{"--elements", "elements", "config UNSIGNED64 elements = 1000;", false})
}

// CheckSink returns an error if no sink has the config that --sink sets.
func CheckSink(p *xlang.Program) error {
	return hasConfig(p, givenConfig{"--sink", "output", `config STRING output = "";`, true})
}

// hasConfig returns an error if no source, or no sink, has a config that an option sets.
func hasConfig(p *xlang.Program, g givenConfig) error {
	var lack []string
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if g.sinks && len(k.Outputs) > 0 || !g.sinks && len(k.Inputs) > 0 {
			continue
		}
		if _, has := k.Config[g.config]; has {
			return nil
		}
		if !slices.Contains(lack, k.Block) {
			lack = append(lack, k.Block)
		}
	}
	role := map[bool]string{false: "source", true: "sink"}[g.sinks]
	return faults.UnusedConfig.Usagef("%s sets config %s of %ss, and no %s has one: leave it out, or add `%s` to "+
		"block %s and use d->config.%s in its code", g.option, g.config, role, role, g.declared, strings.Join(lack,
		" or "), g.config)
}
