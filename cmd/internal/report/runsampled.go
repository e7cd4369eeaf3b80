package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// sampledUnlike is how far the mean of the sampled firings of a kernel may be from that of all, relatively, without
// a word.
const sampledUnlike = 0.1

// sampledNote names the kernels whose scv is not of the same firings as their service time: interruptions fall on a
// few firings, which the samples can miss. "" where there are none.
func sampledNote(m *result.Measured) string {
	var list []string
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Service == nil || k.Service.SCV == nil || !(k.ServiceTime > 0) {
			continue
		}
		if unlike := float64(k.Service.Mean/k.ServiceTime) - 1; math.Abs(unlike) > sampledUnlike {
			list = append(list, fmt.Sprintf("%s %s over %d samples", k.Kernel, units.Time(float64(k.Service.Mean)),
				k.Service.Samples))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "(scv is of the sampled firings only, and these are not like all firings, of which the service time is, " +
		"interruptions included; their mean: " + strings.Join(first(list, maxNamed), ", ") + ")"
}
