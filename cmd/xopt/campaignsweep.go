package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/internal/campaign"
	"xopt/internal/design"
	"xopt/internal/result"
	"xopt/mapper"
)

// sweptAnswer is what a search at one point has found, as campaigns keep it.
type sweptAnswer struct {
	None       bool                 `json:"none,omitempty"` // no mapping is feasible
	Mapping    *result.SweptMapping `json:"mapping,omitempty"`
	Throughput result.Number        `json:"throughput"`
	Value      result.Number        `json:"value"` // of the objective
	Bound      result.Number        `json:"bound"`
	Optimal    bool                 `json:"optimal"`
	Resources  int                  `json:"resources"`
	Traffic    result.Number        `json:"traffic"`
	Cores      int                  `json:"cores"`
	Measures   []result.Number      `json:"measures"` // in the order of measureFields
}

// measureFields are the measures that are not whole numbers.
func measureFields(m *mapper.Measures) []*float64 {
	return []*float64{&m.Rate, &m.Latency, &m.Worst, &m.Buffers, &m.Buffer, &m.Area, &m.Power, &m.Energy, &m.Price}
}

// answerOf is what was found at a point, as campaigns keep it.
func answerOf(d *design.Design, found *foundPoint) *sweptAnswer {
	if found == nil {
		return &sweptAnswer{None: true}
	}
	b := &found.best
	places := placesOf(d, b.Mapping)
	x := &sweptAnswer{Mapping: &places, Throughput: result.Number(b.Throughput), Value: result.Number(b.Value),
		Bound: result.Number(found.bound), Optimal: found.optimal, Resources: b.Resources,
		Traffic: result.Number(b.Traffic), Cores: b.Measures.Cores}
	for _, f := range measureFields(&b.Measures) {
		x.Measures = append(x.Measures, result.Number(*f))
	}
	return x
}

// answeredPoint is what a campaign has found at a point; nil where there is no mapping.
func answeredPoint(d *design.Design, answer json.RawMessage) (*foundPoint, error) {
	var x sweptAnswer
	if err := json.Unmarshal(answer, &x); err != nil {
		return nil, fmt.Errorf("reading the answer of a point: %w", err)
	}
	if x.None {
		return nil, nil
	}
	found := &foundPoint{optimal: x.Optimal, bound: float64(x.Bound), best: mapper.Candidate{
		Throughput: float64(x.Throughput), Value: float64(x.Value), Resources: x.Resources, Traffic: float64(x.Traffic),
		Measures: mapper.Measures{Cores: x.Cores}}}
	fields := measureFields(&found.best.Measures)
	if x.Mapping != nil {
		found.best.Mapping = mappingOf(d, x.Mapping)
	}
	if found.best.Mapping == nil || len(x.Measures) != len(fields) {
		return nil, errors.New("the answer of a point is not of these files")
	}
	for i, f := range fields {
		*f = float64(x.Measures[i])
	}
	return found, nil
}

// sweepPoints are the points of a sweep.
func (a *app) sweepPoints(_ *cobra.Command, files []string) ([]campaign.Point, error) {
	s, err := a.prepareSweep(files, &a.settings.sweep)
	if err != nil {
		return nil, err
	}
	points := make([]campaign.Point, s.all)
	for i := range points {
		var label []string
		for j, value := range s.values(i) {
			label = append(label, s.list[j].name+"="+value+s.list[j].unit)
		}
		points[i].Label = strings.Join(label, " ")
	}
	return points, nil
}

// sweepComputer computes the points of a sweep.
func (a *app) sweepComputer(_ *cobra.Command, files []string) (computer, error) {
	s, err := a.prepareSweep(files, &a.settings.sweep)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, p *campaign.Point) (any, error) {
		d, _, err := a.designPoint(ctx, s, p.N)
		if err != nil {
			return nil, err
		}
		found, err := a.findPoint(ctx, d, s.goal, p.N)
		if err != nil {
			return nil, err
		}
		return answerOf(d, found), nil
	}, nil
}
