package fresh

import (
	"slices"

	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// Belongs reports whether at least one entry of a profile belongs to a kernel of a program. The kernel must have the
// same name and block. If the entry has sources, the kernel must also have a source file with the same path or the same
// text. Therefore, a profile still belongs to its application after all kernels have changed.
func Belongs(p *xlang.Program, measured *profile.Profile) bool {
	for i := range measured.Kernels {
		entry := &measured.Kernels[i]
		for k := range p.Kernels {
			kernel := &p.Kernels[k]
			if (entry.Block == "" || entry.Block == kernel.Block) &&
				(entry.Instance == "" || entry.Instance == kernel.Name) &&
				(entry.Source == nil || sharesSource(p, k, entry.Source)) {
				return true
			}
		}
	}
	return len(measured.Kernels) == 0 // a profile with only figures of the machine belongs to every application
}

// sharesSource reports whether a kernel has a source with the path or the text of a measured source on any resource.
// Sources that cannot be read count as shared.
func sharesSource(p *xlang.Program, kernel int, was *profile.Source) bool {
	seen := make(map[string]bool)
	for r := range p.Resources {
		platform := p.Resources[r].Platform
		if seen[platform] {
			continue
		}
		seen[platform] = true
		now, err := Of(p, kernel, r)
		if err != nil {
			return true
		}
		if now != nil && slices.ContainsFunc(now.Files, func(f profile.SourceFile) bool {
			return slices.ContainsFunc(was.Files, func(old profile.SourceFile) bool {
				return old.Path == f.Path || old.SHA256 == f.SHA256
			})
		}) {
			return true
		}
	}
	return len(p.Resources) == 0
}
