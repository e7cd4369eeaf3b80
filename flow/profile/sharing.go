package profile

import (
	"fmt"
	"math"

	"xopt/flow"
)

// Sharing describes how kernels share a core of a platform on this machine.
type Sharing struct {
	Platform  string `json:"platform"`
	Processes string `json:"processes"` // the platform's config: "core" or "kernel"
	Wait      string `json:"wait"`      // the platform's config
	Scheduler string `json:"scheduler"`
	// Model is the sharing rule of predictions, "conserving" or "equal". Error is the maximum relative error of Model
	// on the pipelines.
	Model string  `json:"model"`
	Error float64 `json:"error"`
	// Test is the result of the test of Model with the pipelines; "" in profiles of earlier versions.
	Test SharingTest `json:"test,omitempty"`
	// Others is the mean number of processors that other programs used during the test.
	Others float64 `json:"others,omitempty"`
	// SwitchCost is the additional time in s of each firing on a shared core.
	SwitchCost *Figure         `json:"switchCost,omitempty"`
	Pipelines  []SharePipeline `json:"pipelines"`
}

// SharingTest is the result of the test of a sharing rule.
type SharingTest string

// These are the results. The scheduler determines the rule, unless the result is [SharingExcluded].
const (
	// SharingConfirmed means that every pipeline that distinguishes the rules excludes the other rule, and does not
	// exclude Model.
	SharingConfirmed SharingTest = "confirmed"
	// SharingOpen means that the test has no clear result: for example, the pipelines exclude neither rule, or some
	// pipelines exclude one rule and other pipelines exclude the other rule.
	SharingOpen SharingTest = "open"
	// SharingExcluded means that the pipelines exclude the scheduler's rule, and Model is the other rule.
	SharingExcluded SharingTest = "excluded"
)

// Rule returns the sharing rule that Model names.
func (s *Sharing) Rule() (flow.SharingRule, error) {
	rule, err := flow.ParseSharingRule(s.Model, flow.CommonSharingRules()...)
	if err != nil {
		return 0, fmt.Errorf("model is %w", err)
	}
	return rule, nil
}

// SharePipeline is a measured pipeline of kernels on one core.
type SharePipeline struct {
	Times []float64  `json:"times"` // work of each kernel in s
	Rate  float64    `json:"rate"`  // measured rate, elements/s
	CI95  [2]float64 `json:"ci95"`  // interval of Rate; with few runs, the range of all runs
	// Modelled contains the rates under both rules, in elements/s, without switch costs.
	Modelled struct {
		Conserving float64 `json:"conserving"`
		Equal      float64 `json:"equal"`
		// ConservingCI95 and EqualCI95 are the intervals of these rates. They are computed from the intervals of the
		// rates of the kernels alone, and are [0, 0] in profiles of earlier versions.
		ConservingCI95 [2]float64 `json:"conservingCI95,omitzero"`
		EqualCI95      [2]float64 `json:"equalCI95,omitzero"`
	} `json:"modelled"`
}

// validate returns an error for an impossible rate, or a rate outside its interval.
func (p *SharePipeline) validate(path string) error {
	for _, x := range []struct {
		name  string
		value float64
		ci95  [2]float64
	}{{"rate", p.Rate, p.CI95}, {"modelled.conserving", p.Modelled.Conserving, p.Modelled.ConservingCI95},
		{"modelled.equal", p.Modelled.Equal, p.Modelled.EqualCI95}} {
		if !(x.value > 0) || math.IsInf(x.value, 1) {
			return fmt.Errorf("%s.%s is %g, expected above 0", path, x.name, x.value)
		}
		if x.ci95 != [2]float64{} && !(x.ci95[0] <= x.value && x.value <= x.ci95[1]) {
			return fmt.Errorf("%s.%s is %g, outside its interval [%g, %g]", path, x.name, x.value, x.ci95[0], x.ci95[1])
		}
	}
	return nil
}
