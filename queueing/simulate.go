package queueing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Distribution draws times in seconds.
type Distribution interface {
	Draw(*rand.Rand) float64
}

// Constant is always the same time.
type Constant float64

// Draw returns the constant.
func (c Constant) Draw(*rand.Rand) float64 { return float64(c) }

// Exponential has the given mean; its squared coefficient of variation is 1.
type Exponential float64

// Draw returns an exponential time.
func (e Exponential) Draw(r *rand.Rand) float64 { return float64(e) * r.ExpFloat64() }

// Erlang is the sum of Stages exponential times, with squared coefficient of
// variation 1/Stages.
type Erlang struct {
	Mean   float64
	Stages int
}

// Draw returns an Erlang time.
func (e Erlang) Draw(r *rand.Rand) float64 {
	sum := 0.0
	for range e.Stages {
		sum += r.ExpFloat64()
	}
	return e.Mean / float64(e.Stages) * sum
}

// Hyperexponential is exponential with mean Short, or with probability P with
// mean Long.
type Hyperexponential struct {
	P, Short, Long float64
}

// Draw returns a hyperexponential time.
func (h Hyperexponential) Draw(r *rand.Rand) float64 {
	if r.Float64() < h.P {
		return h.Long * r.ExpFloat64()
	}
	return h.Short * r.ExpFloat64()
}

// Stage is one station of a tandem to simulate.
type Stage struct {
	Service Distribution
	// Capacity is the room in elements, the one in service included; 0 means
	// without end. An element that finds the next stage full stays in its
	// server, which is blocked (blocking after service).
	Capacity int
}

// Run is what a simulation saw.
type Run struct {
	Throughput float64 // elements/s through the last stage
	Stages     []StageRun
}

// StageRun is what it saw at one stage.
type StageRun struct {
	// Occupancy[n] is the fraction of time that n elements were in the stage,
	// the one in service included; the last entry holds more than that too.
	Occupancy    []float64
	MeanNumber   float64 // time average of N
	MeanResponse float64 // seconds in the stage, on average
	// ResponseError is half the 95 % confidence interval of MeanResponse, from
	// the means of 30 batches.
	ResponseError float64
	MaxNumber     int
}

// maxOccupancy is the longest occupancy histogram that is kept.
const maxOccupancy = 4096

// batches of elements, for confidence intervals.
const batches = 30

// Simulate sends elements through stages in series and returns what happened
// after the first tenth, which is left out as warm-up. Departure times follow
// from the recursion of a tandem with finite rooms:
//
//	D[n,j] = max(max(D[n-1,j], D[n,j-1]) + S[n,j], D[n-K[j+1], j+1])
//
// so that no event list is needed. The same source gives the same run.
func Simulate(ctx context.Context, arrivals Distribution, stages []Stage, elements int, src rand.Source) (*Run, error) {
	if len(stages) == 0 || elements < 10*batches {
		return nil, fmt.Errorf("simulation of %d stages and %d elements: %w", len(stages), elements, ErrRange)
	}
	rng := rand.New(src)
	m := len(stages)
	// in[j][n] is when element n entered stage j, out[j][n] when it left.
	in, out := matrix(m, elements), matrix(m, elements)
	clock := 0.0
	for n := range elements {
		if n&4095 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		clock += arrivals.Draw(rng)
		at := clock
		if k := stages[0].Capacity; k > 0 && n >= k {
			at = math.Max(at, out[0][n-k]) // waits outside
		}
		for j := range stages {
			in[j][n] = at
			start := at
			if n > 0 {
				start = math.Max(start, out[j][n-1])
			}
			at = start + stages[j].Service.Draw(rng)
			if j+1 < m {
				if k := stages[j+1].Capacity; k > 0 && n >= k {
					at = math.Max(at, out[j+1][n-k]) // blocked
				}
			}
			out[j][n] = at
		}
	}
	first := elements / 10
	r := &Run{Throughput: float64(elements-1-first) / (out[m-1][elements-1] - out[m-1][first])}
	for j := range stages {
		r.Stages = append(r.Stages, observe(in[j], out[j], first))
	}
	return r, nil
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// observe walks through the arrivals and departures of one stage in order of
// time, from the arrival of element first until that of the last.
func observe(in, out []float64, first int) StageRun {
	n := len(in)
	gone := 0
	for out[gone] <= in[first] && gone < first {
		gone++
	}
	var hist []float64
	s := StageRun{}
	from, to := in[first], in[n-1]
	at, next := from, first
	for next < n-1 {
		number := next + 1 - gone
		s.MaxNumber = max(s.MaxNumber, number)
		until := in[next+1]
		leaves := gone <= next && out[gone] <= until // who leaves makes room first
		if leaves {
			until = out[gone]
		}
		for len(hist) <= min(number, maxOccupancy) {
			hist = append(hist, 0)
		}
		hist[min(number, maxOccupancy)] += until - at
		s.MeanNumber += float64(number) * (until - at)
		at = until
		if leaves {
			gone++
		} else {
			next++
		}
	}
	span := to - from
	for i := range hist {
		hist[i] /= span
	}
	s.Occupancy = hist
	s.MeanNumber /= span
	s.MeanResponse, s.ResponseError = response(in, out, first)
	return s
}

// response averages the times in a stage over batches.
func response(in, out []float64, first int) (mean, half float64) {
	size := (len(in) - first) / batches
	means := make([]float64, batches)
	for b := range means {
		for i := range size {
			n := first + b*size + i
			means[b] += out[n] - in[n]
		}
		means[b] /= float64(size)
		mean += means[b] / batches
	}
	square := 0.0
	for _, x := range means {
		square += (x - mean) * (x - mean)
	}
	const t = 2.045 // Student, 29 degrees of freedom, 97.5 %
	return mean, t * math.Sqrt(square/(batches-1)/batches)
}
