package exchange

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow/exchange/sdf3"
)

// published returns graphs of applications from the literature on static dataflow: rates, initial tokens and times of
// the benchmark of SDF3 (Stuijk, Geilen and Basten 2006 and 2008; Ghamarian et al. 2006). Actors are NAME TIME,
// channels FROM PRODUCED CONSUMED TO [INITIAL]; every actor has a self-loop of one token.
func published() map[string][2]string {
	return map[string][2]string{
		"h263decoder": {"vld 26018, iq 559, idct 486, mc 10958", "vld 594 1 iq, iq 1 1 idct, idct 1 594 mc"},
		"h263encoder": {"me 382419, mbe 8409, vlc 26018, mbd 6264, mc 11356",
			"mc 1 1 me 1, me 99 1 mbe, mbe 1 99 vlc, mbe 1 1 mbd, mbd 1 99 mc"},
		"samplerate": {"a 5, b 2, c 3, d 1, e 4, f 6", "a 1 1 b, b 2 3 c, c 2 7 d, d 8 7 e, e 5 1 f"},
		"modem": {"fork1 1, biq 1, bi 1, add 1, ac 1, fork2 1, conj 1, mul1 1, in 1, filt 1, hil 1, eq 1, mul2 1, " +
			"deci 1, deco 1, out 1",
			"fork1 1 1 biq, fork1 1 1 bi, biq 1 1 add, bi 1 1 add, add 1 1 ac, ac 2 1 fork2, fork2 1 2 conj, " +
				"fork2 1 2 mul1, conj 2 2 mul2, mul1 2 2 deci, mul2 2 2 eq 2, in 1 1 filt, filt 1 8 hil, hil 2 4 eq, " +
				"eq 2 2 mul1, deci 2 2 mul2, deci 2 2 deco, deco 1 1 out, deci 1 1 fork1 1"},
		"satellite": {"a 1, b 1, c 1, d 1, e 1, f 1, g 1, h 1, i 1, j 1, k 1, l 1, m 1, n 1, p 1, q 1, r 1, s 1, " +
			"t 1, u 1, v 1, w 1",
			"a 1 4 b, b 1 11 c, c 1 1 g, c 10 1 p, d 1 4 e, e 1 11 f, f 1 1 k, f 10 1 p, g 1 1 h, h 11 11 i, " +
				"i 10 1 j, k 1 1 l, l 11 11 m, m 10 1 n, p 1 240 q, p 1 240 r, q 240 1 w, r 240 1 w, n 1 1 p, " +
				"n 1 1 s, s 1 1 u, j 1 1 p, j 1 1 t, t 1 1 u, u 1 240 v, v 240 1 w"},
	}
}

// graphOf makes a file of actors and channels as in published.
func graphOf(t *testing.T, name, actors, channels string) *sdf3.File {
	t.Helper()
	f := &sdf3.File{Name: name, Graph: &sdf3.Graph{}}
	at := make(map[string]int)
	for text := range strings.SplitSeq(actors, ", ") {
		var a sdf3.Actor
		p := sdf3.Processor{Type: "p1", Default: true}
		if _, err := fmt.Sscan(text, &a.Name, &p.Time); err != nil {
			t.Fatal(text, err)
		}
		a.Processors = []sdf3.Processor{p}
		at[a.Name] = len(f.Graph.Actors)
		f.Graph.Actors = append(f.Graph.Actors, a)
	}
	for text := range strings.SplitSeq(channels, ", ") {
		var from, to string
		var produced, consumed, initial int64
		if n, err := fmt.Sscan(text, &from, &produced, &consumed, &to, &initial); n < 4 {
			t.Fatal(text, err)
		}
		addChannel(f.Graph, at[from], at[to], produced, consumed, initial)
	}
	for k := range f.Graph.Actors {
		addChannel(f.Graph, k, k, 1, 1, 1)
	}
	return f
}

// addChannel adds a channel with ports of its own and tokens of 4 bytes.
func addChannel(g *sdf3.Graph, from, to int, produced, consumed, initial int64) {
	c := sdf3.Channel{Name: fmt.Sprintf("c%d", len(g.Channels)), From: from, To: to, Initial: initial, TokenBits: 32}
	a := &g.Actors[from]
	c.FromPort = len(a.Ports)
	a.Ports = append(a.Ports, sdf3.Port{Name: fmt.Sprintf("y%d", len(a.Ports)), Out: true, Rate: produced})
	b := &g.Actors[to]
	c.ToPort = len(b.Ports)
	b.Ports = append(b.Ports, sdf3.Port{Name: fmt.Sprintf("x%d", len(b.Ports)), Rate: consumed})
	g.Channels = append(g.Channels, c)
}

// randomFile draws a connected graph with cycles, which may have too few tokens.
func randomFile(r *rand.Rand) *sdf3.File {
	f := &sdf3.File{Name: "drawn", Graph: &sdf3.Graph{}}
	n := 2 + r.IntN(5)
	q := make([]int64, n)
	for k := range n {
		q[k] = 1 + r.Int64N(4)
		f.Graph.Actors = append(f.Graph.Actors, sdf3.Actor{Name: fmt.Sprintf("k%d", k),
			Processors: []sdf3.Processor{{Type: "p1", Default: true, Time: 1 + r.Int64N(30)}}})
	}
	join := func(from, to int, initial bool) {
		common := gcd(q[from], q[to])
		produced, consumed, tokens := q[to]/common, q[from]/common, int64(0)
		if initial {
			tokens = consumed + r.Int64N(3*consumed*q[to])
		}
		addChannel(f.Graph, from, to, produced, consumed, tokens)
	}
	for k := 1; k < n; k++ {
		join(r.IntN(k), k, false)
	}
	for range r.IntN(4) {
		if from, to := r.IntN(n), r.IntN(n); from != to {
			join(from, to, from > to)
		}
	}
	for k := range n {
		addChannel(f.Graph, k, k, 1, 1, 1)
	}
	return f
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// selfTimed executes a graph without limits, firing by firing, until the times of an iteration repeat earlier ones
// with a constant offset. It returns the time of an iteration for the slowest part, because parts without a common
// cycle have their own speeds. It is the slow, obvious twin of eval's computation.
func selfTimed(f *sdf3.File, q []int64) float64 {
	g := f.Graph
	ends := make([][]int64, len(g.Actors)) // when each firing of each actor ends
	const iterations = 240
	for done := false; !done; {
		done = true
		for a := range g.Actors {
			for int64(len(ends[a])) < iterations*q[a] {
				start, ready := int64(0), true
				for _, c := range g.Channels {
					if c.To != a {
						continue
					}
					rate := g.Actors[a].Ports[c.ToPort].Rate
					missing := rate*int64(len(ends[a])+1) - c.Initial
					if missing <= 0 {
						continue
					}
					made := g.Actors[c.From].Ports[c.FromPort].Rate
					last := (missing+made-1)/made - 1
					if last >= int64(len(ends[c.From])) {
						ready = false
						break
					}
					start = max(start, ends[c.From][last])
				}
				if !ready {
					break
				}
				done = false
				ends[a] = append(ends[a], start+g.Actors[a].Processors[0].Time)
			}
		}
	}
	slowest := 0.0
	for a := range g.Actors {
		slowest = max(slowest, actorPeriod(ends[a], int(q[a])))
	}
	return slowest
}

// actorPeriod returns the time of an iteration of one actor: its firings repeat after some iterations.
func actorPeriod(ends []int64, fires int) float64 {
	for span := 1; span <= 24; span++ {
		step, same := ends[len(ends)-1]-ends[len(ends)-1-span*fires], true
		for i := len(ends) - 1; i >= len(ends)-3*span*fires && same; i-- {
			same = ends[i]-ends[i-span*fires] == step
		}
		if same {
			return float64(step) / float64(span)
		}
	}
	return -1 // outside the executed part
}
