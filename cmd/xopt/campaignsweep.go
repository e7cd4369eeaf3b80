package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/result"
)

// sweptAnswer is what a search at one point has found, as campaigns keep it.
type sweptAnswer struct {
	None       bool                 `json:"none,omitempty"` // no mapping is feasible
	Mapping    *result.SweptMapping `json:"mapping,omitempty"`
	Where      string               `json:"where,omitempty"` // the mapping in words, where kernels run in copies
	Throughput result.Number        `json:"throughput"`
	Value      result.Number        `json:"value"` // of the objective
	Bound      result.Number        `json:"bound"`
	Optimal    bool                 `json:"optimal"`
	Resources  int                  `json:"resources"`
	Traffic    result.Number        `json:"traffic"`
	Cores      int                  `json:"cores"`
	Measures   []result.Number      `json:"measures"` // in the order of measureFields
	Told       toldPoint            `json:"told"`
}

// measureFields are the measures that are not whole numbers.
func measureFields(m *mapper.Measures) []*float64 {
	return []*float64{&m.Rate, &m.Latency, &m.Worst, &m.Buffers, &m.Buffer, &m.Area, &m.Power, &m.Energy, &m.Price}
}

// answerOf is what was found at a point, as campaigns keep it.
func answerOf(ctx context.Context, found *foundPoint) (*sweptAnswer, error) {
	if found == nil {
		return &sweptAnswer{None: true}, nil
	}
	d := found.design
	told, err := tell(ctx, d, found.best.Mapping)
	if err != nil {
		return nil, err
	}
	b := &found.best
	places := placesOf(d, b.Mapping)
	x := &sweptAnswer{Mapping: &places, Throughput: result.Number(b.Throughput), Value: result.Number(b.Value),
		Bound: result.Number(found.bound), Optimal: found.optimal, Resources: b.Resources,
		Traffic: result.Number(b.Traffic), Cores: b.Measures.Cores, Told: *told}
	if places.Turns != nil {
		x.Where = placed(d, b.Mapping)
	}
	for _, f := range measureFields(&b.Measures) {
		x.Measures = append(x.Measures, result.Number(*f))
	}
	return x, nil
}

// found is what a campaign has found at a point, without its mapping; nil where there is none.
func (x *sweptAnswer) found() (*foundPoint, error) {
	if x.None {
		return nil, nil
	}
	found := &foundPoint{optimal: x.Optimal, bound: float64(x.Bound), best: mapper.Candidate{
		Throughput: float64(x.Throughput), Value: float64(x.Value), Resources: x.Resources, Traffic: float64(x.Traffic),
		Measures: mapper.Measures{Cores: x.Cores}}}
	fields := measureFields(&found.best.Measures)
	if x.Mapping == nil || len(x.Measures) != len(fields) {
		return nil, errors.New("the answer of a point is not of these files")
	}
	for i, f := range fields {
		*f = float64(x.Measures[i])
	}
	return found, nil
}

// missing reports whether a campaign has not computed a point.
func (a *app) missing(i int) bool { return a.answers != nil && a.answers[i] == nil }

// notComputed is what is said of such a point: of its proof, and of what limits it.
func notComputed() (proof, bottleneck string) { return result.NotComputed, "-" }

// answer is that of a point of a campaign; nil without one.
func (a *app) answer(i int) (*sweptAnswer, error) {
	if a.answers == nil {
		return nil, nil
	}
	x := new(sweptAnswer)
	if err := json.Unmarshal(a.answers[i], x); err != nil {
		return nil, fmt.Errorf("reading the answer of point %d: %w", i+1, err)
	}
	return x, nil
}

// answeredPoint is what a campaign has found at a point; nil where there is no mapping.
func answeredPoint(d *design.Design, x *sweptAnswer) (*foundPoint, error) {
	found, err := x.found()
	if err != nil || found == nil {
		return nil, err
	}
	if x.Mapping.Turns != nil {
		found.answer = x
		return found, nil
	}
	found.design = d
	if found.best.Mapping = mappingOf(d, x.Mapping); found.best.Mapping == nil {
		return nil, errors.New("the answer of a point is not of these files")
	}
	return found, nil
}

// quickPoint adds a point of a campaign without reading its files again, and reports whether it could: where nothing
// was computed, where there is no mapping, and where the mapping is that of the point before, which is preferred to
// all that tie with it.
func (a *app) quickPoint(s *sweeping, i int) (bool, error) {
	if a.answers == nil || i == s.all-1 { // the last one's files are described
		return false, nil
	}
	p := result.SweptPoint{Values: s.values(i), Mapping: -1}
	if a.missing(i) {
		p.Proof, p.Bottleneck = notComputed()
		s.add(p, nil)
		return true, nil
	}
	x, err := a.answer(i)
	if err != nil {
		return false, err
	}
	found, err := x.found()
	if err != nil {
		return false, err
	}
	if found == nil {
		p.Proof, p.Bottleneck = noMapping()
		s.add(p, nil)
		return true, nil
	}
	order := s.preferred(i)
	if len(order) == 0 || !reflect.DeepEqual(s.done.Places[order[0]], *x.Mapping) {
		return false, nil
	}
	x.Told.fill(&p, s.goal, found)
	s.add(p, &sweptMapping{s.done.Mappings[order[0]], *x.Mapping})
	return true, nil
}

// sweepPoints are the points of a sweep.
func (a *app) sweepPoints(c *cobra.Command, files []string) ([]campaign.Point, error) {
	s, err := a.prepareSweep(files, &a.settings.sweep)
	if err != nil {
		return nil, err
	}
	if err := a.checkValues(c.Context(), s); err != nil {
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
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		d, _, err := a.designPoint(ctx, s, p.N)
		if err != nil {
			return nil, err
		}
		found, err := a.findPoint(ctx, d, s, p.N)
		if err != nil {
			return nil, err
		}
		return answerOf(ctx, found)
	}, nil
}
