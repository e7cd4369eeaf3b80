package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/cmd/internal/campaign/slurm"
)

// fits is an error where an engine cannot compute a campaign, as far as that is known before it is made. nodes are
// those that its points are for; none where any machine will do.
func fits(e *campaign.Engine, nodes []string) error {
	switch e.Name {
	case campaign.Slurm:
		if e.Workers == 0 && len(nodes) == 0 {
			return wrongUse("say how many workers Slurm should start: --workers N, or workers: N in the campaign file")
		}
		return slurm.Installed()
	case campaign.SSH:
		return fitsHosts(e, nodes)
	}
	here := thisNode()
	if i := slices.IndexFunc(nodes, func(n string) bool { return n != here }); i >= 0 {
		return wrongUse("node %s cannot be measured by the engine local: that measures this machine alone, which is "+
			"%s; write a campaign file with kind: calibrate, nodes: [%s], and engine: slurm, or engine: ssh and hosts",
			nodes[i], here, strings.Join(nodes, ", "))
	}
	return nil
}

// fitsHosts is fits for hosts.
func fitsHosts(e *campaign.Engine, nodes []string) error {
	if len(e.Hosts) == 0 {
		return wrongUse("name the hosts: --hosts a,b or hosts: [a, b] in the campaign file")
	}
	if err := hosts.CheckHosts(e.Hosts); err != nil {
		return &usageError{err}
	}
	launch := e.Launch
	if launch == "" {
		launch = hosts.Usual
	}
	if _, err := hosts.Line(launch, e.Hosts[0], []string{"xopt"}); err != nil {
		return &usageError{err}
	}
	for _, n := range nodes {
		if !slices.Contains(e.Hosts, n) {
			return wrongUse("node %s is none of the hosts %s: name it there, too", n, strings.Join(e.Hosts, ", "))
		}
	}
	return nil
}

// ofEngine are the keys of campaign files that are for one engine alone.
func ofEngine() map[string]string {
	return map[string]string{"hosts": campaign.SSH, "launch": campaign.SSH, "slurm": campaign.Slurm}
}

// onHosts is why hosts have no number of workers.
const onHosts = "on each host one worker computes as many points at once as its cores allow"

// otherEngine refuses flags that the engine has no use for.
func (a *app) otherEngine(engine string) error {
	var errs []error
	for _, name := range []string{"hosts", "launch"} {
		if v := a.inForce[name]; v != nil && v.from == fromFlag && engine != campaign.SSH {
			errs = append(errs, fmt.Errorf("--%s is for --engine %s, and the engine is %s", name, campaign.SSH, engine))
		}
	}
	if v := a.inForce["workers"]; v != nil && v.from == fromFlag && engine == campaign.SSH {
		errs = append(errs, errors.New("--workers is not for --engine ssh: "+onHosts))
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	return nil
}

// otherEngine refuses keys of a campaign file that are neither for its own engine nor for the one that is used.
func (t *campaignText) otherEngine(engine string) error {
	var errs []error
	for _, p := range t.places {
		want := ofEngine()[p.key]
		switch {
		case want != "" && engine != want && t.said != want:
			errs = append(errs, fmt.Errorf("%s: %s is for engine: %s, and the engine is %s", p.place, p.key, want,
				engine))
		case p.key == "workers" && engine == campaign.SSH && t.said == campaign.SSH:
			errs = append(errs, fmt.Errorf("%s: workers is not for engine: ssh: %s", p.place, onHosts))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	return nil
}
