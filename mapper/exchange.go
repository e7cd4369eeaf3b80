package mapper

import (
	"context"
	"sync"
)

// exchange tells the chains of a search the best of the others. Each publishes its best
// whenever it has done exchangeEvery more evaluations, and reads what the others had published
// one round before its own: waiting for those that are behind by more than that. What a chain
// learns therefore depends on how many evaluations were made and not on how fast, and the
// same seed and number of threads give the same answer.
type exchange struct {
	mu     sync.Mutex
	change *sync.Cond
	chains []published
}

// published is what one chain has told the others.
type published struct {
	rounds []*Candidate // from round number first on; nil entries before its first mapping
	first  int
	ended  bool // at the last of them
	closed bool // it ended because no mapping can be better
	broken bool // it was interrupted, and publishes no more
}

func (p *published) next() int { return p.first + len(p.rounds) }

// exchangeEvery is how many evaluations a chain makes between two publications.
const exchangeEvery = 1 << 16

func newExchange(chains int) *exchange {
	x := &exchange{chains: make([]published, chains)}
	x.change = sync.NewCond(&x.mu)
	return x
}

// wake lets those that wait see that the context has ended.
func (x *exchange) wake() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.change.Broadcast()
}

// publish tells the others the best of a chain after one more round. It reports whether a
// chain had found, one round before that, that no mapping can be better.
func (x *exchange) publish(ctx context.Context, chain int, best *Candidate) (closed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	own := &x.chains[chain]
	own.rounds = append(own.rounds, best)
	x.change.Broadcast()
	for other := range x.chains {
		if other == chain || !x.await(ctx, other, own.next()-2) {
			continue
		}
		p := &x.chains[other]
		closed = closed || p.closed && p.next()-1 <= own.next()-2
	}
	return closed
}

// await waits until a chain has published a round, or ends. It reports whether there is
// something to read: not where one of the two was interrupted.
func (x *exchange) await(ctx context.Context, chain, round int) bool {
	p := &x.chains[chain]
	for round >= 0 && p.next() <= round && !p.ended && !p.broken && ctx.Err() == nil {
		x.change.Wait()
	}
	return round >= 0 && (p.next() > round || p.ended)
}

// end tells that a chain publishes no more: its best stays that. closed is whether it has
// found that no mapping can be better.
func (x *exchange) end(chain int, best *Candidate, closed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &x.chains[chain]
	p.rounds, p.ended, p.closed = append(p.rounds, best), true, closed
	x.change.Broadcast()
}

// interrupt tells that a chain has stopped in the midst of its work: what it would have found
// is not known.
func (x *exchange) interrupt(chain int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.chains[chain].broken = true
	x.change.Broadcast()
}

// best returns the best of the other chains one round before a chain's own; nil where there is none. ok is false where
// it cannot be known, because the search was interrupted.
func (x *exchange) best(ctx context.Context, chain int) (best *Candidate, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	round := x.chains[chain].next() - 2
	if round < 0 {
		return nil, true
	}
	for other := range x.chains {
		if other == chain {
			continue
		}
		if !x.await(ctx, other, round) {
			return nil, false
		}
		p := &x.chains[other]
		c := p.rounds[min(round, p.next()-1)-p.first]
		if c != nil && (best == nil || better(c, best)) {
			best = c
		}
	}
	return best, true
}

// count is how many rounds a chain has published.
func (x *exchange) count(chain int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.chains[chain].next()
}

// window returns what a chain had published before a round, as far back as it is kept.
func (x *exchange) window(chain, before int) (rounds []*Candidate, first int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &x.chains[chain]
	return append([]*Candidate(nil), p.rounds[:max(0, before-p.first)]...), p.first
}

// forget drops the rounds before a number.
func (x *exchange) forget(before int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.chains {
		p := &x.chains[i]
		if n := min(before-p.first, len(p.rounds)-1); n > 0 {
			p.rounds, p.first = append([]*Candidate(nil), p.rounds[n:]...), p.first+n
		}
	}
}
