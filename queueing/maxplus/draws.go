package maxplus

import (
	"math"
	"math/bits"
)

// Draws is the random number generator of one station. It draws the same numbers as a PCG of math/rand/v2 with the same
// seeds. Unlike that PCG, Draws can be inlined into the loops that fill blocks of times.
type Draws struct {
	hi, lo uint64
	t      *ziggurat
}

// ziggurat contains the tables of Marsaglia and Tsang (2000, The ziggurat method for generating random variables). They
// have 256 layers below the exponential density and 128 layers below the normal density. Their fractional values are
// rounded to float32, as in math/rand/v2.
type ziggurat struct {
	expLayer   [256]layer
	expDensity [256]float32
	norLayer   [128]layer
	norDensity [128]float32
}

// layer contains the width of a layer, divided by the range of a 32-bit number. below is the limit for such numbers:
// the point of a smaller number is certainly below the density.
type layer struct {
	width float64
	below uint32
}

// expTail and norTail are the starts of the last layers of the two densities. expArea and norArea are the areas of each
// layer.
const (
	expTail, expArea = 7.69711747013104972, 3.949659822581572e-3
	norTail, norArea = 3.442619855899, 9.91256303526217e-3
)

func newZiggurat() *ziggurat {
	z := &ziggurat{}
	exponential := falling{1 << 32, expTail, expArea,
		func(x float64) float64 { return math.Exp(-x) },
		func(y float64) float64 { return -math.Log(y) }}
	exponential.fill(z.expLayer[:], z.expDensity[:])
	normal := falling{1 << 31, norTail, norArea,
		func(x float64) float64 { return math.Exp(-x * x / 2) },
		func(y float64) float64 { return math.Sqrt(-2 * math.Log(y)) }}
	normal.fill(z.norLayer[:], z.norDensity[:])
	return z
}

// falling is a decreasing density with the parameters of its ziggurat: the start of the last layer (tail), the area of
// each layer, and the range of the drawn numbers (max).
type falling struct {
	max, tail, area  float64
	density, inverse func(float64) float64
}

// fill computes the tables of the density.
func (d *falling) fill(layers []layer, f []float32) {
	maximum, tail, area, density, inverse := d.max, d.tail, d.area, d.density, d.inverse
	last := len(layers) - 1
	base := area / density(tail) // width of a box with the area of the last layer, including its tail
	width := func(x float64) float64 { return float64(float32(x / maximum)) }
	layers[0] = layer{width(base), uint32(tail / base * maximum)}
	layers[last].width = width(tail)
	f[0], f[last] = 1, float32(density(tail))
	x := tail
	for i := last - 1; i > 0; i-- {
		before := x
		x = inverse(area/x + density(x))
		layers[i+1].below = uint32(x / before * maximum)
		layers[i].width, f[i] = width(x), float32(density(x))
	}
}

func newDraws(t *ziggurat, seed, stream uint64) *Draws { return &Draws{seed, stream, t} }

// advance returns the next state of a 128-bit PCG.
func advance(hi, lo uint64) (uint64, uint64) {
	const (
		mulHi, mulLo = 2549297995355413924, 4865540595714422341
		incHi, incLo = 6364136223846793005, 1442695040888963407
	)
	h, l := bits.Mul64(lo, mulLo)
	h += hi*mulLo + lo*mulHi
	l, carry := bits.Add64(l, incLo, 0)
	h, _ = bits.Add64(h, incHi, carry)
	return h, l
}

// mixed returns the output for a PCG state, computed by DXSM.
func mixed(hi, lo uint64) uint64 {
	const cheap = 0xda942042e4dd58b5
	hi ^= hi >> 32
	hi *= cheap
	hi ^= hi >> 48
	return hi * (lo | 1)
}

// Uint64 returns 64 random bits. It makes Draws a source of math/rand/v2.
func (d *Draws) Uint64() uint64 {
	d.hi, d.lo = advance(d.hi, d.lo)
	return mixed(d.hi, d.lo)
}

// Float64 returns a uniform number in [0, 1).
func (d *Draws) Float64() float64 { return unit(d.Uint64()) }

func unit(u uint64) float64 { return float64(u<<11>>11) / (1 << 53) }

// exponentials fills list with exponential numbers of the given mean.
func (d *Draws) exponentials(list []float64, mean float64) {
	hi, lo := d.hi, d.lo
	layers := &d.t.expLayer
	for k := range list {
		hi, lo = advance(hi, lo)
		u := mixed(hi, lo)
		j, l := uint32(u), &layers[uint8(u>>32)]
		x := float64(j) * l.width
		if j >= l.below {
			d.hi, d.lo = hi, lo
			x = d.rareExponential(u)
			hi, lo = d.hi, d.lo
		}
		list[k] = mean * x
	}
	d.hi, d.lo = hi, lo
}

// rareExponential returns an exponential number for a random number u whose point is not certainly below the density.
func (d *Draws) rareExponential(u uint64) float64 {
	for ; ; u = d.Uint64() {
		j, i := uint32(u), uint8(u>>32)
		x := float64(j) * d.t.expLayer[i].width
		if j < d.t.expLayer[i].below {
			return x
		}
		if i == 0 {
			return expTail - math.Log(d.Float64())
		}
		f := &d.t.expDensity
		if f[i]+float32(d.Float64())*(f[i-1]-f[i]) < float32(math.Exp(-x)) {
			return x
		}
	}
}

// exponential returns an exponential number with mean 1.
func (d *Draws) exponential() float64 {
	var list [1]float64
	d.exponentials(list[:], 1)
	return list[0]
}

// gammas fills list by the method of [gammaStream.Fill]. It draws gamma variables of shape + 1/3, divides them by
// shape, and multiplies them by scale. c is 1/√(9 shape).
func (d *Draws) gammas(list []float64, shape, c, scale float64) {
	hi, lo := d.hi, d.lo
	layers := &d.t.norLayer
	for k := range list {
		for {
			hi, lo = advance(hi, lo)
			u := mixed(hi, lo)
			j, l := int32(u), &layers[u>>32&0x7F]
			x := float64(j) * l.width
			if sign := j >> 31; uint32((j^sign)-sign) >= l.below {
				d.hi, d.lo = hi, lo
				x = d.rareNormal(u)
				hi, lo = d.hi, d.lo
			}
			v := 1 + c*x
			if v <= 0 {
				continue
			}
			v *= v * v
			hi, lo = advance(hi, lo)
			even, square := unit(mixed(hi, lo)), x*x
			if even < 1-0.0331*square*square || math.Log(even) < 0.5*square+shape*(1-v+math.Log(v)) {
				list[k] = scale * v
				break
			}
		}
	}
	d.hi, d.lo = hi, lo
}

func magnitude(j int32) uint32 {
	if j < 0 {
		return uint32(-j)
	}
	return uint32(j)
}

// rareNormal returns a normal number for a random number u whose point is not certainly below the density.
func (d *Draws) rareNormal(u uint64) float64 {
	for ; ; u = d.Uint64() {
		j, i := int32(u), u>>32&0x7F
		x := float64(j) * d.t.norLayer[i].width
		if magnitude(j) < d.t.norLayer[i].below {
			return x
		}
		if i == 0 {
			return d.normalTail(j > 0)
		}
		f := &d.t.norDensity
		if f[i]+float32(d.Float64())*(f[i-1]-f[i]) < float32(math.Exp(-.5*x*x)) {
			return x
		}
	}
}

func (d *Draws) normalTail(above bool) float64 {
	for {
		x := -math.Log(d.Float64()) * (1.0 / norTail)
		if y := -math.Log(d.Float64()); y+y < x*x {
			continue
		}
		if above {
			return norTail + x
		}
		return -norTail - x
	}
}
