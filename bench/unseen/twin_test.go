package unseen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/bench/unseen"
)

// twin is the function of a block, from all data of each input: the plain program that the application must equal.
type twin func(k *unseen.Kernel, in [][]byte) [][]byte

// sequential runs an application as plain functions, one kernel after the other. It returns the outputs of its sink and
// of the sink of its side branch, "" for no side branch. consumed are the bytes that each kernel consumes. sent are the
// bytes on each of its outputs.
func sequential(t *testing.T, a *unseen.App, elements int) (out, side string, consumed []int, sent [][]int) {
	t.Helper()
	outputs := make([][][]byte, len(a.Kernels))
	consumed, sent = make([]int, len(a.Kernels)), make([][]int, len(a.Kernels))
	for i := range a.Kernels {
		k := &a.Kernels[i]
		ins := make([][]byte, 2+int(k.Setting("ways")))
		for _, e := range a.Edges {
			if e.To != i {
				continue
			}
			at := max(e.ToIndex, 0)
			if e.ToPort == "b" {
				at = 1
			}
			ins[at] = outputs[e.From][max(e.FromIndex, 0)]
			consumed[i] += len(ins[at])
		}
		switch k.Block {
		case "Text", "Signal", "Numbers", "Events":
			outputs[i] = [][]byte{source(k, elements)}
		case "Read":
			file := a.Content()
			outputs[i] = [][]byte{slices.Repeat(file, n(k)*elements/len(file)+1)[:n(k)*elements]}
		case "Digest":
			out = digest(k, ins[0])
		case "Store":
			out = stored(k, ins[0])
		case "Tally":
			side = digest(k, ins[0])
		default:
			do := twins()[k.Block]
			if do == nil {
				t.Fatalf("block %s has no twin", k.Block)
			}
			outputs[i] = do(k, ins)
		}
		for _, o := range outputs[i] {
			sent[i] = append(sent[i], len(o))
		}
	}
	return out, side, consumed, sent
}

func twins() map[string]twin {
	return map[string]twin{
		"Scale": samples(scale), "Fir": samples(fir), "Spectrum": samples(spectrum), "Matrix": samples(matrix),
		"Sparse": samples(sparse), "Select": samples(sel), "Quantize": quantize, "Samples": toSamples,
		"Fraction": fraction, "Bytes": func(_ *unseen.Kernel, in [][]byte) [][]byte { return in[:1] },
		"Add": add, "Mix": mix, "Table": numbers(table), "Chase": numbers(chase), "Sort": numbers(shellSort),
		"Hash": hash, "Histogram": histogram, "Parse": parse, "Compress": compress, "Deal": deal, "Gather": gather,
		"Pack":   pack,
		"Unpack": func(_ *unseen.Kernel, in [][]byte) [][]byte { return in[:1] },
		"Lex":    lex, "Runs": runs, "Expand": expand, "Code": code, "Count": count, "Delta": delta, "Grind": grind,
		"Sieve": sieve,
	}
}

func n(k *unseen.Kernel) int { return int(k.Setting("n")) }

// step returns the next number of the tables' generator.
func step(r uint32) uint32 { return r*1664525 + 1013904223 }

func words(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return list
}

func fromWords(list []uint32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func floats(b []byte) []float32 {
	list := make([]float32, len(b)/4)
	for i, v := range words(b) {
		list[i] = math.Float32frombits(v)
	}
	return list
}

func fromFloats(list []float32) []byte {
	w := make([]uint32, len(list))
	for i, v := range list {
		w[i] = math.Float32bits(v)
	}
	return fromWords(w)
}

// numbers returns the twin for a function of the elements in a stream of numbers.
func numbers(do func(*unseen.Kernel, []uint32) []uint32) twin {
	return func(k *unseen.Kernel, in [][]byte) [][]byte { return [][]byte{fromWords(do(k, words(in[0])))} }
}

// samples returns the twin for a function of the elements in a stream of samples.
func samples(do func(*unseen.Kernel, []float32) []float32) twin {
	return func(k *unseen.Kernel, in [][]byte) [][]byte { return [][]byte{fromFloats(do(k, floats(in[0])))} }
}

type xorshift uint32

func newXorshift(seed float64) *xorshift {
	r := xorshift(2463534242 ^ uint32(seed)*2654435761)
	return &r
}

func (x *xorshift) draw() uint32 {
	r := uint32(*x)
	r ^= r << 13
	r ^= r >> 17
	r ^= r << 5
	*x = xorshift(r)
	return r
}

func source(k *unseen.Kernel, elements int) []byte {
	r, all := newXorshift(k.Setting("seed")), n(k)*elements
	switch k.Block {
	case "Events":
		list := make([]byte, all)
		for i := range list {
			if at := i % n(k); at > 0 {
				list[i] = byte(i/n(k)>>(at%8)) + list[i-at]&3
			} else {
				v := r.draw()
				list[i] = byte(v & (v >> 8) & 63)
			}
		}
		return list
	case "Numbers":
		list := make([]uint32, all)
		for i := range list {
			list[i] = r.draw()
		}
		return fromWords(list)
	case "Signal":
		period, list := make([]float32, 1<<12), make([]float32, all)
		for i := range period {
			wave, noise := int32(uint32(i)*13%2048)-1024, int32(r.draw()%256)-128
			period[i] = float32(wave+noise) * 0x1p-10
		}
		loud := float32(0)
		for i := range list {
			if i%n(k) == 0 {
				loud = float32(1+r.draw()%8) * 0.125
			}
			list[i] = loud * period[i%len(period)]
		}
		return fromFloats(list)
	}
	const length = 1 << 16
	var b strings.Builder
	for b.Len() < length {
		v := r.draw()
		kind, length := v%8, 1+v>>8%8
		if kind == 0 {
			length = 1 + v>>8%24
		}
		if v>>16&15 != 0 {
			b.WriteByte(' ')
		} else {
			b.WriteByte('\n')
		}
		for range length {
			switch {
			case kind == 0:
				b.WriteByte(' ')
			case kind == 1:
				b.WriteByte(byte('0' + r.draw()%10))
			case kind < 5:
				b.WriteByte(byte('a' + r.draw()%4))
			default:
				b.WriteByte(byte('a' + r.draw()%26))
			}
		}
	}
	return []byte(strings.Repeat(b.String()[:length], all/length+1)[:all])
}

func digest(k *unseen.Kernel, in []byte) string {
	size := n(k) * k.Type.Size()
	h := uint64(14695981039346656037)
	for element := range slices.Chunk(in, size) {
		h = fnv(h, element)
	}
	return fmt.Sprintf("%d %016x\n", len(in)/size, h)
}

// fnv returns a hash after more data: FNV-1a of eight bytes at a time, with zeros at the end.
func fnv(h uint64, data []byte) uint64 {
	for word := range slices.Chunk(data, 8) {
		var full [8]byte
		copy(full[:], word)
		h = (h ^ binary.LittleEndian.Uint64(full[:])) * 1099511628211
	}
	return h
}

// stored is the twin of Store.
func stored(k *unseen.Kernel, in []byte) string {
	size := n(k) * k.Type.Size()
	file := make([]byte, max(1, int(k.Setting("limit"))/size)*size)
	for i := 0; i < len(in); i += len(file) {
		copy(file, in[i:])
	}
	return fmt.Sprintf("%d %016x\n", len(in)/size, fnv(14695981039346656037, file[:min(len(file), len(in))]))
}
