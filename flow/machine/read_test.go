package machine

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// recorded returns the tree of another machine.
func recorded(t *testing.T, name string) fs.FS {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	tree := make(fstest.MapFS)
	for _, f := range archive.Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

func read(t *testing.T, name string, o Options) *Machine {
	t.Helper()
	m, err := Read(recorded(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counts are numbers of things; L2 and L3 are caches.
type counts struct{ sockets, cores, processors, nodes, l1, l2, l3, kinds int }

func countsOf(m *Machine) counts {
	c := counts{sockets: m.Sockets(), cores: len(m.Cores), processors: len(m.Usable), nodes: len(m.Nodes),
		kinds: m.Kinds()}
	for _, x := range m.Caches {
		if x.Type != instructions {
			*[]*int{&c.l1, &c.l2, &c.l3}[x.Level-1]++
		}
	}
	return c
}

// TestRecorded reads recorded machines. Except for the machine with one core, the expected values are from the
// lstopo outputs that the authors of hwloc publish with their recordings. On the Opteron lstopo also asks the
// processor. Linux reports 32 cores of two threads each, while lstopo has 64 cores, two of which share an L2
// cache.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name string
		want counts
	}{
		{"8em64t-2s2ca2c", counts{2, 8, 8, 1, 8, 4, 0, 1}},
		{"64amd64-4s2n4ca2co", counts{4, 32, 64, 8, 64, 64, 8, 1}},
		{"16em64t-4s2c2t-offlines", counts{4, 7, 12, 1, 7, 7, 4, 1}},
		{"8em64t-2s4c-heterogeneous", counts{2, 8, 8, 1, 5, 3, 0, 1}},
		{"fakeheterocpunuma", counts{2, 12, 24, 6, 0, 0, 0, 2}},
		{"2i386-2t-hugepagesizecount", counts{1, 1, 2, 0, 1, 1, 0, 1}},
		{"big-little", counts{1, 8, 8, 1, 0, 0, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := countsOf(read(t, c.name, Options{})); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestBound reads a machine of which a process may use only a part: two processors of one cache, and one of
// another socket.
func TestBound(t *testing.T) {
	m := read(t, "8em64t-2s2ca2c", Options{Processors: []int{0, 4, 1, 99}, Nodes: []int{}})
	if !slices.Equal(m.Usable, []int{0, 4, 1}) && !slices.Equal(m.Usable, []int{0, 1, 4}) {
		t.Errorf("may use %v", m.Usable)
	}
	if got, want := countsOf(m), (counts{2, 3, 3, 1, 3, 2, 0, 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if m.Nodes[0].Allowed {
		t.Error("memory of node 0 is allowed")
	}
	a := NewArchitecture(m, false)
	if len(a.Links) != 2 || !slices.Equal(a.Links[0].Sharing.Units, []int{0, 1}) {
		t.Errorf("links %+v, want one of the two that share a cache, and one of all", a.Links)
	}
	if _, err := Read(recorded(t, "8em64t-2s2ca2c"), Options{Processors: []int{99}}); err == nil ||
		!strings.Contains(err.Error(), "only the processors 0-7 are online") {
		t.Errorf("none that is online: %v", err)
	}
}

// TestHere compares this machine with the output of lscpu of util-linux.
func TestHere(t *testing.T) {
	m, err := Here()
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("lscpu")
	if err != nil {
		t.Skip("lscpu is not installed (Debian: util-linux)")
	}
	out, err := exec.Command(path, "-p=CPU,CORE,SOCKET,NODE").Output()
	if err != nil {
		t.Skipf("lscpu: %v", err)
	}
	online, cores, sockets := 0, make(map[string]bool), make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(line, "#") || len(fields) != 4 {
			continue
		}
		online++
		if cpu, err := strconv.Atoi(fields[0]); err == nil && slices.Contains(m.Usable, cpu) {
			cores[fields[1]], sockets[fields[2]] = true, true
		}
	}
	if online != len(m.Online) || len(cores) != len(m.Cores) || m.Sockets() > 0 && len(sockets) != m.Sockets() {
		t.Errorf("%d processors, %d cores, %d sockets; lscpu says %d, %d, %d", len(m.Online), len(m.Cores), m.Sockets(),
			online, len(cores), len(sockets))
	}
}

func TestReadRefuses(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const cpu = "sys/devices/system/cpu/"
	for name, c := range map[string]struct {
		tree fstest.MapFS
		want string
	}{
		"nothing":   {fstest.MapFS{}, "check that sysfs is mounted"},
		"no list":   {fstest.MapFS{cpu + "online": file("x-3")}, `"x-3" is not a list`},
		"backwards": {fstest.MapFS{cpu + "online": file("3-1")}, `"3-1" is not a list`},
		"too many":  {fstest.MapFS{cpu + "online": file("0-99999999")}, "is not a list"},
		"siblings": {fstest.MapFS{cpu + "online": file("0"), cpu + "cpu0/topology/thread_siblings": file("zz")},
			`"zz" is not a set of bits`},
	} {
		if _, err := Read(c.tree, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestBare reads a machine for which Linux reports only the processors, as on some virtual machines.
func TestBare(t *testing.T) {
	tree := fstest.MapFS{"sys/devices/system/cpu/online": &fstest.MapFile{Data: []byte("0-2\n")}}
	m, err := Read(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := countsOf(m), (counts{0, 3, 3, 0, 0, 0, 0, 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(m.Notes) != 4 {
		t.Errorf("notes %q, want one each on threads, sockets, caches and nodes", m.Notes)
	}
	if a := NewArchitecture(m, false); len(a.Links) != 1 || a.Links[0].Linktype != "memory" {
		t.Errorf("links %+v, want one memory", a.Links)
	}
}

func TestQuota(t *testing.T) {
	base := fstest.MapFS{"sys/devices/system/cpu/online": &fstest.MapFile{Data: []byte("0-7")}}
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"version 2": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000",
			"sys/fs/cgroup/a/cpu.max": "150000 100000"}, 1.5},
		"mounted as the root": {map[string]string{"proc/self/cgroup": "0::/../../x\n",
			"sys/fs/cgroup/cpu.max": "200000 100000"}, 2},
		"version 1": {map[string]string{"proc/self/cgroup": "4:cpu,cpuacct:/docker/x\n",
			"sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us":  "50000",
			"sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000"}, 0.5},
		"none": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000"}, 0},
	} {
		tree := fstest.MapFS{}
		for n, f := range base {
			tree[n] = f
		}
		for n, text := range c.files {
			tree[n] = &fstest.MapFile{Data: []byte(text)}
		}
		m, err := Read(tree, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.Quota != c.want {
			t.Errorf("%s: quota %g, want %g", name, m.Quota, c.want)
		}
	}
}

func FuzzLists(f *testing.F) {
	f.Add("0-3,8", "00000000,0000010f")
	f.Fuzz(func(t *testing.T, list, mask string) {
		if set, err := parseList(list); err == nil {
			again, err := parseList(Ranges(set))
			if err != nil || !slices.Equal(set, again) {
				t.Errorf("%q is %v, and written again %v, %v", list, set, again, err)
			}
		}
		if set, err := parseMask(mask); err == nil && !slices.IsSorted(set) {
			t.Errorf("%q is %v", mask, set)
		}
	})
}
