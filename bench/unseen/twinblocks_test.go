package unseen_test

import (
	"math"
	"regexp"
	"slices"

	"xopt/bench/unseen"
)

func scale(k *unseen.Kernel, x []float32) []float32 {
	a, b := float32(k.Setting("a")), float32(k.Setting("b"))
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(a*x[i]) + b
	}
	return y
}

// coefficients returns numbers from -1/4 to 1/4.
func coefficients(k *unseen.Kernel, count int) []float32 {
	list, r := make([]float32, count), uint32(k.Setting("seed"))
	for i := range list {
		r = step(r)
		list[i] = float32(int32(r>>16)%64-32) * 0x1p-7
	}
	return list
}

func fir(k *unseen.Kernel, x []float32) []float32 {
	c, y := coefficients(k, int(k.Setting("taps"))), make([]float32, len(x))
	for i := range x {
		for j, v := range c {
			old := float32(0)
			if i >= j {
				old = x[i-j]
			}
			y[i] += float32(v * old)
		}
	}
	return y
}

// spectrum computes a recursive transform with the same operations as the in-place one.
func spectrum(k *unseen.Kernel, x []float32) []float32 {
	var y []float32
	for at := 0; at+n(k) <= len(x); at += n(k) {
		m := n(k) / 2
		z := make([]complex64, m)
		for i := range z {
			z[i] = complex(x[at+2*i], x[at+2*i+1])
		}
		for _, v := range transform(z, m) {
			power := float32(real(v)*real(v)) + float32(imag(v)*imag(v))
			y = append(y, power*(1/float32(m)))
		}
	}
	return y
}

func transform(z []complex64, all int) []complex64 {
	if len(z) == 1 {
		return z
	}
	var even, odd []complex64
	for i, v := range z {
		if i%2 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	even, odd = transform(even, all), transform(odd, all)
	out := make([]complex64, len(z))
	for j := range even {
		angle := -2 * math.Pi * float64(j*all/len(z)) / float64(all)
		c, s := float32(math.Cos(angle)), float32(math.Sin(angle))
		b := odd[j]
		re, im := float32(real(b)*c)-float32(imag(b)*s), float32(real(b)*s)+float32(imag(b)*c)
		a := even[j]
		out[j], out[j+len(even)] = complex(real(a)+re, imag(a)+im), complex(real(a)-re, imag(a)-im)
	}
	return out
}

func matrix(k *unseen.Kernel, x []float32) []float32 {
	side := int(k.Setting("side"))
	fixed, y := coefficients(k, side*side), make([]float32, len(x))
	for i := range y {
		at, row, column := i-i%(side*side), i%(side*side)/side, i%side
		for j := range side {
			y[i] += float32(x[at+row*side+j] * fixed[j*side+column])
		}
	}
	return y
}

func sparse(k *unseen.Kernel, x []float32) []float32 {
	each, r := int(k.Setting("each")), uint32(k.Setting("seed"))
	values := coefficients(k, n(k)*each)
	columns := make([]int, len(values))
	for i := range columns {
		r = step(r)
		columns[i] = int(r>>8) % n(k)
	}
	y := make([]float32, len(x))
	for i := range y {
		at, row := i-i%n(k), i%n(k)
		for j := row * each; j < (row+1)*each; j++ {
			y[i] += float32(values[j] * x[at+columns[j]])
		}
	}
	return y
}

// sel is the twin of Select.
func sel(k *unseen.Kernel, x []float32) []float32 {
	var y []float32
	mean, level := float32(0), float32(k.Setting("level"))
	for element := range slices.Chunk(x, n(k)) {
		energy := float32(0)
		for _, v := range element {
			energy += float32(v * v)
		}
		if energy >= level*mean {
			y = append(y, element...)
		}
		mean += float32((energy - mean) * 0.0625)
	}
	return y
}

func quantize(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []byte
	for _, v := range floats(in[0]) {
		y = append(y, byte(128+int32(min(max(float32(v*float32(k.Setting("scale"))), -128), 127))))
	}
	return [][]byte{y}
}

func toSamples(_ *unseen.Kernel, in [][]byte) [][]byte {
	var y []float32
	for _, v := range in[0] {
		y = append(y, float32(int32(v)-128)/128)
	}
	return [][]byte{fromFloats(y)}
}

func fraction(_ *unseen.Kernel, in [][]byte) [][]byte {
	var y []float32
	for _, v := range words(in[0]) {
		y = append(y, float32(v>>8)/(1<<24))
	}
	return [][]byte{fromFloats(y)}
}

func add(_ *unseen.Kernel, in [][]byte) [][]byte {
	a, b := floats(in[0]), floats(in[1])
	y := make([]float32, len(a))
	for i := range y {
		y[i] = float32(a[i]+b[i]) / 2
	}
	return [][]byte{fromFloats(y)}
}

func mix(_ *unseen.Kernel, in [][]byte) [][]byte {
	a, b := words(in[0]), words(in[1])
	for i := range a {
		a[i] ^= b[i]<<7 | b[i]>>25
	}
	return [][]byte{fromWords(a)}
}

func table(k *unseen.Kernel, x []uint32) []uint32 {
	bits, r := int(k.Setting("bits")), uint32(k.Setting("seed"))
	list := make([]uint32, 1<<bits)
	for i := range list {
		r = step(r)
		list[i] = r ^ r>>16
	}
	for i, v := range x {
		x[i] = v ^ list[v*2654435761>>(32-bits)]
	}
	return x
}

func chase(k *unseen.Kernel, x []uint32) []uint32 {
	places, r := 1<<int(k.Setting("bits")), uint32(k.Setting("seed"))
	next := make([]uint32, places)
	for i := range next {
		next[i] = uint32(i)
	}
	for i := places - 1; i > 0; i-- {
		r = step(r)
		j := uint64(r) * uint64(i) >> 32
		next[i], next[j] = next[j], next[i]
	}
	for i, v := range x {
		at := v & uint32(places-1)
		for range int(k.Setting("hops")) {
			at = next[at]
		}
		x[i] = at ^ v
	}
	return x
}

// shellSort sorts; the method does not matter.
func shellSort(k *unseen.Kernel, x []uint32) []uint32 {
	for element := range slices.Chunk(x, n(k)) {
		slices.Sort(element)
	}
	return x
}

func hash(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []uint32
	for part := range slices.Chunk(in[0], int(k.Setting("part"))) {
		h := uint32(2166136261)
		for _, c := range part {
			h = (h ^ uint32(c)) * 16777619
		}
		y = append(y, h)
	}
	return [][]byte{fromWords(y)}
}

func histogram(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []uint32
	for element := range slices.Chunk(in[0], n(k)) {
		var counts [256]uint32
		for _, c := range element {
			counts[c]++
		}
		y = append(y, counts[:]...)
	}
	return [][]byte{fromWords(y)}
}

// parse finds tokens with a regular expression. A token that may be cut at the end is not sent.
func parse(k *unseen.Kernel, in [][]byte) [][]byte {
	const word, number, line = 1, 2, 4
	var y []uint32
	token := func(kind, value uint32) {
		if kind&uint32(k.Setting("kinds")) != 0 {
			y = append(y, kind, value)
		}
	}
	// A word may have digits after its first letter; letters end a number.
	for _, m := range regexp.MustCompile(`[a-z][a-z0-9]*|[0-9]+|\n`).FindAllIndex(in[0], -1) {
		text := in[0][m[0]:m[1]]
		switch {
		case text[0] == '\n':
			token(line, 0)
		case m[1] == len(in[0]):
		case text[0] <= '9':
			value := uint64(0)
			for _, c := range text {
				value = value*10 + uint64(c-'0')
			}
			token(number, uint32(value))
		default:
			value := uint32(0)
			for _, c := range text {
				value = value*31 + uint32(c)
			}
			token(word, value)
		}
	}
	return [][]byte{fromWords(y)}
}

func compress(k *unseen.Kernel, in [][]byte) [][]byte {
	var y []byte
	for element := range slices.Chunk(in[0], n(k)) {
		y = append(y, compressed(element)...)
	}
	for len(y)%int(k.Setting("m")) != 0 {
		y = append(y, 0)
	}
	return [][]byte{y}
}

func compressed(x []byte) []byte {
	var y []byte
	literals := func(list []byte) {
		for run := range slices.Chunk(list, 127) {
			y = append(append(y, byte(len(run))), run...)
		}
	}
	four := func(at int) uint32 { return words(x[at : at+4])[0] }
	last := make(map[uint32]int) // position of the last occurrence of a hash
	from, at := 0, 0
	for at+4 <= len(x) {
		slot := four(at) * 2654435761 >> 22
		before, seen := last[slot]
		last[slot] = at
		if !seen || four(before) != four(at) {
			at++
			continue
		}
		length := 4
		for at+length < len(x) && length < 131 && x[before+length] == x[at+length] {
			length++
		}
		literals(x[from:at])
		y = append(y, byte(128+length-4), byte(at-before), byte((at-before)>>8))
		at += length
		from = at
	}
	literals(x[from:])
	return y
}

func deal(k *unseen.Kernel, in [][]byte) [][]byte {
	out := make([][]byte, int(k.Setting("ways")))
	i := 0
	for element := range slices.Chunk(in[0], n(k)*k.Type.Size()) {
		out[i%len(out)] = append(out[i%len(out)], element...)
		i++
	}
	return out
}

func gather(k *unseen.Kernel, in [][]byte) [][]byte {
	size, ways := n(k)*k.Type.Size(), int(k.Setting("ways"))
	var y []byte
	for i := 0; ; i++ {
		for w := range ways {
			if (i+1)*size > len(in[w]) {
				return [][]byte{y}
			}
		}
		for w := range ways {
			y = append(y, in[w][i*size:(i+1)*size]...)
		}
	}
}

func pack(k *unseen.Kernel, in [][]byte) [][]byte {
	size := n(k) * k.Type.Size() * int(k.Setting("times"))
	return [][]byte{in[0][:len(in[0])/size*size]}
}
