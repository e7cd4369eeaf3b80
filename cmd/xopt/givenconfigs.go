package main

import (
	"xopt/deploy/sources"
	"xopt/flow/xlang"
)

// checkGiven returns an error if --input, --elements or --sink is given and no kernel has the corresponding config,
// or if --elements is 0.
func (a *app) checkGiven(p *xlang.Program, input string) error {
	if err := a.positive("elements", a.settings.Elements); err != nil {
		return err
	}
	if err := sources.CheckInput(p, input); err != nil {
		return err
	}
	if a.settings.Elements > 0 {
		if err := sources.CheckElements(p); err != nil {
			return err
		}
	}
	if a.settings.Sink != "" {
		return sources.CheckSink(p)
	}
	return nil
}
