package main

import (
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/flow/xlang"
)

// givenConfig is an option that sets a config of the sources, or of the sinks.
type givenConfig struct {
	option, config, declared string
	sinks                    bool
}

// checkGiven is an error where --input, --elements or --sink is given and no kernel has the config
// that it sets, and where --elements is 0.
func (a *app) checkGiven(p *xlang.Program, input string) error {
	if err := a.positive("elements", a.settings.Elements); err != nil {
		return err
	}
	if err := checkInput(p, input); err != nil {
		return err
	}
	if a.settings.Elements > 0 {
		g := givenConfig{"--elements", "elements", "config UNSIGNED64 elements = 1000;", false}
		if err := hasConfig(p, g); err != nil {
			return err
		}
	}
	if a.settings.Sink != "" {
		return hasConfig(p, givenConfig{"--sink", "output", `config STRING output = "";`, true})
	}
	return nil
}

// checkInput is the same of --input alone.
func checkInput(p *xlang.Program, input string) error {
	if input == "" {
		return nil
	}
	return hasConfig(p, givenConfig{"--input", "input", `config STRING input = "";`, false})
}

// hasConfig is an error where no source, or no sink, has a config that an option sets.
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
