package gnuradio

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// missingBlocks names the enabled blocks of a flow graph without a description in the folders that grcc lists in its
// output. grcc itself reports only the connections that these blocks leave open.
func (g *FlowGraph) missingBlocks(output string) string {
	described := make(map[string]bool)
	for _, dir := range blockPaths(output) {
		files, err := filepath.Glob(filepath.Join(dir, "*.yml"))
		if err != nil {
			continue // a folder with special characters: its blocks are not named
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil {
				for _, m := range regexp.MustCompile(`(?m)^id:\s*['"]?(\w+)`).FindAllSubmatch(text, -1) {
					described[string(m[1])] = true
				}
			}
		}
	}
	if len(described) == 0 {
		return ""
	}
	builtIn := regexp.MustCompile(`^(variable|epy_|pad_|virtual_|options$|import$|snippet$|parameter$|note$|bus_)`)
	var list []string
	for i := range g.Blocks {
		b := &g.Blocks[i]
		if b.Enabled() && !described[b.ID] && !builtIn.MatchString(b.ID) {
			list = append(list, fmt.Sprintf("block %s (line %d) has the type %s, which is not installed", b.Name,
				b.Line, b.ID))
		}
	}
	const maxNamed = 3
	return strings.Join(list[:min(len(list), maxNamed)], "; ")
}

// blockPaths returns the folders that grcc lists.
func blockPaths(output string) []string {
	_, after, found := strings.Cut(output, "Block paths:")
	if !found {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(after) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ">>>") {
			break
		}
		if filepath.IsAbs(line) && !slices.Contains(dirs, line) {
			dirs = append(dirs, line)
		}
	}
	return dirs
}
