package build

import (
	"fmt"
	"strings"
	"testing"

	"xopt/internal/deploy"
	"xopt/internal/deploy/abi"
)

// TestLayout holds the offsets against the C structures: a run that ends well has
// used all of them, so that here only their sizes are left to check.
func TestLayout(t *testing.T) {
	header, err := deploy.Runtime.ReadFile("runtime/xrt.h")
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"x_process_control": abi.ProcessControlBytes,
		"x_kernel_control": abi.KernelControlBytes, "x_ring_control": abi.RingControlBytes,
		"x_tap_slot": abi.TapSlotBytes,
		"x_trace":    abi.TraceBytes} {
		if !strings.Contains(string(header), fmt.Sprintf("struct %s { /* %d bytes", name, size)) {
			t.Errorf("%s is not %d bytes long in xrt.h", name, size)
		}
	}
}
