package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"xopt/internal/safetext"
)

// header reads the header up to $enddefinitions.
func (r *vcdReader) header() error {
	for {
		err := r.read()
		if errors.Is(err, io.EOF) {
			return r.wrong("the dump is incomplete: it has no $enddefinitions")
		}
		if err != nil {
			return err
		}
		keyword := string(r.word)
		if !strings.HasPrefix(keyword, "$") {
			return r.wrong("%q is not a keyword in the header of a dump", safetext.Cut(keyword, 40))
		}
		words, err := r.section(8)
		if err != nil {
			return err
		}
		switch keyword {
		case "$timescale":
			err = r.timescale(strings.Join(words, ""))
		case "$scope":
			if len(words) < 2 {
				return r.wrong("a $scope has no name")
			}
			r.scopes = append(r.scopes, words[1])
		case "$upscope":
			if len(r.scopes) == 0 {
				return r.wrong("a $upscope closes no $scope")
			}
			r.scopes = r.scopes[:len(r.scopes)-1]
		case "$var":
			err = r.declare(words)
		case "$enddefinitions":
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// timescale parses the length of a time unit.
func (r *vcdReader) timescale(text string) error {
	digits := strings.TrimRight(text, "smunpf")
	n, err := strconv.ParseUint(digits, 10, 16)
	ps, ok := map[string]float64{"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1, "fs": 1e-3}[text[len(digits):]]
	if err != nil || !ok || n == 0 {
		return r.wrong("invalid timescale %q: expected 1, 10 or 100 of s, ms, us, ns, ps or fs", safetext.Cut(text,
			40))
	}
	r.unit = float64(n) * ps
	return nil
}

// declare parses a $var: type, width, identifier, name.
func (r *vcdReader) declare(words []string) error {
	if len(words) < 4 {
		return r.wrong("a $var has %d words, expected type, width, identifier and name", len(words))
	}
	if words[1] != "1" {
		return nil
	}
	scope, name := strings.Join(r.scopes, "."), words[3]
	number := func() (int, error) {
		n, ok := r.ids[words[2]]
		if !ok {
			if n = len(r.ids); n == maxSignals {
				return 0, r.wrong("the dump has more than %d streams and clocks", maxSignals)
			}
			r.ids[words[2]] = n
		}
		return n, nil
	}
	switch strings.ToLower(name) {
	case "clk", "aclk", "clock", "clk_i", "i_clk":
		n, err := number()
		if _, ok := r.clocks[scope]; err == nil && !ok {
			r.clocks[scope] = n
		}
		return err
	}
	if point, ok := strings.CutPrefix(name, "tp_"); ok && point != "" {
		n, err := number()
		s := r.stream(scope, point, vcdBoth, true)
		s.valid = n
		return err
	}
	base, suffix, ok := cutStream(name)
	if !ok {
		return nil
	}
	n, err := number()
	if err != nil {
		return err
	}
	side := vcdBoth
	if rest, ok := strings.CutPrefix(base, "s_axis_"); ok && rest != "" {
		base, side = rest, vcdInput
	} else if rest, ok := strings.CutPrefix(base, "m_axis_"); ok && rest != "" {
		base, side = rest, vcdOutput
	}
	s := r.stream(scope, base, side, false)
	switch suffix {
	case "valid":
		s.valid = n
	case "ready":
		s.ready = n
	default:
		s.last = n
	}
	return nil
}

// cutStream splits the name of a stream's signal into the name of the stream and the role of the signal; ok is false
// for other signals.
func cutStream(name string) (base, suffix string, ok bool) {
	for _, suffix := range []string{"valid", "ready", "last"} {
		for _, t := range []string{"_t", "_"} {
			if base, ok := strings.CutSuffix(name, t+suffix); ok && base != "" {
				return base, suffix, true
			}
		}
	}
	return "", "", false
}

// stream returns the stream with the given name in a scope.
func (r *vcdReader) stream(scope, name string, side vcdSide, point bool) *vcdStream {
	key := fmt.Sprintf("%s\x00%s\x00%d%v", scope, name, side, point)
	i, ok := r.byName[key]
	if !ok {
		i = len(r.streams)
		r.byName[key] = i
		r.streams = append(r.streams, &vcdStream{scope: scope, name: name, side: side, point: point, valid: -1,
			ready: -1, last: -1, clock: -1})
	}
	return r.streams[i]
}

// clockOf returns the clock of a scope or of an enclosing scope; -1 for none.
func (r *vcdReader) clockOf(scope string) int {
	for {
		if n, ok := r.clocks[scope]; ok {
			return n
		}
		dot := strings.LastIndexByte(scope, '.')
		if dot < 0 {
			return -1
		}
		scope = scope[:dot]
	}
}

// connect finds the clock and the series of each stream.
func (r *vcdReader) connect() error {
	r.of, r.valids = make([][]*vcdStream, len(r.ids)), make([][]*vcdStream, len(r.ids))
	r.value, r.changed = make([]bool, len(r.ids)), make([]int, len(r.ids))
	r.rose, r.period = slices.Repeat([]int64{-1}, len(r.ids)), make([]int64, len(r.ids))
	found := false
	for _, s := range r.streams {
		if s.valid < 0 || !s.point && s.ready < 0 {
			continue // incomplete stream
		}
		if s.clock = r.clockOf(s.scope); s.clock < 0 {
			return r.wrong("stream %s.%s has no clock: expected a signal clk, aclk or clock in the scope of the "+
				"stream or in an enclosing scope", safetext.Line(s.scope), safetext.Line(s.name))
		}
		p := Port{s.kernel(), s.name}
		kinds, edge := []Kind{In}, ""
		switch {
		case s.point:
			kinds = []Kind{Point}
		case s.side == vcdOutput:
			kinds = []Kind{Out}
		case s.side == vcdBoth:
			kinds, edge = []Kind{Out, In}, p.String()
		}
		for _, k := range kinds {
			at, err := r.series.add(edge, p, k)
			if err != nil {
				return r.wrong("%w", err)
			}
			s.series = at
			switch x := &r.series.list[at]; k {
			case Out:
				x.FromFPGA = p.Kernel
			case In:
				x.ToFPGA = p.Kernel
			}
		}
		found = true
		r.of[s.clock] = append(r.of[s.clock], s)
		r.valids[s.valid] = append(r.valids[s.valid], s)
	}
	if !found {
		return r.wrong("the dump has no streams: expected 1-bit signals: s_axis_<port>_tvalid and _tready of " +
			"an input, m_axis_<port>_… of an output, or <port>_valid and <port>_ready")
	}
	return nil
}
