package unseen_test

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"regexp"
	"slices"

	"xopt/bench/unseen"
)

// tokens recognizes the tokens of a text. Comments are recognized to skip them.
var tokens = regexp.MustCompile(`#[^\n]*|"[^"\n]*"?|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9.]*|[!-~]`)

// lex finds tokens with a regular expression.
func lex(k *unseen.Kernel, in [][]byte) [][]byte {
	const word, number, quoted, symbol = 1, 2, 3, 4
	var y []byte
	for _, text := range tokens.FindAll(in[0], -1) {
		kind := byte(symbol)
		switch c := text[0]; {
		case c == '#':
			continue
		case c == '"':
			kind = quoted
		case c >= '0' && c <= '9':
			kind = number
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_':
			kind = word
		}
		record := make([]byte, int(k.Setting("width")))
		record[0], record[1] = kind, byte(min(len(text), 255))
		copy(record[2:], text[:min(len(text), 255)])
		y = append(y, record...)
	}
	return [][]byte{y}
}

func runs(_ *unseen.Kernel, in [][]byte) [][]byte {
	var y []byte
	for at := 0; at < len(in[0]); {
		length := 1
		for at+length < len(in[0]) && length < 255 && in[0][at+length] == in[0][at] {
			length++
		}
		y = append(y, byte(length), in[0][at])
		at += length
	}
	return [][]byte{y}
}

func expand(_ *unseen.Kernel, in [][]byte) [][]byte {
	var y []byte
	for pair := range slices.Chunk(in[0], 2) {
		y = append(y, bytes.Repeat(pair[1:], int(pair[0]))...)
	}
	return [][]byte{y}
}

func code(k *unseen.Kernel, in [][]byte) [][]byte {
	var order, digits []byte
	for c := range 256 {
		order = append(order, byte(c))
	}
	for _, c := range in[0] {
		rank := bytes.IndexByte(order, c)
		order = slices.Insert(slices.Delete(order, rank, rank+1), 0, c)
		length := bits.Len(uint(rank + 1))
		for i := 2*length - 2; i >= 0; i-- {
			digits = append(digits, byte((rank+1)>>i&1))
		}
	}
	var y []byte
	for eight := range slices.Chunk(digits, 8) {
		value := byte(0)
		for i, digit := range eight {
			value |= digit << (7 - i)
		}
		y = append(y, value)
	}
	for len(y)%int(k.Setting("m")) != 0 {
		y = append(y, 0)
	}
	return [][]byte{y}
}

// key returns the FNV-1a hash of a record.
func key(record []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range record {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func count(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []uint32
	limit := int(k.Setting("limit"))
	counts := make(map[uint32]uint32)
	records, maximum, frequent := uint32(0), uint32(0), uint32(0)
	summarize := func() {
		y = append(y, records, uint32(len(counts)), frequent, maximum)
		clear(counts)
		records, maximum, frequent = 0, 0, 0
	}
	for record := range slices.Chunk(in[0], n(k)) {
		h := key(record)
		records++
		if counts[h]++; counts[h] > maximum {
			maximum, frequent = counts[h], h
		}
		if len(counts) == limit || int(records) == 16*limit {
			summarize()
		}
	}
	if records > 0 {
		summarize()
	}
	return [][]byte{fromWords(y)}
}

func delta(_ *unseen.Kernel, in [][]byte) [][]byte {
	y := slices.Clone(in[0])
	for i := len(y) - 1; i > 0; i-- {
		y[i] -= y[i-1]
	}
	return [][]byte{y}
}

func grind(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []byte
	for element := range slices.Chunk(in[0], n(k)*k.Type.Size()) {
		hash := binary.LittleEndian.AppendUint32(nil, key(bytes.Repeat(element, int(k.Setting("rounds")))))
		for i, c := range element {
			y = append(y, c^hash[i%4])
		}
	}
	return [][]byte{y}
}

func sieve(k *unseen.Kernel, in [][]byte) [][]byte {
	y := make([][]byte, 2)
	for record := range slices.Chunk(in[0], n(k)) {
		way := 1
		if key(record)>>24 < uint32(k.Setting("level")) {
			way = 0
		}
		y[way] = append(y[way], record...)
	}
	return y
}
