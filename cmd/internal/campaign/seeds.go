package campaign

import (
	"slices"
	"strconv"
	"strings"

	"xopt/cmd/internal/options"
)

// ParseSeeds parses a list of seeds: 1..8, or comma-separated.
func ParseSeeds(text string) ([]uint64, error) {
	wrong := options.Wants("1..8, or whole numbers with commas between, each once, at most %d", maxSeeds)
	if from, to, ok := strings.Cut(text, ".."); ok {
		low, err := strconv.ParseUint(from, 10, 64)
		high, err2 := strconv.ParseUint(to, 10, 64)
		if err != nil || err2 != nil || high < low || high-low >= maxSeeds {
			return nil, wrong
		}
		var seeds []uint64
		for s := low; len(seeds) <= int(high-low); s++ {
			seeds = append(seeds, s)
		}
		return seeds, nil
	}
	var seeds []uint64
	for _, word := range options.SplitWords(text) {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil || slices.Contains(seeds, n) || len(seeds) == maxSeeds {
			return nil, wrong
		}
		seeds = append(seeds, n)
	}
	if len(seeds) == 0 {
		return nil, wrong
	}
	return seeds, nil
}

// maxSeeds is the maximum number of seeds of a campaign.
const maxSeeds = 10_000
