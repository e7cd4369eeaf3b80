package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/options"
)

// seedsOption lists the seeds of a campaign.
const seedsOption = "seeds"

// seedList checks --seeds.
func seedList(now any) error {
	_, err := parseSeeds(strings.Join(now.([]string), ","))
	return err
}

// parseSeeds reads a list of seeds: 1..8, or with commas between.
func parseSeeds(text string) ([]uint64, error) {
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

// maxSeeds is how many seeds a campaign may have.
const maxSeeds = 10_000

// seeds are those of a campaign; --seed alone where none are listed.
func (a *app) seeds() ([]uint64, error) {
	if len(a.settings.campaign.seeds) == 0 {
		return []uint64{a.settings.Seed}, nil
	}
	if a.given("seed") {
		return nil, wrongUse("--seed and --%s do not go together", seedsOption)
	}
	return parseSeeds(strings.Join(a.settings.campaign.seeds, ","))
}

// seedPoints are the points of a campaign over seeds.
func (a *app) seedPoints(*cobra.Command, []string) ([]campaign.Point, error) {
	seeds, err := a.seeds()
	if err != nil {
		return nil, err
	}
	points := make([]campaign.Point, len(seeds))
	for i, s := range seeds {
		points[i] = campaign.Point{Label: fmt.Sprintf("seed %d", s), Args: []string{strconv.FormatUint(s, 10)}}
	}
	return points, nil
}

// seedOf is the seed of a point.
func seedOf(p *campaign.Point) (uint64, error) {
	if len(p.Args) != 1 {
		return 0, fmt.Errorf("point %d has no seed", p.N+1)
	}
	return strconv.ParseUint(p.Args[0], 10, 64)
}

// force sets an option as a flag does.
func (a *app) force(name, text string) error {
	v := a.inForce[name]
	if v == nil {
		return fmt.Errorf("unknown option --%s", name)
	}
	return v.Assign([]string{text}, options.OriginFlag)
}
