// Package result defines the result of one command, as types and as a JSON file, NAME.result.json. Reports show only
// data of a [Result], so a result file contains everything that the command can show.
//
// Package predict and the runs of deploy create results, and cmd/internal/report shows them. Package result computes no
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

// TieTolerance is the relative difference below which two throughputs count as equal. It exceeds rounding errors, but
// not measurable differences.
const TieTolerance = 1e-9

// Schema is the version of the file format. It increases with each change that readers of the previous version would
// misinterpret.
const Schema = 1

// Number is a float64 that may be +Inf.
type Number = mapper.Number

// Types of package mapper that results contain.
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
	Version string   `json:"version"` // version of xopt
	Command []string `json:"command"` // command line
	// Made is the start time of the command in UTC. Host is the machine that ran the command; "" if unknown.
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
	// WhatIf contains the throughput of the first candidates with faster and slower links and FPGA clocks.
	WhatIf   []WhatIf  `json:"whatIf,omitempty"`
	Measured *Measured `json:"measured,omitempty"`
	// Prediction is the prediction of the measured mapping; nil if figures are missing.
	Prediction *Candidate `json:"prediction,omitempty"`
	// Sweep contains the best mapping at each point of a parameter sweep.
	Sweep *Sweep `json:"sweep,omitempty"`
	// Validation compares predictions with runs.
	Validation *Validation `json:"validation,omitempty"`
	// Profile contains the figures of a calibration and their windows.
	Profile *profile.Profile `json:"profile,omitempty"`
	// Stale contains the kernels whose sources have changed since the measurement of their figures. Unchecked contains
	// the kernels for which xopt cannot determine this. Remeasure is the command that measures all of these kernels
	// again. Mismatched contains the kernels whose output on an FPGA differs from their output on a core. Searches
	// place such kernels on FPGAs only if MismatchAllowed is set.
	Stale           []Doubted `json:"stale,omitempty"`
	Unchecked       []Doubted `json:"unchecked,omitempty"`
	Remeasure       string    `json:"remeasure,omitempty"`
	Mismatched      []Doubted `json:"mismatched,omitempty"`
	MismatchAllowed bool      `json:"mismatchAllowed,omitempty"`
	// ProfileDisturbed describes how other programs disturbed the machine while the profile was measured; "" for no
	// disturbance.
	ProfileDisturbed string `json:"profileDisturbed,omitempty"`
	// ProfileRepeatability is the repeatability of the profile's machine: the largest relative deviation of 95 % of
	// runs of the same work; nil if unknown.
	ProfileRepeatability *Number `json:"profileRepeatability,omitempty"`
	// Findings contains the advice of the report, most important first. Sure contains notes about the certainty of the
	// result. Both are recomputed from the other fields before the result is written.
	Findings []Finding    `json:"findings,omitempty"`
	Sure     []fault.Note `json:"sure,omitempty"`
	Warnings []fault.Note `json:"warnings,omitempty"`
	Notes    []fault.Note `json:"notes,omitempty"`
}

// Finding is one piece of advice: a fact about a result, the recommended action, and its gain.
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

// Input is an input file of the command, with its hash.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Kernel is a kernel of the application, or a copy of a kernel.
type Kernel struct {
	Name       string `json:"name"`
	Block      string `json:"block"`
	Gain       Number `json:"gain"` // γ, bytes out / bytes in; 1 for a source
	GainOrigin string `json:"gainOrigin"`
	GainNote   string `json:"gainNote,omitempty"`
	// For a copy, CopyOf is the name of the copied kernel, Copy the number of the copy (from 1), and Copies the number
	// of copies.
	CopyOf string `json:"copyOf,omitempty"`
	Copy   int    `json:"copy,omitempty"`
	Copies int    `json:"copies,omitempty"`
}

// Declared returns the kernel's name in the X files; for a copy, the name of the copied kernel.
func (k *Kernel) Declared() string {
	if k.CopyOf != "" {
		return k.CopyOf
	}
	return k.Name
}

// StoreProfile stores a profile in the result, but only with the kernels of the result. The figures of a declared
// kernel also apply to its copies.
func (r *Result) StoreProfile(p *profile.Profile) {
	p.Kernels = slices.DeleteFunc(p.Kernels, func(k profile.Kernel) bool {
		return !slices.ContainsFunc(r.Kernels, func(x Kernel) bool {
			return x.Block == k.Block && (k.Instance == "" || k.Instance == x.Name || k.Instance == x.Declared())
		})
	})
	r.Profile = p
}

// Edge is a stream between two kernels of the application.
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

// Link is a bus, switch, network or memory of the architecture.
type Link struct {
	Name      string   `json:"name"`
	Linktype  string   `json:"linktype"`
	Joins     []string `json:"joins"` // resources
	Bandwidth Number   `json:"bandwidth"`
	Origin    string   `json:"origin"`
	Note      string   `json:"note,omitempty"`
}

// Resource is a core or FPGA of the architecture.
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
	TooShort   bool    `json:"tooShort,omitempty"` // fewer scored mappings than moves of one kernel
	Seconds    float64 `json:"seconds"`            // measured duration
	Placements string  `json:"placements"`         // number of placements in the search space, in decimal digits
	// LeftOut lists the placements that the search excluded, with reasons.
	LeftOut []string `json:"leftOut,omitempty"`
	// Bound is an upper bound on the throughput of any mapping, in bytes/s; 0 if unknown. ProofNodes is the number of
	// nodes that branch and bound visited.
	Bound Number `json:"bound,omitempty"`
	// AloneBound is an upper bound on mappings without copies, if the search tried copies; absent if unknown.
	// AloneProven reports that the best of these mappings reaches the bound with unlimited buffers.
	AloneBound  Number `json:"aloneBound,omitempty"`
	AloneProven bool   `json:"aloneProven,omitempty"`
	// WithoutCopies reports that kernels could run in copies, but the search does not support copies. Its bound applies
	// only to mappings without copies.
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
	// Objectives contains the objectives of the search; empty for only throughput. If there are several, the candidates
	// are the Pareto front.
	Objectives    []string `json:"objectives,omitempty"`
	Runs          int      `json:"runs,omitempty"`          // number of runs of a resumed search
	MinThroughput Number   `json:"minThroughput,omitempty"` // limits that a mapping must meet
	MaxLatency    Number   `json:"maxLatency,omitempty"`
	MaxBuffer     Number   `json:"maxBuffer,omitempty"`
	ProofNodes    uint64   `json:"proofNodes,omitempty"`
	Robust        *Robust  `json:"robust,omitempty"` // ranking of the candidates under uncertainty
	// Merged is the number of members of a front that are not shown, because another member is at least as good in all
	// objectives at the printed precision.
	Merged int `json:"merged,omitempty"`
	// Copies compares the best mappings with and without copies of kernels; nil if the search found only one of the two
	// kinds.
	Copies *CopiesCompared `json:"copies,omitempty"`
	// CopiesLeft is the reason why not all copies were tried; absent if the search was complete.
	CopiesLeft string `json:"copiesLeft,omitempty"`
	// Checkpoint is the file for --resume; absent after a complete search.
	Checkpoint string `json:"checkpoint,omitempty"`
	History    []Rise `json:"history,omitempty"`
	// Course contains samples of the progress of the search.
	Course []Moment `json:"course,omitempty"`
}

// CopiesCompared compares the best mappings with and without copies of kernels by their throughput with recommended
// buffers. If this throughput was not simulated, the comparison uses the throughput with unlimited buffers, and Why is
// the reason.
type CopiesCompared struct {
	Kernels []string  `json:"kernels"` // kernels that run in copies
	Copied  PlanRates `json:"copied"`
	Alone   PlanRates `json:"alone"`
	Chosen  bool      `json:"chosen"` // the mapping with copies is the best mapping of the search
	// Needed reports that the search found no mapping without copies that meets its limits. Alone is then a mapping
	// that violates them.
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
	Seconds float64 `json:"seconds"` // measured duration
}

// Moment is the state of a search at one time.
type Moment struct {
	Evals       uint64  `json:"evals"`
	Seconds     float64 `json:"seconds"`
	Temperature Number  `json:"temperature"`
	Acceptance  Number  `json:"acceptance"` // fraction of accepted moves
}

// Rise is an improvement of the best mapping during a search.
type Rise struct {
	Evals      uint64  `json:"evals"`
	Seconds    float64 `json:"seconds"`
	Throughput Number  `json:"throughput"`
}

// CopyAdvice recommends copies of one kernel on the given resources. Throughput is the prediction with these copies and
// unlimited buffers, in B/s.
type CopyAdvice struct {
	Kernel     string   `json:"kernel"`
	Resources  []string `json:"resources"`
	Throughput Number   `json:"throughput"`
}

// Candidate is a mapping with its prediction.
type Candidate struct {
	Name string `json:"name"`           // rank in a search, such as "1", or the mapping's name
	File string `json:"file,omitempty"` // the map.x file that contains the mapping
	Code string `json:"code,omitempty"` // the mapping in X
	// Throughput is the predicted throughput in B/s: the flow bound or, if it is noticeably lower, the simulated
	// throughput with finite buffers.
	Throughput Number `json:"throughput"`
	// FlowBound is the throughput with unlimited buffers in B/s; 0 if it equals Throughput. Bottlenecks, bounds and
	// gains refer to the throughput with unlimited buffers.
	FlowBound Number `json:"flowBound,omitempty"`
	// WithBuffers is the result of the simulation with finite buffers; nil if not simulated.
	WithBuffers *WithBuffers `json:"withBuffers,omitempty"`
	// BufferFront is the trade-off between buffer memory and throughput; nil if not requested.
	BufferFront *BufferFront `json:"bufferFront,omitempty"`
	// Copies recommends copies of one kernel that would increase the throughput; nil if there are none, or if unknown.
	Copies *CopyAdvice `json:"copyAdvice,omitempty"`
	Run    *Run        `json:"run,omitempty"`
	// Iteration is set for applications with static counts.
	Iteration *Iteration `json:"iteration,omitempty"`
	// Interval contains the throughputs with all figures at the bad ends, and with all figures at the good ends, of
	// their 95 % confidence intervals. It is nil if no figure has an interval.
	Interval *[2]Number `json:"interval,omitempty"`
	// IntervalAssumed is the number of figures for which Interval uses an assumed interval, because the measured
	// interval is too wide.
	IntervalAssumed int `json:"intervalAssumed,omitempty"`
	// IntervalAssumedOf lists the kernels and links of these figures, in descending order of their part of the
	// bottleneck's load.
	IntervalAssumedOf []Assumed `json:"intervalAssumedOf,omitempty"`
	// GoodInterval is Interval widened by the model's error: on an undisturbed machine, such intervals contain the
	// throughput of 95 % of the mappings. It is nil if Interval is nil.
	GoodInterval *[2]Number `json:"goodInterval,omitempty"`
	// RunInterval is GoodInterval widened by the machine's repeatability: such intervals contain 95 % of the runs on
	// the profile's machine. It is nil if unknown.
	RunInterval *[2]Number `json:"runInterval,omitempty"`
	// FarApart is the throughput while the cores of the profile's machine are far from each other, if this state is
	// frequent and slower; else 0. RunInterval includes it.
	FarApart Number `json:"farApart,omitempty"`
	// Latency is the latency of the longest path; nil if the graph has a cycle.
	Latency *Latency `json:"latency,omitempty"`
	// Robustness compares the candidate with the first candidate under random draws of the figures within their
	// intervals.
	Robustness *Robustness `json:"robustness,omitempty"`
	// Measures contains the values of the objectives other than throughput.
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

// Latency is the mean latency of an element on a path in s, at the fraction Load of the throughput. It includes
// service, queueing, and the time to fill joins, transfers and elements.
type Latency struct {
	Load    Number   `json:"load"`
	Seconds Number   `json:"seconds"`
	Worst   Number   `json:"worst"`   // mean latency of the elements that wait longest for other elements
	Kernels []string `json:"kernels"` // kernels of the path
}

// Run is the predicted time in seconds for processing an amount of input.
type Run struct {
	Bytes   Number `json:"bytes"`
	Seconds Number `json:"seconds"`
}

// OriginCount is the number of figures of one origin.
type OriginCount struct {
	Origin string `json:"origin"`
	Count  int    `json:"count"`
}

// Citation is a source of figures, with the number of figures from this source.
type Citation struct {
	Origin  string `json:"origin"`
	Note    string `json:"note,omitempty"`
	Figures int    `json:"figures"`
	// Of names up to MaxNamedFigures assumed figures, such as "gain of top.fir".
	Of    []string `json:"of,omitempty"`
	Stale string   `json:"stale,omitempty"` // how the sources have changed since the measurement
}

// MaxNamedFigures is the maximum number of assumed figures that a Citation names.
const MaxNamedFigures = 8

// Placement is the resource of a kernel in a mapping.
type Placement struct {
	Kernel   string `json:"kernel"`
	Resource string `json:"resource"`
	Copies   int    `json:"copies,omitempty"` // copies on an FPGA, if there are several
}

// Words returns the kernel's name, with the number of copies if there are several.
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

// Step is one in a sequence of bottlenecks: the limits of the throughput if the limits of the earlier steps are
// removed.
type Step struct {
	Throughput Number  `json:"throughput"`
	Limits     []Limit `json:"limits"`
	// Possible names other possible bottlenecks, for the first step: the intervals of their loads overlap with the
	// interval of the load of Limits.
	Possible []string `json:"perhaps,omitempty"`
}

// Limit is one limit of the throughput: a shared resource, a link, a kernel, or a cycle.
type Limit struct {
	Name    string   `json:"name"` // "B on proc[2]", "PCI"
	Sharing string   `json:"sharing"`
	Members []string `json:"members"` // kernels or edges, in descending order of their parts
	// Parts contains the fraction of the load that each member causes. The sum is 1.
	Parts []Number `json:"parts"`
	// Cycle is set for a cycle of kernels that wait for each other. Members then contains the kernels and links of the
	// cycle, and Parts their fractions of the time of one round. The remainder of this time, such as the latency of
	// links, belongs to no member.
	Cycle *Cycle `json:"cycle,omitempty"`
}

// Iteration is the smallest number of firings, for static counts, after which every edge contains the initial number of
// elements.
type Iteration struct {
	Rate    Number   `json:"rate"` // iterations/s at the throughput
	Firings []Firing `json:"firings"`
}

// Firing is the number of firings of one kernel in an iteration.
type Firing struct {
	Kernel string `json:"kernel"`
	Times  int64  `json:"times"`
}

// Cycle is a cycle of kernels with its bound: Initial elements complete one round of the cycle in Every seconds.
type Cycle struct {
	Kernels []string `json:"kernels"` // in order; the last writes to the first
	Edges   []string `json:"edges"`   // the edge from each kernel to the next
	Initial int      `json:"initial"` // total number of initial elements on the edges
	Every   Number   `json:"every"`   // time in s in which these elements complete a round
	// MoreOn is an edge of the cycle with initial elements. More is the throughput in B/s with one more initial
	// element; 0 if not computed.
	MoreOn string `json:"moreOn,omitempty"`
	More   Number `json:"more,omitempty"`
}

// Station is a kernel on a resource, or an edge on a link, with its load.
type Station struct {
	Name        string `json:"name"`
	On          string `json:"on"` // resource or link
	IsLink      bool   `json:"isLink,omitempty"`
	ServiceRate Number `json:"serviceRate"` // μ
	SharedRate  Number `json:"sharedRate"`  // μ_s
	ArrivalRate Number `json:"arrivalRate"` // λ
	Utilization Number `json:"utilization"` // ρ = λ/μ_s
	Share       Number `json:"share"`       // fraction of the time of the resource or link that the station uses
	// Parts contains the nonzero parts of the station's load on its resource or link. With time sharing, the parts of
	// all stations add up to the utilization of the resource.
	Parts      []LoadPart `json:"parts,omitempty"`
	Elasticity Number     `json:"elasticity"` // (dΓ/Γ)/(dμ/μ)
	Shadow     Number     `json:"shadow"`     // dΓ/dμ
	// TenPercent is the relative gain of Γ if only this μ is 10 % higher. It is recomputed, not derived from the shadow
	// price.
	TenPercent Number `json:"tenPercent"`
	Origin     string `json:"origin"` // origin of μ
	Note       string `json:"note,omitempty"`
	// Factors lists the factors by which the measured or stated μ was multiplied, in order.
	Factors []Factor `json:"factors,omitempty"`
}

// Factor is a named factor of a service rate, such as "clock".
type Factor struct {
	Name  string `json:"name"`
	Times Number `json:"times"`
}

// LoadPart is one part of a utilization: "compute", "switch", "co-location", "receive", "send", "memory contention",
// "transfers" or "unused". "unused" is the part of an equal share that a station does not use.
type LoadPart struct {
	Part  string `json:"part"`
	Value Number `json:"value"`
	// PerByte is this part in s per byte of the kernel's input (for a source: output); 0 for "unused". Interval is its
	// 95 % confidence interval; nil if the figures have none.
	PerByte  Number     `json:"perByte,omitempty"`
	Interval *[2]Number `json:"ci95,omitempty"`
}

// Queue is the queue of an edge before one station of its route.
type Queue struct {
	Edge         string     `json:"edge"`
	From         string     `json:"from"`
	To           string     `json:"to"`
	Before       string     `json:"before"` // the station, which removes elements from the queue
	Flow         Number     `json:"flow"`
	ElementBytes Number     `json:"elementBytes"`
	Utilization  Number     `json:"utilization"`
	Estimates    []Estimate `json:"estimates"`
	Given        *Estimate  `json:"given,omitempty"` // size in the X files
	// Ring is the edge whose ring buffer this edge shares; "" if the edge has its own ring buffer (see [flow.Rings]).
	Ring string `json:"ring,omitempty"`
	// Recommended is the size for the complete edge, from writer to reader; nil for queues before links.
	Recommended *Recommendation `json:"recommended,omitempty"`
}

// Recommendation is a recommended buffer size. Level is its evidence ("heuristic", "simulated" or "proven"), and
// Estimator the rule that determined the size.
type Recommendation struct {
	Estimate
	Level  string `json:"level"`
	Reason string `json:"reason,omitempty"`   // one line
	Min    Number `json:"least,omitempty"`    // minimum number of elements with which data flow
	MinWhy string `json:"leastWhy,omitempty"` // reason for Min, one line
}

// Estimate is the buffer size that one estimator computes.
type Estimate struct {
	Estimator string `json:"estimator"`
	Elements  Number `json:"elements"`
	Bytes     Number `json:"bytes"`
}

// Assumed is a kernel or link with figures whose measured intervals are too wide and were replaced by assumed
// intervals.
type Assumed struct {
	Name string `json:"name"`
	Part Number `json:"part"` // fraction of the first bottleneck's load that these figures cause; 0 for none
	// Figures lists the figures with assumed intervals, such as "service rate" or "send cost".
	Figures []string `json:"figures"`
}

// Share is the load of a resource or link.
type Share struct {
	Name    string `json:"name"`
	Sharing string `json:"sharing"`
	// SharingOrigin and SharingNote describe the origin of the sharing model.
	SharingOrigin string `json:"sharingOrigin"`
	SharingNote   string `json:"sharingNote,omitempty"`
	// SharingError is the maximum relative error of the sharing rule in the profile's test of the machine; 0 if there
	// was no test.
	SharingError Number `json:"sharingError,omitempty"`
	Members      int    `json:"members"`
	Utilization  Number `json:"utilization"`
	// Elasticity is (dΓ/Γ)/(dμ/μ) if all members become faster by the same factor.
	Elasticity Number `json:"elasticity"`
	// TenPercent is the relative gain of Γ if the entire resource or link is 10 % faster.
	TenPercent Number `json:"tenPercent"`
	Rate       Number `json:"rate,omitempty"` // bandwidth of a link
	Origin     string `json:"origin,omitempty"`
	Area       []Area `json:"area,omitempty"`
}

// Block is the effect of a block with several instances on one platform.
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

// Alternative is the predicted throughput under another sharing rule, with the reason for the difference.
type Alternative struct {
	Sharing    string `json:"sharing"`
	Throughput Number `json:"throughput"`
	Why        string `json:"why"`
}

// Gap returns the maximum relative improvement of any mapping over a candidate with its buffers; 0 if no bound is
// known.
func (s *Search) Gap(c *Candidate) float64 { return exceeds(s.Bound, c.Throughput) }

// AloneGap is like Gap, for mappings without copies.
func (s *Search) AloneGap(c *Candidate) float64 { return exceeds(s.AloneBound, c.Throughput) }

// FlowGap is like Gap, but for the candidate with unlimited buffers, which the bound also assumes.
func (s *Search) FlowGap(c *Candidate) float64 { return exceeds(s.Bound, c.Unlimited()) }

// Predicted returns the candidate with the best prediction: the first candidate or, if a race decided the order of the
// candidates, the candidate with the highest predicted throughput.
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

// Condition adds to the status of a search that its proof or its gap assumes unlimited buffers, if finite buffers
// reduce the throughput of the best candidate.
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
