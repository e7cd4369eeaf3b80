// Package result defines the result file, NAME.result.json: the result of one command, as types and as JSON. Reports
// show only a [Result], so a result file contains everything that the producing command could show.
//
// Package predict and the runs of deploy create results; cmd/internal/report shows them. This package does not compute
// predictions.
package result

import (
	"fmt"
	"math"
	"slices"

	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper"
)

// TieTolerance is the relative difference below which two throughputs count as equal. It is above rounding errors, and
// below measurable differences.
const TieTolerance = 1e-9

// Schema is the version of the result file. It increases if a reader of the previous version could misinterpret a file.
const Schema = 1

// Number is a float64 that may be +Inf.
type Number = mapper.Number

// These figures of a search are stored as the search computes them.
type (
	Certificate = mapper.Certificate
	Robust      = mapper.RobustReport
	Robustness  = mapper.Robustness
	Doubt       = mapper.Doubt
	Measures    = mapper.Measures
)

// Result contains everything that a report shows. Rates are in bytes/s, sizes in bytes, times in seconds.
type Result struct {
	Schema  int      `json:"schema"`
	Tool    string   `json:"tool"`    // "xopt"
	Version string   `json:"version"` // version of the program that produced the result
	Command []string `json:"command"` // its command line
	// Made is the start time of the command in UTC. Host is the machine of the command; "" if unknown.
	Made   string  `json:"made,omitempty"`
	Host   string  `json:"host,omitempty"`
	Inputs []Input `json:"inputs"`

	Application  string     `json:"application"`
	Kernels      []Kernel   `json:"kernels"`
	Edges        []Edge     `json:"edges"`
	Architecture []Resource `json:"architecture"`
	Links        []Link     `json:"links,omitempty"`
	// MaxUtilization is φ, the upper limit of every utilization (Beard 2013, Eq. 6).
	MaxUtilization Number `json:"maxUtilization"`
	// Probability is the overflow probability for sizing buffers (Beard 2013, Eq. 8).
	Probability Number `json:"probability"`

	Search     *Search     `json:"search,omitempty"`
	Candidates []Candidate `json:"candidates"` // best first
	// WhatIf contains the throughput of the first candidates under changes of the machine.
	WhatIf   []WhatIf  `json:"whatIf,omitempty"`
	Measured *Measured `json:"measured,omitempty"`
	// Prediction is the prediction for the measured mapping; nil if the figures of this mapping are unknown.
	Prediction *Candidate `json:"prediction,omitempty"`
	// Sweep contains the best mapping at each point of a range.
	Sweep *Sweep `json:"sweep,omitempty"`
	// Validation compares predictions with runs.
	Validation *Validation `json:"validation,omitempty"`
	// Profile contains the measured figures and their windows.
	Profile *profile.Profile `json:"profile,omitempty"`
	// Stale contains figures whose sources have changed since their measurement. Unchecked contains figures whose
	// sources xopt cannot compare. Remeasure is the command that measures all of these figures again. Mismatched
	// contains kernels whose results on an FPGA differ from the results on a core. Searches place such kernels on FPGAs
	// only if MismatchAllowed is set.
	Stale           []Doubted `json:"stale,omitempty"`
	Unchecked       []Doubted `json:"unchecked,omitempty"`
	Remeasure       string    `json:"remeasure,omitempty"`
	Mismatched      []Doubted `json:"mismatched,omitempty"`
	MismatchAllowed bool      `json:"mismatchAllowed,omitempty"`
	// ProfileDisturbed describes the disturbance of the machine while the profile was measured.
	ProfileDisturbed string `json:"profileDisturbed,omitempty"`
	// ProfileRepeatability is the repeatability of the profile's machine: the maximum relative deviation of 95 % of
	// runs; nil if unknown.
	ProfileRepeatability *Number `json:"profileRepeatability,omitempty"`
	// Findings contains the advice of the report, most important first. Sure contains statements about the certainty of
	// the answer. Whenever the result is written, both are recomputed from its other fields.
	Findings []Finding    `json:"findings,omitempty"`
	Sure     []fault.Note `json:"sure,omitempty"`
	Warnings []fault.Note `json:"warnings,omitempty"`
	Notes    []fault.Note `json:"notes,omitempty"`
}

// Finding is one fact about a result, with the recommended action and its gain.
type Finding struct {
	ID       fault.ID `json:"id"`
	Severity string   `json:"severity"` // problem, caution or hint
	Text     string   `json:"text"`
	Do       string   `json:"do"`
	Gain     string   `json:"gain,omitempty"`
}

// Doubted is a kernel whose figures on some resources are doubtful, with the reason.
type Doubted struct {
	Kernel    string   `json:"kernel"`
	Resources []string `json:"resources"`
	Why       string   `json:"why"`
}

// Input is an input file.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Kernel is a kernel of the application.
type Kernel struct {
	Name       string `json:"name"`
	Block      string `json:"block"`
	Gain       Number `json:"gain"` // γ, bytes out / bytes in; 1 for a source
	GainOrigin string `json:"gainOrigin"`
	GainNote   string `json:"gainNote,omitempty"`
	// CopyOf is the declared kernel of a copy. Copy is the copy's number from 1, and Copies the number of copies.
	CopyOf string `json:"copyOf,omitempty"`
	Copy   int    `json:"copy,omitempty"`
	Copies int    `json:"copies,omitempty"`
}

// Declared returns the kernel's name in the X files, without a copy's number.
func (k *Kernel) Declared() string {
	if k.CopyOf != "" {
		return k.CopyOf
	}
	return k.Name
}

// StoreProfile stores the figures of the result's kernels from a profile. The figures of a declared kernel also apply
// to its copies.
func (r *Result) StoreProfile(p *profile.Profile) {
	p.Kernels = slices.DeleteFunc(p.Kernels, func(k profile.Kernel) bool {
		return !slices.ContainsFunc(r.Kernels, func(x Kernel) bool {
			return x.Block == k.Block && (k.Instance == "" || k.Instance == x.Name || k.Instance == x.Declared())
		})
	})
	r.Profile = p
}

// Edge is an edge of the application.
type Edge struct {
	Name          string `json:"name"`
	From          string `json:"from"` // kernel
	FromPort      string `json:"fromPort"`
	To            string `json:"to"`
	ToPort        string `json:"toPort"`
	Element       string `json:"element"` // type of elements in X
	ElementBytes  Number `json:"elementBytes"`
	Routing       Number `json:"routing"` // R, the fraction of From's output
	RoutingOrigin string `json:"routingOrigin"`
	RoutingNote   string `json:"routingNote,omitempty"`
	Initial       int    `json:"initial,omitempty"` // elements at the start
}

// Link is a link of the architecture.
type Link struct {
	Name      string   `json:"name"`
	Linktype  string   `json:"linktype"`
	Joins     []string `json:"joins"` // resources
	Bandwidth Number   `json:"bandwidth"`
	Origin    string   `json:"origin"`
	Note      string   `json:"note,omitempty"`
}

// Resource is a resource of the architecture.
type Resource struct {
	Name     string `json:"name"`
	Platform string `json:"platform"`
}

// Search describes the search that found the candidates.
type Search struct {
	Method     string  `json:"method"`
	Status     string  `json:"status"`
	Optimal    bool    `json:"optimal"`
	Seed       uint64  `json:"seed"`
	Threads    int     `json:"threads"`
	Evals      uint64  `json:"evals"`
	TooShort   bool    `json:"tooShort,omitempty"` // the search did not try every kernel on another resource
	Seconds    float64 `json:"seconds"`            // measured
	Placements string  `json:"placements"`         // size of the space, a decimal number
	// LeftOut lists the placements outside the search space, with reasons.
	LeftOut []string `json:"leftOut,omitempty"`
	// Bound is an upper bound on the throughput of any mapping, in bytes/s; 0 if unknown. ProofNodes is the number of
	// nodes of branch and bound.
	Bound Number `json:"bound,omitempty"`
	// AloneBound is an upper bound on mappings without copies, if the search tried copies; absent if unknown.
	// AloneProven reports that the best of these mappings reaches the bound with unlimited buffers.
	AloneBound  Number `json:"aloneBound,omitempty"`
	AloneProven bool   `json:"aloneProven,omitempty"`
	// WithoutCopies reports that kernels could run in copies, but the search does not support copies. Its proof applies
	// to mappings without copies.
	WithoutCopies bool `json:"withoutCopies,omitempty"`
	// BoundBy is the external solver that computed the bound, in floating-point arithmetic; "" for xopt.
	BoundBy string `json:"boundBy,omitempty"`
	// Solver is the result of an external solver on the search's model, if requested.
	Solver *Solver `json:"solver,omitempty"`
	// GapAsked is the requested gap to the bound; 0 for none.
	GapAsked Number `json:"gapAsked,omitempty"`
	// Certificate is a self-contained proof of a bound. That bound may be weaker than Bound.
	Certificate *Certificate `json:"certificate,omitempty"`
	// Weak lists the parts of the model that the bound ignores. These may explain a large gap.
	Weak []string `json:"weak,omitempty"`
	// Objectives are the objectives of the search; empty for throughput alone. If there are several, the candidates are
	// the Pareto front.
	Objectives    []string `json:"objectives,omitempty"`
	Runs          int      `json:"runs,omitempty"`          // number of runs of a resumed search
	MinThroughput Number   `json:"minThroughput,omitempty"` // limits that a mapping must meet
	MaxLatency    Number   `json:"maxLatency,omitempty"`
	MaxBuffer     Number   `json:"maxBuffer,omitempty"`
	ProofNodes    uint64   `json:"proofNodes,omitempty"`
	Robust        *Robust  `json:"robust,omitempty"` // ranking of the candidates under uncertainty
	// Merged is the number of omitted members of a front. For each omitted member, another member is at least as good
	// in all objectives, at the printed precision.
	Merged int `json:"merged,omitempty"`
	// Copies compares the best mappings with and without copies of kernels. It is nil if the search found only one
	// kind.
	Copies *CopiesCompared `json:"copies,omitempty"`
	// CopiesLeft is the reason why not all copies were tried; absent if the search was complete.
	CopiesLeft string `json:"copiesLeft,omitempty"`
	// Checkpoint is the file for --resume; absent after a complete search.
	Checkpoint string `json:"checkpoint,omitempty"`
	History    []Rise `json:"history,omitempty"`
	// Course is the progress of the search, at intervals.
	Course []Moment `json:"course,omitempty"`
}

// CopiesCompared compares the best mappings with and without copies of kernels by their throughput with recommended
// buffers. If this throughput was not simulated, Why is the reason, and the comparison uses the predictions.
type CopiesCompared struct {
	Kernels []string  `json:"kernels"` // kernels that run in copies
	Copied  PlanRates `json:"copied"`
	Alone   PlanRates `json:"alone"`
	Chosen  bool      `json:"chosen"` // the mapping with copies is the answer
	// Needed reports that no mapping found without copies meets the limits of the search. Alone then ignores the
	// limits.
	Needed bool `json:"needed,omitempty"`
	// ByForms reports that both throughputs use closed-form buffer sizes, because there was no time to check the sizes
	// by simulation.
	ByForms bool   `json:"byForms,omitempty"`
	Why     string `json:"why,omitempty"`
}

// PlanRates contains the throughputs of a mapping in B/s, with unlimited and with recommended buffers. Buffered is
// absent if it was not simulated, or if no data move.
type PlanRates struct {
	Predicted Number `json:"predicted"`
	Buffered  Number `json:"buffered,omitempty"`
}

// Solver is the result of a mixed-integer solver on a search's model. Bound is an upper bound on throughput, and Best
// the throughput of the solver's best mapping in the model, both in bytes/s; 0 for none.
type Solver struct {
	Name    string  `json:"name"`
	Version string  `json:"version,omitempty"`
	Bound   Number  `json:"bound,omitempty"`
	Best    Number  `json:"best,omitempty"`
	Seconds float64 `json:"seconds"` // measured
}

// Moment is the state of a search at one time.
type Moment struct {
	Evals       uint64  `json:"evals"`
	Seconds     float64 `json:"seconds"`
	Temperature Number  `json:"temperature"`
	Acceptance  Number  `json:"acceptance"` // fraction of accepted moves
}

// Rise is an increase of the best throughput.
type Rise struct {
	Evals      uint64  `json:"evals"`
	Seconds    float64 `json:"seconds"`
	Throughput Number  `json:"throughput"`
}

// CopyAdvice is one kernel to copy, the resources of its copies, and the predicted throughput with unlimited buffers.
type CopyAdvice struct {
	Kernel     string   `json:"kernel"`
	Resources  []string `json:"resources"`
	Throughput Number   `json:"throughput"`
}

// Candidate is one mapping with its prediction.
type Candidate struct {
	Name string `json:"name"`           // "1" for the best of a search, else the mapping's name
	File string `json:"file,omitempty"` // the map.x file that contains the mapping
	Code string `json:"code,omitempty"` // the mapping in X
	// Throughput is the prediction in B/s. It is the flow bound, unless a simulation with finite buffers yields less.
	Throughput Number `json:"throughput"`
	// FlowBound is the throughput with unlimited buffers in B/s; 0 if it equals Throughput. Bottlenecks, bounds and the
	// gains of changes refer to the flow bound.
	FlowBound Number `json:"flowBound,omitempty"`
	// WithBuffers is the simulation with finite buffers; nil if not simulated.
	WithBuffers *WithBuffers `json:"withBuffers,omitempty"`
	// BufferFront is the throughput with less memory; nil if not requested.
	BufferFront *BufferFront `json:"bufferFront,omitempty"`
	// Copies are copies of one kernel that would increase the throughput; nil if there are none, or if unknown.
	Copies *CopyAdvice `json:"copyAdvice,omitempty"`
	Run    *Run        `json:"run,omitempty"`
	// Iteration is set for applications with static counts.
	Iteration *Iteration `json:"iteration,omitempty"`
	// Interval contains two throughputs: with all figures at the bad ends of their 95 % confidence intervals, and with
	// all at the good ends. It is nil if no figure has an interval.
	Interval *[2]Number `json:"interval,omitempty"`
	// IntervalAssumed counts the figures of Interval with an assumed wide interval, because the measured interval is
	// too wide.
	IntervalAssumed int `json:"intervalAssumed,omitempty"`
	// IntervalAssumedOf lists the kernels and links of these figures, in descending order of their part of the
	// bottleneck's load.
	IntervalAssumedOf []Assumed `json:"intervalAssumedOf,omitempty"`
	// GoodInterval is the expected range of throughputs of 95 % of the mappings on an undisturbed machine. It combines
	// Interval and the model's error; nil if Interval is nil.
	GoodInterval *[2]Number `json:"goodInterval,omitempty"`
	// RunInterval is the expected range of throughputs of 95 % of the runs on the profile's machine. It combines
	// GoodInterval and the machine's repeatability; nil if unknown.
	RunInterval *[2]Number `json:"runInterval,omitempty"`
	// FarApart is the throughput while the cores of the profile's machine are far apart, if this is frequent and
	// slower; 0 otherwise. RunInterval includes it.
	FarApart Number `json:"farApart,omitempty"`
	// Latency is the latency of the longest path; nil if the graph has a cycle.
	Latency *Latency `json:"latency,omitempty"`
	// Robustness compares the candidate with the first under random draws of the figures within their intervals.
	Robustness *Robustness `json:"robustness,omitempty"`
	// Measures contains the figures other than throughput that a search can optimize.
	Measures *Measures `json:"measures,omitempty"`
	// Figures counts the figures of the prediction by origin.
	Figures []OriginCount `json:"figures"`
	// Stale and Disturbed count the stale figures, and the figures measured on a disturbed machine.
	Stale     int        `json:"stale,omitempty"`
	Disturbed int        `json:"disturbed,omitempty"`
	Citations []Citation `json:"citations"`

	Place  []Placement `json:"place"`
	Routes []Route     `json:"routes,omitempty"`

	Bottlenecks  []Step        `json:"bottlenecks"`
	Stations     []Station     `json:"stations"`
	Queues       []Queue       `json:"queues"`
	Resources    []Share       `json:"resources"`
	Links        []Share       `json:"links,omitempty"`
	Blocks       []Block       `json:"blocks,omitempty"` // blocks with several instances
	Alternatives []Alternative `json:"otherwise,omitempty"`
	Warnings     []fault.Note  `json:"warnings,omitempty"`
}

// Latency is the mean time of an element on a path, at Load times the throughput. It includes service and queueing, and
// the time to fill joins, transfers and elements.
type Latency struct {
	Load    Number   `json:"load"`
	Seconds Number   `json:"seconds"`
	Worst   Number   `json:"worst"`   // mean latency of the elements that wait longest for others
	Kernels []string `json:"kernels"` // kernels of the path
}

// Run is the time in seconds for an amount of input at the throughput.
type Run struct {
	Bytes   Number `json:"bytes"`
	Seconds Number `json:"seconds"`
}

// OriginCount is the number of figures of one origin.
type OriginCount struct {
	Origin string `json:"origin"`
	Count  int    `json:"count"`
}

// Citation is a source of figures.
type Citation struct {
	Origin  string `json:"origin"`
	Note    string `json:"note,omitempty"`
	Figures int    `json:"figures"`
	// Of names assumed figures, such as "gain of top.fir", but at most MaxNamedFigures of them.
	Of    []string `json:"of,omitempty"`
	Stale string   `json:"stale,omitempty"` // difference between the present and the measured sources
}

// MaxNamedFigures limits the number of assumed figures of one source that a result names.
const MaxNamedFigures = 8

// Placement assigns a kernel to a resource.
type Placement struct {
	Kernel   string `json:"kernel"`
	Resource string `json:"resource"`
	Copies   int    `json:"copies,omitempty"` // copies on an FPGA, if there are several
}

// Words returns the kernel's name with the number of its copies.
func (p *Placement) Words() string {
	if p.Copies > 1 {
		return fmt.Sprintf("%s (%d copies)", p.Kernel, p.Copies)
	}
	return p.Kernel
}

// Route is the route of an edge over links.
type Route struct {
	Edge  string   `json:"edge"`
	Links []string `json:"links"`
}

// Step is a bottleneck: the limit of the throughput after the earlier steps are removed.
type Step struct {
	Throughput Number  `json:"throughput"`
	Limits     []Limit `json:"limits"`
	// Possible names other possible bottlenecks: the intervals of their loads overlap with the interval of the load of
	// Limits. It is set only for the first step.
	Possible []string `json:"perhaps,omitempty"`
}

// Limit is one limit of the throughput.
type Limit struct {
	Name    string   `json:"name"` // "B on proc[2]", "PCI"
	Sharing string   `json:"sharing"`
	Members []string `json:"members"` // sharers, in descending order of their parts
	// Parts are the fractions of the load by member, in the order of Members. Their sum is 1.
	Parts []Number `json:"parts"`
	// Cycle is set for a cycle of kernels that wait for each other. Members are then the kernels and links of the
	// cycle, and Parts their fractions of the time of one round. The rest of this time, such as the latency of links,
	// belongs to no member.
	Cycle *Cycle `json:"cycle,omitempty"`
}

// Iteration is the smallest number of firings, for static counts, after which every edge contains the initial number of
// elements.
type Iteration struct {
	Rate    Number   `json:"rate"` // iterations/s at the throughput
	Firings []Firing `json:"firings"`
}

// Firing is the number of firings of a kernel in an iteration.
type Firing struct {
	Kernel string `json:"kernel"`
	Times  int64  `json:"times"`
}

// Cycle is the flow bound of a cycle: the initial elements divided by the time in which all of them complete a round.
type Cycle struct {
	Kernels []string `json:"kernels"` // in order; the last writes to the first
	Edges   []string `json:"edges"`   // from each kernel to the next
	Initial int      `json:"initial"` // elements at the start, on all edges together
	Every   Number   `json:"every"`   // time in s in which this number of elements completes a round
	// MoreOn is an edge of the cycle with initial elements. More is the throughput in B/s with one more initial
	// element; 0 if not computed.
	MoreOn string `json:"moreOn,omitempty"`
	More   Number `json:"more,omitempty"`
}

// Station is a kernel, or the crossing of a link.
type Station struct {
	Name        string `json:"name"`
	On          string `json:"on"` // resource or link
	IsLink      bool   `json:"isLink,omitempty"`
	ServiceRate Number `json:"serviceRate"` // μ
	SharedRate  Number `json:"sharedRate"`  // μ_s
	ArrivalRate Number `json:"arrivalRate"` // λ
	Utilization Number `json:"utilization"` // ρ = λ/μ_s
	Share       Number `json:"share"`       // fraction of its resource's time that the station uses
	// Parts contains the nonzero parts of its load on its resource or link. With time sharing, the parts of all members
	// add up to the utilization.
	Parts      []LoadPart `json:"parts,omitempty"`
	Elasticity Number     `json:"elasticity"` // (dΓ/Γ)/(dμ/μ)
	Shadow     Number     `json:"shadow"`     // dΓ/dμ
	// TenPercent is the relative gain of Γ if only this μ is 10 % higher, from a new solution. The gain for a resource
	// or link is in Share.TenPercent.
	TenPercent Number `json:"tenPercent"`
	Origin     string `json:"origin"` // origin of μ
	Note       string `json:"note,omitempty"`
	// Factors lists the factors applied to the measured or stated μ, in order.
	Factors []Factor `json:"factors,omitempty"`
}

// Factor is a factor of a service rate, such as "clock".
type Factor struct {
	Name  string `json:"name"`
	Times Number `json:"times"`
}

// LoadPart is one part of a utilization: "compute", "switch", "co-location", "receive", "send", "memory contention",
// "transfers" or "unused". "unused" is a member's unused part of an equal share.
type LoadPart struct {
	Part  string `json:"part"`
	Value Number `json:"value"`
	// PerByte is the part in s per byte that the kernel receives (for a source: that it sends); 0 for "unused". It has
	// a 95 % confidence interval if the figures have intervals.
	PerByte  Number     `json:"perByte,omitempty"`
	Interval *[2]Number `json:"ci95,omitempty"`
}

// Queue is the queue of one edge before a station.
type Queue struct {
	Edge         string     `json:"edge"`
	From         string     `json:"from"`
	To           string     `json:"to"`
	Before       string     `json:"before"` // station that removes elements from the queue
	Flow         Number     `json:"flow"`
	ElementBytes Number     `json:"elementBytes"`
	Utilization  Number     `json:"utilization"`
	Estimates    []Estimate `json:"estimates"`
	Given        *Estimate  `json:"given,omitempty"` // size in the X files
	// Ring is the edge that owns the ring of this edge; "" if the edge has its own ring (see [flow.Rings]).
	Ring string `json:"ring,omitempty"`
	// Recommended is the size for the complete edge, from writer to reader; nil for queues before links.
	Recommended *Recommendation `json:"recommended,omitempty"`
}

// Recommendation is a buffer size with its level ("heuristic", "simulated" or "proven") and reason. Estimator is the
// rule that determined it.
type Recommendation struct {
	Estimate
	Level  string `json:"level"`
	Reason string `json:"reason,omitempty"`   // one line
	Min    Number `json:"least,omitempty"`    // minimum number of elements with which data flow
	MinWhy string `json:"leastWhy,omitempty"` // reason for Min, one line
}

// Estimate is a buffer size by one estimator.
type Estimate struct {
	Estimator string `json:"estimator"`
	Elements  Number `json:"elements"`
	Bytes     Number `json:"bytes"`
}

// Assumed is a kernel or link with an assumed wide interval, because the measured interval is too wide.
type Assumed struct {
	Name string `json:"name"`
	Part Number `json:"part"` // fraction of the first bottleneck's load; 0 if it does not contribute
	// Figures lists the figures with such an interval, such as "service rate" or "send cost".
	Figures []string `json:"figures"`
}

// Share is a resource or link with its load.
type Share struct {
	Name    string `json:"name"`
	Sharing string `json:"sharing"`
	// SharingOrigin and SharingNote describe the origin of the sharing model.
	SharingOrigin string `json:"sharingOrigin"`
	SharingNote   string `json:"sharingNote,omitempty"`
	// SharingError is the maximum relative error of the rule in the profile's test of this machine; 0 without a test.
	SharingError Number `json:"sharingError,omitempty"`
	Members      int    `json:"members"`
	Utilization  Number `json:"utilization"`
	// Elasticity is (dΓ/Γ)/(dμ/μ) if all of its members become faster by the same factor.
	Elasticity Number `json:"elasticity"`
	// TenPercent is the relative gain of Γ if the entire resource or link is 10 % faster.
	TenPercent Number `json:"tenPercent"`
	Rate       Number `json:"rate,omitempty"` // bandwidth of a link
	Origin     string `json:"origin,omitempty"`
	Area       []Area `json:"area,omitempty"`
}

// Block is a block with several instances on one platform.
type Block struct {
	Name       string `json:"name"`
	Platform   string `json:"platform"`
	Instances  int    `json:"instances"`
	TenPercent Number `json:"tenPercent"` // relative gain of Γ if all instances are 10 % faster
}

// Area is the available and used amount of one kind of area on an FPGA.
type Area struct {
	Kind   string `json:"kind"`
	Used   Number `json:"used"`
	Usable Number `json:"usable"`
}

// Alternative is the prediction under another sharing model.
type Alternative struct {
	Sharing    string `json:"sharing"`
	Throughput Number `json:"throughput"`
	Why        string `json:"why"`
}

// Gap returns the maximum fraction by which any mapping could exceed the throughput of a candidate with its buffers; 0
// if no bound is known.
func (s *Search) Gap(c *Candidate) float64 { return exceeds(s.Bound, c.Throughput) }

// AloneGap is like Gap, for mappings without copies.
func (s *Search) AloneGap(c *Candidate) float64 { return exceeds(s.AloneBound, c.Throughput) }

// FlowGap is like Gap, but with unlimited buffers. The bound also assumes unlimited buffers.
func (s *Search) FlowGap(c *Candidate) float64 { return exceeds(s.Bound, c.Unlimited()) }

// Predicted returns the candidate with the best prediction. This is the first candidate or, if a race decided the
// order, the candidate with the highest predicted throughput.
func (r *Result) Predicted() *Candidate {
	best := &r.Candidates[0]
	if v := r.Validation; v != nil && v.Race != nil && v.Race.Undecided == "" {
		for i := range r.Candidates {
			if c := &r.Candidates[i]; c.Throughput > best.Throughput*(1+TieTolerance) {
				best = c
			}
		}
	}
	return best
}

// Condition changes the status of a search if finite buffers reduce the throughput of the best candidate. The new
// status states that the proof, or the final gap, assumes unlimited buffers.
func (s *Search) Condition(best *Candidate) {
	switch {
	case s.Optimal && s.FlowGap(best) > TieTolerance:
		s.Optimal, s.Status = false, "proven with unlimited buffers"
	case !s.Optimal && s.GapAsked > 0 && s.FlowGap(best) <= float64(s.GapAsked) && s.Gap(best) > float64(s.GapAsked):
		s.Status += ", with unlimited buffers"
	}
}

// exceeds returns the fraction by which a bound exceeds a throughput; 0 if one of them is unknown.
func exceeds(bound, throughput Number) float64 {
	if bound == 0 || throughput == 0 {
		return 0
	}
	return math.Max(0, float64(bound/throughput)-1)
}
