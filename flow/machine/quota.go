package machine

import (
	"path"
	"strconv"
	"strings"
)

// quota finds the processor time that the control groups of the process permit: the minimum over the group and its
// ancestors. It reads version 2 (cpu.max) or 1 (cpu.cfs_quota_us) of control groups.
func (r *reader) quota() {
	for line := range strings.Lines(r.text("proc/self/cgroup")) { // 0::/user.slice, 4:cpu,cpuacct:/docker/x
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			r.quotaIn("sys/fs/cgroup", parts[2], func(dir string) (float64, string) {
				words := strings.Fields(r.text(dir + "/cpu.max"))
				if len(words) != 2 {
					return 0, ""
				}
				return ratio(words[0], words[1]), dir + "/cpu.max"
			})
		case hasWord(parts[1], "cpu"):
			for _, mount := range []string{"sys/fs/cgroup/" + parts[1], "sys/fs/cgroup/cpu"} {
				r.quotaIn(mount, parts[2], func(dir string) (float64, string) {
					return ratio(r.text(dir+"/cpu.cfs_quota_us"), r.text(dir+"/cpu.cfs_period_us")),
						dir + "/cpu.cfs_quota_us"
				})
			}
		}
	}
}

// quotaIn reads a group and its ancestors. In a container, the group is often mounted as the root, so its path does not
// exist. Therefore quotaIn always reads the root.
func (r *reader) quotaIn(mount, group string, read func(dir string) (float64, string)) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if q, from := read(path.Join(mount, group)); q > 0 && (r.m.Quota == 0 || q < r.m.Quota) {
			r.m.Quota, r.m.QuotaFrom = q, "/"+from
		}
		if group == "/" {
			return
		}
	}
}

// ratio returns a quota divided by its period; 0 if there is no limit (max, -1).
func ratio(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || !(q > 0) {
		return 0
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || !(p > 0) {
		return 0
	}
	return q / p
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}
