package unseen

import (
	"fmt"
	"math/rand/v2"
)

// content returns the random content of the file for a seed.
func (f *Input) content(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 22))
	b := make([]byte, 0, f.Bytes+1<<10)
	add := runs
	if f.Text {
		add = lines(r)
	}
	for len(b) < f.Bytes {
		b = add(r, b)
	}
	return b[:f.Bytes]
}

// runs appends a run of equal bytes. Small values and short runs are frequent.
func runs(r *rand.Rand, b []byte) []byte {
	value, length := byte(r.IntN(1+r.IntN(256))), 1
	for length < 200 && r.IntN(3) > 0 {
		length++
	}
	for range length {
		b = append(b, value)
	}
	return b
}

// lines returns a function that appends a random line of text. All lines use the same set of words, with different
// frequencies.
func lines(r *rand.Rand) func(*rand.Rand, []byte) []byte {
	const count, longest, deepest = 500, 10, 8
	words := make([]string, count)
	for i := range words {
		word := make([]byte, 1+r.IntN(longest))
		for j := range word {
			word[j] = "abcdefghijklmnopqrstuvwxyzABCDXYZ_"[r.IntN(34)]
		}
		words[i] = string(word)
	}
	word := func() string { return words[r.IntN(1+r.IntN(count))] }
	return func(r *rand.Rand, b []byte) []byte {
		for range r.IntN(deepest) {
			b = append(b, ' ')
		}
		if r.IntN(16) == 0 {
			return fmt.Appendf(b, "# %s %s \"%s\n", word(), word(), word())
		}
		for range 1 + r.IntN(12) {
			switch r.IntN(8) {
			case 0:
				b = fmt.Appendf(b, "%d ", r.IntN(100000))
			case 1:
				b = fmt.Appendf(b, "%.2f", r.Float64()*1000)
			case 2:
				b = fmt.Appendf(b, "\"%s %s\" ", word(), word())
			case 3:
				b = append(b, "=,;:(){}+-"[r.IntN(10)])
			default:
				b = append(append(b, word()...), ' ')
			}
		}
		return append(b, '\n')
	}
}
