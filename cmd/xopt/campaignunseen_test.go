package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/bench/unseen"
	"xopt/cmd/internal/campaign"
	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// answered makes a campaign of a kind in the folder of a test, with these options and an answer for each point, as
// workers write them.
func (k *campaignTest) answered(dir, kind string, options []string, answers ...any) {
	k.Helper()
	points := make([]campaign.Point, len(answers))
	for i := range points {
		points[i] = campaign.Point{Label: fmt.Sprintf("seed %d", i+1), Args: []string{fmt.Sprint(i + 1)}}
	}
	f, _, err := campaign.Create(filepath.Join(k.home, dir), campaign.Campaign{What: campaign.What{Kind: kind,
		Version: version(), Options: options, Work: "."}, Engine: campaign.Engine{Name: campaign.Local,
		ChunkTime: time.Second, Stale: time.Minute}}, nil, func() ([]campaign.Point, error) { return points, nil })
	if err != nil {
		k.Fatal(err)
	}
	type done struct {
		N    int    `json:"n"`
		Hash string `json:"hash"`
	}
	var list []done
	body := ""
	for i, x := range answers {
		text, err := json.Marshal(x)
		if err != nil {
			k.Fatal(err)
		}
		list, body = append(list, done{i, f.Points[i].Hash}), body+string(text)+"\n"
	}
	sum := sha256.Sum256([]byte(body))
	head, err := json.Marshal(map[string]any{"tool": "xopt", "schema": campaign.Schema, "campaign": f.Hash,
		"done": list, "bytes": len(body), "sha256": hex.EncodeToString(sum[:])})
	if err != nil {
		k.Fatal(err)
	}
	testkit.Write(k, filepath.Join(f.Dir, "results", "all.jsonl"), string(head)+"\n"+body)
}

// TestCampaignUnseenCollected: what a campaign of bench unseen has measured is shown and written, whether its seeds are
// listed or counted.
func TestCampaignUnseenCollected(t *testing.T) {
	t.Parallel()
	k := newCampaignTest(t, nil)
	study := func(seed uint64) *unseen.Results {
		repeats := 0.1
		r := &unseen.Results{Apps: []unseen.Study{{Seed: seed, Kernels: 4, Summary: result.Summary{Cases: 1},
			Cases: []unseen.Case{{Predicted: 100e6, Measured: 90e6, Runs: []float64{90e6}, Repeats: &repeats}}}}}
		r.Summarize()
		return r
	}
	for dir, options := range map[string][]string{"listed": {"--seeds", "41..42"}, "counted": {"--seed", "41", "--apps",
		"2"}} {
		k.answered(dir, unseenKind, options, study(41), study(42))
		out := k.run("campaign", "collect", dir, "-o", dir+".csv")
		for _, want := range []string{"\n41 ", "\n42 "} {
			if !strings.Contains(strings.ReplaceAll(out, "\n ", "\n"), want) {
				t.Errorf("%s: %q is not in\n%s", dir, want, out)
			}
		}
		if text := testkit.Read(t, filepath.Join(k.home, dir+".csv")); !strings.Contains(text, "\n42,4,1,") {
			t.Errorf("%s: the tables are\n%s", dir, text)
		}
		k.run("campaign", "collect", dir, "-o", dir+".json")
		var r unseen.Results
		if err := json.Unmarshal([]byte(testkit.Read(t, filepath.Join(k.home, dir+".json"))), &r); err != nil ||
			len(r.Apps) != 2 || r.Overall == nil || r.Overall.Mappings != 2 {
			t.Errorf("%s: error %v, results %+v", dir, err, r)
		}
	}
}
