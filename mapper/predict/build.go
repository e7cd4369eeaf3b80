package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/mapper/faults"
	"xopt/mapper/result"
	"xopt/queueing"
)

// Mapping predicts one mapping of a design. It returns the errors of the solver.
func Mapping(ctx context.Context, d *design.Design, m *flow.Mapping, solver flow.Solver,
	name string) (*result.Candidate,
	error) {
	return MappingLimited(Limits{All: ctx, Sizes: ctx, Comparisons: ctx}, d, m, solver, name)
}

// Brief predicts one mapping like [Mapping], but only the throughput with its interval, origins and bottlenecks. It
// also returns the names of the limits of the first bottleneck.
func Brief(ctx context.Context, d *design.Design, m *flow.Mapping) (*result.Candidate, []string, error) {
	n, s, err := solved(ctx, d, m)
	if err != nil {
		return nil, nil, err
	}
	b := builder{design: d, network: n, solution: s, out: &result.Candidate{Throughput: result.Number(s.Throughput)}}
	b.origins()
	b.bottlenecks()
	return b.out, s.Limiting(n), b.interval()
}

// solved returns the flow network of a mapping and its solution.
func solved(ctx context.Context, d *design.Design, m *flow.Mapping) (*flow.Network, *flow.Solution, error) {
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, nil, err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	return n, s, err
}

// Limits contains the contexts for the parts of a prediction. If All is done, the prediction fails. If another context
// is done, the prediction omits the corresponding part and adds a warning.
type Limits struct {
	All         context.Context
	Sizes       context.Context // context for queues and their buffers
	Comparisons context.Context // context for predictions with other figures and sharing rules
}

// MappingLimited predicts one mapping like [Mapping], but omits the parts whose contexts are done.
func MappingLimited(l Limits, d *design.Design, m *flow.Mapping, solver flow.Solver, name string) (*result.Candidate,
	error) {
	ctx := l.All
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, err
	}
	s, err := solver.Solve(ctx, n)
	if err != nil {
		return nil, err
	}
	b := builder{design: d, network: n, solution: s, out: &result.Candidate{Name: name,
		Throughput: result.Number(s.Throughput)}}
	b.origins()
	b.placement()
	b.bottlenecks()
	b.stations()
	if err := b.queues(l.Sizes); err != nil && (l.Sizes.Err() == nil || ctx.Err() != nil) {
		return nil, err
	} else if err != nil {
		b.out.Queues = nil
		b.out.Warnings = append(b.out.Warnings, leftOut(l.Sizes, "the queues and the buffer sizes"))
	}
	b.resources()
	if err := b.interval(); err != nil {
		return nil, err
	}
	if err := b.compare(ctx, l.Comparisons); err != nil {
		return nil, err
	}
	b.latency()
	b.iteration()
	for _, text := range d.Wrong(m) {
		b.out.Warnings = append(b.out.Warnings, faults.MismatchPlaced.Notef("%s", text))
	}
	for _, w := range s.Warnings {
		b.out.Warnings = append(b.out.Warnings, fault.Note{ID: fault.Of(w), Text: w.Error()})
	}
	return b.out, nil
}

// compare adds the predictions with faster parts, with other sharing rules, and with figures at the ends of their
// intervals.
func (b *builder) compare(ctx, extras context.Context) error {
	err := extras.Err()
	if err == nil {
		err = b.tenPercent(extras)
	}
	if err == nil {
		err = b.otherwise(extras)
	}
	if err != nil && extras.Err() != nil && ctx.Err() == nil {
		b.forget()
		b.out.Warnings = append(b.out.Warnings,
			leftOut(extras, "the gains from parts that are 10 % faster, and the throughput with other sharing rules"))
		return nil
	}
	return err
}

// leftOut returns a warning that a part is missing because a context is done.
func leftOut(ended context.Context, what string) fault.Note {
	why := "after the interruption"
	if errors.Is(ended.Err(), context.DeadlineExceeded) {
		why = "because the time limit was reached (increase --time)"
	}
	return faults.StepsLeftOut.Notef("xopt omitted %s %s", what, why)
}

// forget removes incomplete comparisons.
func (b *builder) forget() {
	for _, list := range [][]result.Share{b.out.Resources, b.out.Links} {
		for i := range list {
			list[i].TenPercent = 0
		}
	}
	for i := range b.out.Stations {
		b.out.Stations[i].TenPercent = 0
	}
	b.out.Blocks, b.out.Alternatives = nil, nil
}

type builder struct {
	design   *design.Design
	network  *flow.Network
	solution *flow.Solution
	out      *result.Candidate
}

func (b *builder) origins() {
	counts := make(map[flow.Origin]int)
	for _, c := range b.design.Citations(b.network.Mapping) {
		counts[c.Origin] += c.Figures
		cited := result.Citation{Origin: c.Origin.String(), Note: c.Note, Figures: c.Figures, Stale: c.Stale}
		if c.Origin == flow.Assumed {
			cited.Of = c.Of[:min(len(c.Of), result.MaxNamedFigures)]
		}
		b.out.Citations = append(b.out.Citations, cited)
		if c.Stale != "" {
			b.out.Stale += c.Figures
		}
		if b.design.Disturbed != "" && c.Profile {
			b.out.Disturbed += c.Figures
		}
	}
	for _, o := range []flow.Origin{flow.Measured, flow.Simulated, flow.Published, flow.Assumed, flow.Derived} {
		if counts[o] > 0 {
			b.out.Figures = append(b.out.Figures, result.OriginCount{Origin: o.String(), Count: counts[o]})
		}
	}
}

func (b *builder) placement() {
	p := b.design.Problem
	for k, r := range b.network.Mapping.Place {
		b.out.Place = append(b.out.Place, result.Placement{Kernel: p.Application.Kernels[k].Name,
			Resource: p.Architecture.Resources[r].Name, Copies: b.design.Program.Kernels[k].Instances})
	}
	for e, route := range b.network.Mapping.Route {
		if len(route) > 0 {
			b.out.Routes = append(b.out.Routes, result.Route{Edge: p.Application.Edges[e].Name,
				Links: b.linkNames(route)})
		}
	}
}

func (b *builder) linkNames(route []int) []string {
	names := make([]string, len(route))
	for i, l := range route {
		names[i] = b.design.Problem.Architecture.Links[l].Name
	}
	return names
}

func (b *builder) bottlenecks() {
	for at, step := range b.solution.Bottlenecks {
		out := result.Step{Throughput: result.Number(step.Throughput)}
		for _, i := range step.Limits {
			l := &b.network.Limits[i]
			limit := result.Limit{Name: l.Name}
			if l.Cycle != nil {
				limit.Cycle = b.cycle(l.Cycle, at == 0)
			} else {
				limit.Sharing = ruleOf(b.design.Problem, l).String()
			}
			parts := b.network.Parts(i, b.solution)
			if total := floats.Sum(parts); l.Cycle == nil && total > 0 {
				floats.Scale(1/total, parts)
			}
			order := make([]int, len(parts))
			for m := range order {
				order[m] = m
			}
			slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(parts[y], parts[x]) })
			for _, m := range order {
				st := &b.network.Stations[l.Members[m]]
				name := st.Name
				if st.Kind == flow.LinkStation {
					name = b.design.Problem.Application.Edges[st.Edge].Name
				}
				limit.Members = append(limit.Members, name)
				limit.Parts = append(limit.Parts, result.Number(parts[m]))
			}
			out.Limits = append(out.Limits, limit)
		}
		b.out.Bottlenecks = append(b.out.Bottlenecks, out)
	}
	b.out.Bottlenecks = merged(b.out.Bottlenecks)
}

// cycle converts a cycle and its bound for the result. If limits is set, it adds the throughput with one more initial
// element.
func (b *builder) cycle(c *flow.Cycle, limits bool) *result.Cycle {
	app := &b.design.Problem.Application
	out := &result.Cycle{Initial: c.Initial, Every: result.Number(c.Every)}
	for _, k := range c.Kernels {
		out.Kernels = append(out.Kernels, app.Kernels[k].Name)
	}
	for _, e := range c.Edges {
		edge := &app.Edges[e]
		out.Edges = append(out.Edges, edge.Name)
		if !limits || out.MoreOn != "" || edge.Initial == 0 {
			continue
		}
		if more, err := flow.NewVariations(b.network).MoreInitial(e, 1); err == nil {
			out.MoreOn, out.More = edge.Name, result.Number(more)
		}
	}
	return out
}

func ruleOf(p *flow.Problem, l *flow.Limit) flow.SharingRule {
	if l.Link >= 0 {
		return p.Architecture.Links[l.Link].Sharing.Rule
	}
	return p.Architecture.Resources[l.Resource].Sharing.Rule
}

func (b *builder) stations() {
	p := b.design.Problem
	for i := range b.network.Stations {
		st, state := &b.network.Stations[i], &b.solution.Stations[i]
		out := result.Station{
			Name: st.Name, ServiceRate: result.Number(state.ServiceRate), SharedRate: result.Number(state.SharedRate),
			ArrivalRate: result.Number(state.ArrivalRate),
			Utilization: result.Number(min(1, state.Utilization)), Share: result.Number(state.Share),
			Origin: st.Origin.String(),
		}
		for part, x := range state.Parts {
			if x > 0 {
				out.Parts = append(out.Parts, b.part(flow.Part(part), st, state))
			}
		}
		if len(b.solution.Prices) > 0 {
			out.Elasticity, out.Shadow = result.Number(b.solution.Prices[i].Elasticity),
				result.Number(b.solution.Prices[i].Shadow)
		}
		if st.Kind == flow.LinkStation {
			out.On, out.IsLink, out.Note = p.Architecture.Links[st.Link].Name, true, p.Architecture.Links[st.Link].Note
			out.Name = p.Application.Edges[st.Edge].Name
		} else {
			out.On, out.Note = p.Architecture.Resources[st.Resource].Name, p.Figures[st.Kernel][st.Resource].Note
			for _, f := range b.network.RateFactors(st.Kernel) {
				out.Factors = append(out.Factors, result.Factor{Name: f.Name, Times: result.Number(f.Times)})
			}
		}
		b.out.Stations = append(b.out.Stations, out)
	}
}

// queues estimates the queue before each link that an edge crosses, and before its kernel. A kernel with several
// in-edges has one queue in the model (Beard 2013, Fig. 6). Therefore, the estimate for each of these edges is the size
// of the entire queue. The recommended size is for the complete edge, and is stored with the edge's last queue.
func (b *builder) queues(ctx context.Context) error {
	p := b.design.Problem
	at := flow.NewOperation(b.network, b.solution)
	sizes, err := buffers.Recommend(ctx, p, b.network.Flows, at)
	if err != nil {
		return fmt.Errorf("sizing buffers: %w", err)
	}
	evenCopies(b.design, sizes)
	station := make([]int, len(p.Application.Kernels))
	crossings, rings := make([][]int, len(p.Application.Edges)), flow.NewRings(p)
	for i := range b.network.Stations {
		if st := &b.network.Stations[i]; st.Kind == flow.KernelStation {
			station[st.Kernel] = i
		} else {
			crossings[st.Edge] = append(crossings[st.Edge], i)
		}
	}
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, i := range append(crossings[e], station[edge.To]) {
			st := &b.network.Stations[i]
			q := result.Queue{
				Edge: edge.Name, From: p.Application.Kernels[edge.From].Name, To: p.Application.Kernels[edge.To].Name,
				Before: st.Name,
				Flow:   result.Number(b.solution.EdgeFlow[e]), ElementBytes: result.Number(edge.ElementBytes),
				Utilization: result.Number(min(1, b.solution.Stations[i].Utilization)),
			}
			if ring := rings.Of(e, b.network.Mapping); ring != e {
				q.Ring = p.Application.Edges[ring].Name
			}
			if st.Kind == flow.LinkStation {
				q.Before = p.Architecture.Links[st.Link].Name
			}
			load := queueing.Load{Utilization: b.solution.Stations[i].Utilization, ArrivalSCV: -1, ServiceSCV: -1}
			if st.Kind == flow.KernelStation {
				load.ServiceSCV = p.Figures[st.Kernel][st.Resource].ServiceSCV
				q.Recommended = recommended(&sizes[e], edge.ElementBytes)
				b.tooLarge(edge.Name, float64(q.Recommended.Bytes))
				b.window(e)
			}
			if err := estimate(&q, load); err != nil {
				return fmt.Errorf("sizing the buffer of %s before %s: %w", edge.Name, q.Before, err)
			}
			if st.Kind == flow.LinkStation {
				b.earlyTransfers(e, st.Link)
			}
			if st.Kind == flow.KernelStation {
				if err := b.virtualQueue(at, &q, e, load); err != nil {
					return fmt.Errorf("sizing the buffer of %s over its links: %w", edge.Name, err)
				}
			}
			if given, ok := b.design.Buffers[e]; ok && st.Kind == flow.KernelStation {
				q.Given = &result.Estimate{Estimator: "given", Elements: result.Number(given),
					Bytes: result.Number(float64(given) * edge.ElementBytes)}
				if text := sizes[e].Minimum.TooSmall(edge.Name, given); text != "" { // searches accept such sizes
					b.out.Warnings = append(b.out.Warnings, faults.BufferBelowLeast.Notef("%s", text))
				}
			}
			b.out.Queues = append(b.out.Queues, q)
		}
	}
	return nil
}

// recommended converts the recommended size of an edge for the result.
func recommended(s *buffers.Size, elementBytes float64) *result.Recommendation {
	return &result.Recommendation{Estimate: result.Estimate{Estimator: s.By, Elements: result.Number(s.Elements),
		Bytes: result.Number(s.Elements * elementBytes)}, Level: s.Level.String(), Reason: s.Reason,
		Min: result.Number(s.Minimum.Elements), MinWhy: s.Minimum.Why}
}

// estimate adds the size of each estimator to a queue. It adds none if the utilization is 1, which φ = 1 permits.
func estimate(q *result.Queue, load queueing.Load) error {
	if load.Utilization >= 1 {
		return nil
	}
	for _, e := range queueing.Estimators() {
		k, err := e.Elements(load, queueing.DefaultProbability)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		// Include even a buffer that exceeds any memory.
		bytes := k * float64(q.ElementBytes)
		q.Estimates = append(q.Estimates, result.Estimate{Estimator: e.Name, Elements: result.Number(k),
			Bytes: result.Number(bytes)})
	}
	return nil
}

func (b *builder) resources() {
	arch := &b.design.Problem.Architecture
	onResource, onLink := make([]float64, len(arch.Resources)), make([]float64, len(arch.Links))
	for i, p := range b.solution.Prices {
		if st := &b.network.Stations[i]; st.Kind == flow.LinkStation {
			onLink[st.Link] += p.Elasticity
		} else {
			onResource[st.Resource] += p.Elasticity
		}
	}
	for i := range arch.Resources {
		r, state := &arch.Resources[i], &b.solution.Resources[i]
		out := result.Share{
			Name: r.Name, Sharing: r.Sharing.Rule.String(), SharingOrigin: r.Sharing.Origin.String(),
			SharingNote: r.Sharing.Note, SharingError: result.Number(r.Sharing.TestError),
			Members: state.Members, Utilization: result.Number(state.Utilization),
			Elasticity: result.Number(onResource[i]),
		}
		if r.Sharing.Rule == flow.AreaOnly {
			for kind := range r.Area {
				out.Area = append(out.Area, result.Area{Kind: flow.AreaKind(kind),
					Used: result.Number(state.Area[kind]), Usable: result.Number(r.Area[kind])})
			}
			out.Origin = r.AreaOrigin.String()
		}
		b.out.Resources = append(b.out.Resources, out)
	}
	for i := range arch.Links {
		l, state := &arch.Links[i], &b.solution.Links[i]
		b.out.Links = append(b.out.Links, result.Share{
			Name: l.Name, Sharing: l.Sharing.Rule.String(), SharingOrigin: l.Sharing.Origin.String(),
			SharingNote: l.Sharing.Note,
			Members:     state.Members, Utilization: result.Number(state.Utilization),
			Elasticity: result.Number(onLink[i]),
			Rate:       result.Number(l.Bandwidth), Origin: l.Origin.String(),
		})
	}
}

// otherwise adds the throughput under the other sharing rules, with an explanation of the difference.
func (b *builder) otherwise(ctx context.Context) error {
	for _, rule := range []flow.SharingRule{flow.Equal, flow.Conserving} {
		other := b.design.Problem.UnderSharing(rule)
		if !b.differs(other) {
			continue
		}
		n, err := b.network.With(other).Network(b.network.Mapping)
		if err != nil {
			return err
		}
		s, err := flow.Fast{}.Solve(ctx, n)
		if err != nil {
			return err
		}
		why := "equal reserves 1/n of a core or link for each of n sharers, even if a sharer uses less " +
			"(Beard 2013, Eq. 9, 11)"
		if rule == flow.Conserving {
			why = "with conserving sharing, sharers also use the idle time of other sharers"
		}
		if ratio := s.Throughput / b.solution.Throughput; ratio > 1-1e-9 && ratio < 1+1e-9 {
			why = "the bottleneck is not shared in time, or its sharers use it equally"
			if rule == flow.Conserving { // the bottleneck may already use this rule
				why = "resources with another sharing rule are not the bottleneck, or their sharers use them equally"
			}
		}
		b.out.Alternatives = append(b.out.Alternatives, result.Alternative{Sharing: rule.String(),
			Throughput: result.Number(s.Throughput), Why: why})
	}
	return nil
}

// differs reports whether any shared resource or link of this mapping has a different sharing rule in the other
// problem.
func (b *builder) differs(other *flow.Problem) bool {
	for i := range b.network.Limits {
		l := &b.network.Limits[i]
		if l.Cycle != nil {
			continue
		}
		members := b.solution.Links
		at := l.Link
		if l.Link < 0 {
			members, at = b.solution.Resources, l.Resource
		}
		if r := ruleOf(b.design.Problem, l); members[at].Members > 1 && r != flow.AreaOnly && r != ruleOf(other, l) {
			return true
		}
	}
	return false
}
