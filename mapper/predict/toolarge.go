package predict

import (
	"fmt"

	"xopt/internal/units"
)

// tooLarge warns of a recommended size that no run can have.
func (b *builder) tooLarge(edge string, bytes float64) {
	if bytes > mostMemory {
		b.out.Warnings = append(b.out.Warnings,
			fmt.Sprintf("the recommended buffer of %s is %s: a run may have %s for "+
				"all buffers; firings of fewer elements, or smaller ones, need less", edge, units.Size(bytes),
				units.Size(mostMemory)))
	}
}

// mostMemory is as much as all buffers of a run can be told to have, in bytes.
const mostMemory = 1 << 40
