package result

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/cutbound"
)

// TieTolerance is the relative difference below which two throughputs are one: well above rounding, well
// below anything that can be measured.
const TieTolerance = 1e-9

// Schema is the version of the result file. It rises when a reader of the
// version before could misunderstand a file.
const Schema = 1

// Number is a float64 that JSON can always hold: infinity is "unlimited".
type Number float64

// MarshalJSON writes a number, or "unlimited".
func (n Number) MarshalJSON() ([]byte, error) {
	switch v := float64(n); {
	case math.IsInf(v, 1):
		return []byte(`"unlimited"`), nil
	case math.IsNaN(v) || math.IsInf(v, -1):
		return nil, fmt.Errorf("result holds %g, which is not a figure", v)
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == `"unlimited"` {
		*n = Number(math.Inf(1))
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64) // the decoder has checked that it is a number, or null
	if err != nil {
		err = json.Unmarshal(b, &v)
	}
	*n = Number(v)
	return err
}

// Result is everything that a report shows. Rates are in bytes/s, sizes in bytes,
// times in seconds.
type Result struct {
	Schema  int      `json:"schema"`
	Tool    string   `json:"tool"`    // "xopt"
	Version string   `json:"version"` // of the program that made it
	Command []string `json:"command"` // its command line
	// Made is when the command began, in UTC, and Host on which machine, where they are known.
	Made   string  `json:"made,omitempty"`
	Host   string  `json:"host,omitempty"`
	Inputs []Input `json:"inputs"`

	Application  string     `json:"application"`
	Kernels      []Kernel   `json:"kernels"`
	Edges        []Edge     `json:"edges"`
	Architecture []Resource `json:"architecture"`
	Links        []Link     `json:"links,omitempty"`
	// MaxUtilization is φ, the bound on every utilization (Beard 2013, Eq. 6).
	MaxUtilization Number `json:"maxUtilization"`
	// Probability is what buffers are sized for (Beard 2013, Eq. 8).
	Probability Number `json:"probability"`

	Search     *Search     `json:"search,omitempty"`
	Candidates []Candidate `json:"candidates"` // best first
	// WhatIf is how the first candidates follow what a designer can change.
	WhatIf   []WhatIf  `json:"whatIf,omitempty"`
	Measured *Measured `json:"measured,omitempty"`
	// Prediction is what was predicted of the mapping that was measured, where its figures
	// are known.
	Prediction *Candidate `json:"prediction,omitempty"`
	// Sweep is the best mapping at each point of a range.
	Sweep *Sweep `json:"sweep,omitempty"`
	// Validation compares predictions with runs.
	Validation *Validation `json:"validation,omitempty"`
	// Profile is what the figures were measured as, with its windows.
	Profile *profile.Profile `json:"profile,omitempty"`
	// Stale are figures of the profile that were measured of other sources than those at
	// hand, Unchecked those of which that cannot be told; Remeasure is the command that
	// measures them anew. Mismatched are kernels on FPGAs that compute something else than
	// on a core; they are placed there only where MismatchAllowed.
	Stale           []Doubted `json:"stale,omitempty"`
	Unchecked       []Doubted `json:"unchecked,omitempty"`
	Remeasure       string    `json:"remeasure,omitempty"`
	Mismatched      []Doubted `json:"mismatched,omitempty"`
	MismatchAllowed bool      `json:"mismatchAllowed,omitempty"`
	// ProfileDisturbed tells in what way the machine was disturbed when the profile of the
	// figures was measured.
	ProfileDisturbed string `json:"profileDisturbed,omitempty"`
	// ProfileRepeatability is within which part that machine repeated itself meanwhile, in 95 % of runs; nil when not
	// known.
	ProfileRepeatability *Number `json:"profileRepeatability,omitempty"`
	// Findings are the advice of the report, the most important first. Sure holds statements on the certainty of the
	// answer. Both are computed from the rest of the result whenever it is written.
	Findings []Finding    `json:"findings,omitempty"`
	Sure     []fault.Note `json:"sure,omitempty"`
	Warnings []fault.Note `json:"warnings,omitempty"`
	Notes    []fault.Note `json:"notes,omitempty"`
}

// Finding is one thing to know of a result, what to do about it, and what that brings.
type Finding struct {
	ID       fault.ID `json:"id"`
	Severity string   `json:"severity"` // problem, caution or hint
	Text     string   `json:"text"`
	Do       string   `json:"do"`
	Gain     string   `json:"gain,omitempty"`
}

// Doubted is a kernel whose figures on some resources are in doubt, and why.
type Doubted struct {
	Kernel    string   `json:"kernel"`
	Resources []string `json:"resources"`
	Why       string   `json:"why"`
}

// Input is a file that was read.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Kernel is a kernel of the application.
type Kernel struct {
	Name       string `json:"name"`
	Block      string `json:"block"`
	Gain       Number `json:"gain"` // γ, bytes out per byte in; 1 for a source
	GainOrigin string `json:"gainOrigin"`
	GainNote   string `json:"gainNote,omitempty"`
	// CopyOf is, of one of several copies, the kernel as it is declared; Copy says which, from 1, and Copies how
	// many there are.
	CopyOf string `json:"copyOf,omitempty"`
	Copy   int    `json:"copy,omitempty"`
	Copies int    `json:"copies,omitempty"`
}

// Declared returns the name of the kernel in the X files: that of a copy has no number.
func (k *Kernel) Declared() string {
	if k.CopyOf != "" {
		return k.CopyOf
	}
	return k.Name
}

// TakeProfile makes a profile that of the result, with the figures of the kernels that the result has. Figures of a
// kernel as it is declared are those of its copies.
func (r *Result) TakeProfile(p *profile.Profile) {
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
	Element       string `json:"element"` // its type in X
	ElementBytes  Number `json:"elementBytes"`
	Routing       Number `json:"routing"` // R, the fraction of what From puts out
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

// Search is how the candidates were found.
type Search struct {
	Method     string  `json:"method"`
	Status     string  `json:"status"`
	Optimal    bool    `json:"optimal"`
	Seed       uint64  `json:"seed"`
	Threads    int     `json:"threads"`
	Evals      uint64  `json:"evals"`
	TooShort   bool    `json:"tooShort,omitempty"` // it ended before it had tried each kernel elsewhere
	Seconds    float64 `json:"seconds"`            // measured
	Placements string  `json:"placements"`         // size of the space, a decimal number
	// LeftOut says which placements are not among those that were searched, and why.
	LeftOut []string `json:"leftOut,omitempty"`
	// Bound is a throughput that no mapping exceeds; 0 where none is known. ProofNodes are
	// those of branch and bound.
	Bound Number `json:"bound,omitempty"`
	// BoundBy is the solver that the bound is from, where another program has computed it: it is as exact as that
	// program's arithmetic. "" is xopt.
	BoundBy string `json:"boundBy,omitempty"`
	// Solver is what another program said of the search's model, where it was asked.
	Solver *Solver `json:"solver,omitempty"`
	// GapAsked is the distance from the bound at which the search was to end; 0 for none.
	GapAsked Number `json:"gapAsked,omitempty"`
	// Certificate shows a bound, which may be weaker than Bound, by itself.
	Certificate *Certificate `json:"certificate,omitempty"`
	// Weak says what the bound leaves out of the model, which may be why the best is far from it.
	Weak []string `json:"weak,omitempty"`
	// Objectives are what was to be best; with several, the candidates are the mappings of
	// which none is as good as another in all and better in one. None is throughput alone.
	Objectives    []string `json:"objectives,omitempty"`
	Runs          int      `json:"runs,omitempty"`          // how many led to this, where it was resumed
	MinThroughput Number   `json:"minThroughput,omitempty"` // that a mapping had to have
	MaxLatency    Number   `json:"maxLatency,omitempty"`
	MaxBuffer     Number   `json:"maxBuffer,omitempty"`
	ProofNodes    uint64   `json:"proofNodes,omitempty"`
	Robust        *Robust  `json:"robust,omitempty"` // how the candidates were ranked again
	// Copies compares the best mapping with copies of kernels with the best without; nil where a search has only one
	// of them.
	Copies *CopiesCompared `json:"copies,omitempty"`
	// CopiesLeft is why copies of kernels were not tried, or not all; absent if the search did not end before.
	CopiesLeft string `json:"copiesLeft,omitempty"`
	// Checkpoint is the file from which --resume goes on; absent after a complete search.
	Checkpoint string `json:"checkpoint,omitempty"`
	History    []Rise `json:"history,omitempty"`
	// Course is how the search went, at intervals.
	Course []Moment `json:"course,omitempty"`
}

// CopiesCompared compares the best mapping with copies of kernels with the best without: by their throughput with
// recommended buffers, or, where Why is the reason that these were not simulated, by the prediction.
type CopiesCompared struct {
	Kernels []string  `json:"kernels"` // that run in copies
	Copied  PlanRates `json:"copied"`
	Alone   PlanRates `json:"alone"`
	Chosen  bool      `json:"chosen"` // the mapping with copies is the answer
	// ByForms reports that the buffers of both are those of closed forms: there was no time to check them.
	ByForms bool   `json:"byForms,omitempty"`
	Why     string `json:"why,omitempty"`
}

// PlanRates are the throughputs of a mapping: as predicted with unlimited buffers, and with those that are recommended,
// both in B/s. Buffered is absent where it was not simulated, or nothing moves.
type PlanRates struct {
	Predicted Number `json:"predicted"`
	Buffered  Number `json:"buffered,omitempty"`
}

// Solver is what a solver of mixed integer programs said of a search's model. Bound is a throughput that no mapping
// exceeds, and Best that of the best that it found, as far as the model goes; 0 for none.
type Solver struct {
	Name    string  `json:"name"`
	Version string  `json:"version,omitempty"`
	Bound   Number  `json:"bound,omitempty"`
	Best    Number  `json:"best,omitempty"`
	Seconds float64 `json:"seconds"` // measured
}

// Certificate shows that no mapping exceeds a throughput: a problem in whole numbers, and why none of its mappings has
// its greatest load at or below the target (package mapper/cutbound).
type Certificate struct {
	Throughput Number `json:"throughput"`
	Whole      Number `json:"whole"` // throughput of a mapping whose greatest load is cutbound.Whole
	// Units are the kernels of each unit, and Kinds the resources of each kind.
	Units   [][]string            `json:"units"`
	Kinds   [][]string            `json:"kinds"`
	Problem *cutbound.Problem     `json:"problem"`
	Proof   *cutbound.Certificate `json:"proof"`
}

// Robust says how candidates were ranked by what their figures leave open: by a quantile of
// their throughput when figures are drawn within their 95 % intervals.
type Robust struct {
	Samples   int    `json:"samples"`
	Quantile  Number `json:"quantile"`
	Doubt     Number `json:"doubt"`     // half interval of figures that have none, relative
	Uncertain int    `json:"uncertain"` // figures that were drawn
	Exact     int    `json:"exact"`     // figures that were taken as exact
	// Assumed is how many of the drawn were measured in too few windows for an interval,
	// which is assumed.
	Assumed int `json:"assumed,omitempty"`
	// Unusable is how many of the drawn were measured with an interval too wide to use, in
	// whose place a wide one is assumed.
	Unusable int `json:"unusable,omitempty"`
}

// Robustness is how a candidate does in the draws.
type Robustness struct {
	Low    Number `json:"low"`              // the quantile of throughput
	Same   Number `json:"same"`             // part of the draws in which both tie
	Behind Number `json:"behind"`           // part of the draws in which the first has more throughput
	Decide *Doubt `json:"decide,omitempty"` // what to measure better, where it cannot be told from the first
}

// Doubt is a figure that is known within an interval: the service rate of a block on a
// platform, or the bandwidth of a link.
type Doubt struct {
	Block    string `json:"block,omitempty"`
	Platform string `json:"platform,omitempty"`
	Link     string `json:"link,omitempty"`
	Cost     string `json:"cost,omitempty"` // "co-location", "receive", …; "" for a rate
	Part     Number `json:"part"`           // of the variance of the difference that it is behind
}

// Moment is the state of a search.
type Moment struct {
	Evals       uint64  `json:"evals"`
	Seconds     float64 `json:"seconds"`
	Temperature Number  `json:"temperature"`
	Acceptance  Number  `json:"acceptance"` // of moves
}

// Rise is a rise of the best throughput.
type Rise struct {
	Evals      uint64  `json:"evals"`
	Seconds    float64 `json:"seconds"`
	Throughput Number  `json:"throughput"`
}

// Candidate is one mapping with its prediction.
type Candidate struct {
	Name       string `json:"name"`           // "1" for the best of a search, else the mapping's name
	File       string `json:"file,omitempty"` // the map.x that holds it
	Code       string `json:"code,omitempty"` // the mapping in X
	Throughput Number `json:"throughput"`     // the flow bound: with buffers without end
	// WithBuffers is the throughput with buffers of finite size; nil where it was not simulated.
	WithBuffers *WithBuffers `json:"withBuffers,omitempty"`
	// BufferFront is what less memory would cost; nil where it was not asked for.
	BufferFront *BufferFront `json:"bufferFront,omitempty"`
	Run         *Run         `json:"run,omitempty"`
	// Iteration is of an application with static counts; nil for others.
	Iteration *Iteration `json:"iteration,omitempty"`
	// Interval is what its figures leave open: the throughput with all rates at the lower, and all costs at the upper,
	// ends of their 95 % confidence intervals, and the other way round; nil where no figure has one.
	Interval *[2]Number `json:"interval,omitempty"`
	// IntervalAssumed is for how many kernels and links of Interval a wide one is assumed, because the
	// measured one is too wide to use.
	IntervalAssumed int `json:"intervalAssumed,omitempty"`
	// IntervalAssumedOf names them, the largest part of the bottleneck's load first.
	IntervalAssumedOf []Assumed `json:"intervalAssumedOf,omitempty"`
	// GoodInterval is between which throughputs 95 % of the mappings are expected in good time, when nothing else slows
	// the machine: Interval, and what the model does not know, together; nil where Interval is.
	GoodInterval *[2]Number `json:"goodInterval,omitempty"`
	// RunInterval is between which throughputs 95 % of the runs on the machine of the profile are expected:
	// GoodInterval, and what that machine repeats, together; nil where the profile does not tell the latter.
	RunInterval *[2]Number `json:"runInterval,omitempty"`
	// FarApart is the throughput while the cores of that machine are far apart, where they often are and it is less:
	// RunInterval holds it. 0 otherwise.
	FarApart Number `json:"farApart,omitempty"`
	// Latency is of the longest path; nil where edges run in a circle.
	Latency *Latency `json:"latency,omitempty"`
	// Robustness is how it does when figures are drawn within their intervals.
	Robustness *Robustness `json:"robustness,omitempty"`
	// Measures are the figures beside throughput that a search can look for the best of.
	Measures *Measures `json:"measures,omitempty"`
	// Figures counts what the prediction rests on, by origin.
	Figures []OriginCount `json:"figures"`
	// Stale is how many of them are stale, and Disturbed how many were measured on a
	// disturbed machine.
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
	Blocks       []Block       `json:"blocks,omitempty"` // that run more than once
	Alternatives []Alternative `json:"otherwise,omitempty"`
	Warnings     []fault.Note  `json:"warnings,omitempty"`
}

// Measures are figures of a mapping beside its throughput.
type Measures struct {
	Rate    Number `json:"rate"`    // at which latency, power and energy hold
	Latency Number `json:"latency"` // mean of the longest path
	Worst   Number `json:"worst"`   // the same for elements that wait longest for others
	Buffers Number `json:"buffers"` // all together, as recommended for all of the throughput
	Buffer  Number `json:"buffer"`  // the largest
	Area    Number `json:"area"`    // FPGAs' worth
	Cores   int    `json:"cores"`   // resources that hold kernels
	Power   Number `json:"power,omitempty"`
	Energy  Number `json:"energy,omitempty"` // J/byte
	Price   Number `json:"price,omitempty"`  // $/h
}

// Latency is the mean time that an element takes along a path, at Load times the throughput:
// service, queueing, and the time until a join, a transfer or an element is full.
type Latency struct {
	Load    Number   `json:"load"`
	Seconds Number   `json:"seconds"`
	Worst   Number   `json:"worst"`   // the same for elements that wait longest for others
	Kernels []string `json:"kernels"` // of the path
}

// Run is the time that an amount of input takes at the throughput, in seconds.
type Run struct {
	Bytes   Number `json:"bytes"`
	Seconds Number `json:"seconds"`
}

// OriginCount is how many figures have one origin.
type OriginCount struct {
	Origin string `json:"origin"`
	Count  int    `json:"count"`
}

// Citation is where figures come from.
type Citation struct {
	Origin  string `json:"origin"`
	Note    string `json:"note,omitempty"`
	Figures int    `json:"figures"`
	Stale   string `json:"stale,omitempty"` // in what the sources at hand differ
}

// Placement puts a kernel on a resource.
type Placement struct {
	Kernel   string `json:"kernel"`
	Resource string `json:"resource"`
	Copies   int    `json:"copies,omitempty"` // on an FPGA, where there are several
}

// Words name the kernel, and how many copies of it there are.
func (p *Placement) Words() string {
	if p.Copies > 1 {
		return fmt.Sprintf("%s (%d copies)", p.Kernel, p.Copies)
	}
	return p.Kernel
}

// Route sends an edge over links.
type Route struct {
	Edge  string   `json:"edge"`
	Links []string `json:"links"`
}

// Step is a bottleneck: what limits the throughput when the steps before it are
// resolved.
type Step struct {
	Throughput Number  `json:"throughput"`
	Limits     []Limit `json:"limits"`
	// Perhaps names what could be the bottleneck in place of Limits: within the intervals of their figures, their loads
	// cannot be told apart. It is known of the first step only.
	Perhaps []string `json:"perhaps,omitempty"`
}

// Limit is one thing that limits.
type Limit struct {
	Name    string   `json:"name"` // "B on proc[2]", "PCI"
	Sharing string   `json:"sharing"`
	Members []string `json:"members"` // who shares it, the greatest part first
	// Parts are what each of Members has of all that they load it with, in their order, and add up
	// to 1.
	Parts []Number `json:"parts"`
	// Cycle is set for a cycle of kernels that wait for each other: Members are those, and the
	// links between them, and Parts how much of the time to go round they take; what passes without
	// a member, as the latency of links does, is what they lack of 1.
	Cycle *Cycle `json:"cycle,omitempty"`
}

// Iteration is the fewest firings of the kernels of an application with static counts after which
// every edge holds as much as before.
type Iteration struct {
	Rate    Number   `json:"rate"` // iterations/s at the throughput
	Firings []Firing `json:"firings"`
}

// Firing is how often a kernel fires in an iteration.
type Firing struct {
	Kernel string `json:"kernel"`
	Times  int64  `json:"times"`
}

// Cycle is what bounds the flow of a cycle: initial elements over the time that they need.
type Cycle struct {
	Kernels []string `json:"kernels"` // in order; the last feeds the first
	Edges   []string `json:"edges"`   // from each kernel to the next
	Initial int      `json:"initial"` // elements at the start, on all of the edges
	Every   Number   `json:"every"`   // s, for as many elements to go round
	// MoreOn is an edge of the cycle with initial elements, and More the throughput in B/s with
	// one more there; 0 where that was not worked out.
	MoreOn string `json:"moreOn,omitempty"`
	More   Number `json:"more,omitempty"`
}

// Station is a kernel or a crossing of a link.
type Station struct {
	Name        string `json:"name"`
	On          string `json:"on"` // resource or link
	IsLink      bool   `json:"isLink,omitempty"`
	ServiceRate Number `json:"serviceRate"` // μ
	SharedRate  Number `json:"sharedRate"`  // μ_s
	ArrivalRate Number `json:"arrivalRate"` // λ
	Utilization Number `json:"utilization"` // ρ = λ/μ_s
	Share       Number `json:"share"`       // of its resource, busy
	// Parts are what it takes of its resource or link, those above 0. The parts of all that
	// share one in time add up to its utilization.
	Parts      []LoadPart `json:"parts,omitempty"`
	Elasticity Number     `json:"elasticity"` // (dΓ/Γ)/(dμ/μ)
	Shadow     Number     `json:"shadow"`     // dΓ/dμ
	// TenPercent is by what part Γ grows when μ alone grows by a tenth, solved
	// anew; a resource's or link's own is in its Share.
	TenPercent Number `json:"tenPercent"`
	Origin     string `json:"origin"` // of μ
	Note       string `json:"note,omitempty"`
	// Factors are what μ, as it was measured or stated, was multiplied by, in order.
	Factors []Factor `json:"factors,omitempty"`
}

// Factor is a factor of a service rate, such as "clock".
type Factor struct {
	Name  string `json:"name"`
	Times Number `json:"times"`
}

// LoadPart is one part of a utilization: "compute", "switch", "co-location", "receive", "send",
// "memory contention", "transfers", or "unused", what a member of equal sharing leaves of its part.
type LoadPart struct {
	Part  string `json:"part"`
	Value Number `json:"value"`
	// PerByte is the same of a kernel in s for each byte that comes to it, of a source that leaves it, with its 95 %
	// confidence interval where the figures have one; 0 of "unused".
	PerByte  Number     `json:"perByte,omitempty"`
	Interval *[2]Number `json:"ci95,omitempty"`
}

// Queue is the queue of one edge in front of a station.
type Queue struct {
	Edge         string     `json:"edge"`
	From         string     `json:"from"`
	To           string     `json:"to"`
	Before       string     `json:"before"` // the station that drains it
	Flow         Number     `json:"flow"`
	ElementBytes Number     `json:"elementBytes"`
	Utilization  Number     `json:"utilization"`
	Estimates    []Estimate `json:"estimates"`
	Given        *Estimate  `json:"given,omitempty"` // what the X files say
	// Recommended is the size to allocate for the whole edge, from its writer to its reader; nil for
	// queues before links.
	Recommended *Recommendation `json:"recommended,omitempty"`
}

// Recommendation is a buffer size with how sure it is ("heuristic", "simulated" or
// "proven") and why. Its estimator is what decides it.
type Recommendation struct {
	Estimate
	Level    string `json:"level"`
	Reason   string `json:"reason,omitempty"`   // in one line
	Least    Number `json:"least,omitempty"`    // elements, with which data moves at all
	LeastWhy string `json:"leastWhy,omitempty"` // in one line
}

// Estimate is a buffer size by one estimator.
type Estimate struct {
	Estimator string `json:"estimator"`
	Elements  Number `json:"elements"`
	Bytes     Number `json:"bytes"`
}

// Assumed is a kernel or link for which a wide interval is assumed, because the measured one is too wide to use.
type Assumed struct {
	Name string `json:"name"`
	Part Number `json:"part"` // of the load of the first bottleneck; 0 where it does not load it
}

// Share is a resource or link with its load.
type Share struct {
	Name    string `json:"name"`
	Sharing string `json:"sharing"`
	// SharingOrigin and SharingNote say where the choice of sharing model comes
	// from.
	SharingOrigin string `json:"sharingOrigin"`
	SharingNote   string `json:"sharingNote,omitempty"`
	// SharingError is the greatest relative error of the rule in the profile's test of this machine; 0 for no test.
	SharingError Number `json:"sharingError,omitempty"`
	Members      int    `json:"members"`
	Utilization  Number `json:"utilization"`
	// Elasticity is (dΓ/Γ)/(dμ/μ) when everything on it becomes faster alike.
	Elasticity Number `json:"elasticity"`
	// TenPercent is by what part Γ grows when all of it grows faster by a tenth.
	TenPercent Number `json:"tenPercent"`
	Rate       Number `json:"rate,omitempty"` // bandwidth of a link
	Origin     string `json:"origin,omitempty"`
	Area       []Area `json:"area,omitempty"`
}

// Block is a block of which several instances run on one platform, from one
// implementation.
type Block struct {
	Name       string `json:"name"`
	Platform   string `json:"platform"`
	Instances  int    `json:"instances"`
	TenPercent Number `json:"tenPercent"` // by what part Γ grows when all grow faster by a tenth
}

// Area is what an FPGA has and what is used of one kind.
type Area struct {
	Kind   string `json:"kind"`
	Used   Number `json:"used"`
	Usable Number `json:"usable"`
}

// Alternative is what another sharing model would predict.
type Alternative struct {
	Sharing    string `json:"sharing"`
	Throughput Number `json:"throughput"`
	Why        string `json:"why"`
}

// Gap is by what part, at the most, any mapping could be better than one of a throughput; 0
// where no bound is known.
func (s *Search) Gap(best Number) float64 {
	if s.Bound == 0 || best == 0 {
		return 0
	}
	return math.Max(0, float64(s.Bound/best)-1)
}
