package flowgraphs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// itemKind is the type of the items of a stream.
type itemKind string

// Types of items, with the names of GNU Radio.
const (
	complexItem itemKind = "complex"
	floatItem   itemKind = "float"
	byteItem    itemKind = "byte"
)

// parameter is a parameter of a block in a .grc file.
type parameter struct{ key, value string }

// writer creates the text of a .grc file.
type writer struct {
	random      *rand.Rand
	blocks      strings.Builder
	connections strings.Builder
	count       int
}

// Random returns the text of a .grc file with a source, a chain of random blocks with branches, and a sink for each
// branch. No block limits the sample rate. The same seed yields the same text.
func Random(seed uint64) string {
	const shortest, longest = 3, 9 // stages
	w := &writer{random: rand.New(rand.NewPCG(seed, 0))}
	at, kind := w.source(), complexItem
	for range shortest + w.random.IntN(longest-shortest+1) {
		const branch, diamond = 0.15, 0.2
		switch x := w.random.Float64(); {
		case x < branch:
			last, itsKind := w.stage(at, kind)
			w.sink(last, itsKind)
		case x < branch+diamond && kind == complexItem:
			at = w.diamond(at)
		default:
			at, kind = w.stage(at, kind)
		}
	}
	w.sink(at, kind)
	return fmt.Sprintf("options:\n  parameters:\n    id: random_%d\n    generate_options: no_gui\n"+
		"    output_language: python\n    run_options: run\n  states:\n    state: enabled\n\nblocks:\n"+
		"- name: needs\n  id: import\n  parameters:\n    imports: from gnuradio import digital\n"+
		"  states:\n    state: enabled\n%s\nconnections:\n%s\nmetadata:\n  file_format: 1\n",
		seed, w.blocks.String(), w.connections.String())
}

// block adds a block with connections from the given inputs, and returns its name.
func (w *writer) block(id string, inputs []string, parameters ...parameter) string {
	w.count++
	name := fmt.Sprintf("b%d_%s", w.count, strings.TrimPrefix(id, "blocks_"))
	fmt.Fprintf(&w.blocks, "- name: %s\n  id: %s\n  parameters:\n    affinity: ''\n", name, id)
	for _, p := range parameters {
		fmt.Fprintf(&w.blocks, "    %s: '%s'\n", p.key, p.value)
	}
	fmt.Fprintf(&w.blocks, "    minoutbuf: '0'\n  states:\n    state: enabled\n")
	for i, in := range inputs {
		fmt.Fprintf(&w.connections, "- [%s, '0', %s, '%d']\n", in, name, i)
	}
	return name
}

// source adds a random source of complex items, and returns its name.
func (w *writer) source() string {
	switch w.random.IntN(3) {
	case 0:
		return w.block("analog_sig_source_x", nil, parameter{"type", "complex"}, parameter{"samp_rate", "32000"},
			parameter{"waveform", "analog.GR_COS_WAVE"}, parameter{"freq", "1000"}, parameter{"amp", "1"},
			parameter{"offset", "0"}, parameter{"phase", "0"})
	case 1:
		return w.block("analog_noise_source_x", nil, parameter{"type", "complex"},
			parameter{"noise_type", "analog.GR_GAUSSIAN"}, parameter{"amp", "1"}, parameter{"seed", "1"})
	}
	return w.block("analog_fastnoise_source_x", nil, parameter{"type", "complex"},
		parameter{"noise_type", "analog.GR_GAUSSIAN"}, parameter{"amp", "1"}, parameter{"seed", "1"},
		parameter{"samples", "8192"})
}

// sink adds a random sink for a stream of the given type.
func (w *writer) sink(from string, kind itemKind) {
	switch x := w.random.IntN(3); {
	case x == 0:
		w.block("blocks_probe_signal_x", []string{from}, parameter{"type", string(kind)})
	case x == 1 && kind == complexItem:
		w.block("analog_probe_avg_mag_sqrd_x", []string{from}, parameter{"type", "c"}, parameter{"threshold", "0"},
			parameter{"alpha", "1e-4"})
	default:
		w.block("blocks_null_sink", []string{from}, parameter{"type", string(kind)})
	}
}

// diamond adds two branches with equal rates, and a block that adds their outputs.
func (w *writer) diamond(from string) string {
	var ends []string
	for range 2 {
		if w.random.IntN(2) == 0 {
			ends = append(ends, w.filter(from, complexItem, 1))
		} else {
			ends = append(ends, w.block("blocks_rotator_cc", []string{from}, parameter{"phase_inc", "0.1"}))
		}
	}
	return w.block("blocks_add_xx", ends, parameter{"type", "complex"}, parameter{"num_inputs", "2"})
}

// filter adds a FIR filter with up to 200 taps.
func (w *writer) filter(from string, kind itemKind, decimation int) string {
	const maxTaps = 200
	code := map[itemKind]string{complexItem: "ccf", floatItem: "fff"}[kind]
	return w.block("fir_filter_xxx", []string{from}, parameter{"type", code},
		parameter{"decim", fmt.Sprint(decimation)},
		parameter{"taps", fmt.Sprintf("[0.01]*%d", 1+w.random.IntN(maxTaps))})
}

// stage adds a random block for items of a type. It returns its name and the type of its output.
func (w *writer) stage(from string, kind itemKind) (string, itemKind) {
	in := []string{from}
	switch kind {
	case floatItem:
		switch w.random.IntN(3) {
		case 0:
			return w.filter(from, floatItem, 1+w.random.IntN(3)), floatItem
		case 1:
			return w.block("blocks_moving_average_xx", in, parameter{"type", "float"}, parameter{"length", "100"},
				parameter{"scale", "0.01"}), floatItem
		}
		return w.copied(from, floatItem), floatItem
	case byteItem:
		if w.random.IntN(2) == 0 {
			return w.copied(from, byteItem), byteItem
		}
		return w.block("digital_diff_decoder_bb", in, parameter{"modulus", "2"}), byteItem
	}
	switch w.random.IntN(11) {
	case 0, 1:
		return w.filter(from, complexItem, 1+w.random.IntN(3)), complexItem
	case 2:
		return w.copied(from, complexItem), complexItem
	case 3:
		return w.block("rational_resampler_xxx", in, parameter{"type", "ccc"},
			parameter{"interp", fmt.Sprint(1 + w.random.IntN(3))}, parameter{"decim", fmt.Sprint(1 + w.random.IntN(3))},
			parameter{"taps", "[]"}, parameter{"fbw", "0"}), complexItem
	case 4:
		return w.block("pfb_arb_resampler_xxx", in, parameter{"type", "ccf"},
			parameter{"rrate", fmt.Sprintf("%.3f", 0.5+w.random.Float64())}, parameter{"taps", ""}), complexItem
	case 5:
		return w.block("analog_agc_xx", in, parameter{"type", "complex"}), complexItem
	case 6:
		return w.block("analog_agc2_xx", in, parameter{"type", "complex"}), complexItem
	case 7:
		return w.transform(from), complexItem
	case 8:
		return w.block("digital_constellation_decoder_cb", in,
			parameter{"constellation", "digital.constellation_qpsk().base()"}), byteItem
	case 9:
		return w.block("analog_quadrature_demod_cf", in, parameter{"gain", "1"}), floatItem
	}
	return w.block("blocks_complex_to_mag", in), floatItem
}

func (w *writer) copied(from string, kind itemKind) string {
	return w.block("blocks_copy", []string{from}, parameter{"type", string(kind)})
}

// transform adds a Fourier transform of 64 to 4096 points, with conversions to vectors and back.
func (w *writer) transform(from string) string {
	size := fmt.Sprint(64 << w.random.IntN(7))
	complexVector := []parameter{{"type", "complex"}, {"num_items", size}}
	vector := w.block("blocks_stream_to_vector", []string{from}, complexVector...)
	spectrum := w.block("fft_vxx", []string{vector}, parameter{"type", "complex"}, parameter{"fft_size", size},
		parameter{"forward", "True"}, parameter{"window", "[]"}, parameter{"shift", "False"},
		parameter{"nthreads", "1"})
	return w.block("blocks_vector_to_stream", []string{spectrum}, complexVector...)
}
