package calibrate

import (
	"errors"
	"fmt"

	"xopt/calibrate/faults"
	"xopt/deploy/run"
	"xopt/flow/xlang"
)

// alone returns the error of a kernel that was measured alone. If the kernel itself reports an error, the
// repeated input may be the reason, and the text states that.
func alone(k *xlang.Kernel, err error) error {
	err = fmt.Errorf("measuring kernel %s alone: %w", k.Name, err)
	var f *run.Failure
	if errors.As(err, &f) && f.Kind == "failed" && !isSource(k) {
		return faults.KernelFailsAlone.Errorf("%w\nAlone it is fed what was recorded of its inputs again and again: a "+
			"kernel that checks the order of what it is fed must take that it begins anew", err)
	}
	return err
}
