package campaign

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/internal/files/infile"
)

// File names in the folder of a campaign.
const (
	campaignFile     = "campaign.json"
	inputsFolder     = "inputs"
	pointsFolder     = "points"
	claimsFolder     = "claims"
	workersFolder    = "workers"
	resultsFolder    = "results"
	failedFolder     = "failed"
	unfinishedFolder = "unfinished"
	logsFolder       = "logs"
	keptFolder       = "checkpoints"
	cancelledFile    = "cancelled"
)

// maxFile is the maximum size of a file, in bytes.
const maxFile = 1 << 30

// pointsInFile is the number of points in each file of the list.
const pointsInFile = 1000

// Folder is the folder of a campaign.
type Folder struct {
	Dir string
	Campaign
	Points []Point

	prefix string       // prefix in the names of unfinished files
	spoil  func() error // makes writes fail in tests
}

// Copied is a file to copy into a campaign.
type Copied struct{ From, To string } // To is relative to inputs

// OtherError reports that a folder contains another campaign.
type OtherError struct {
	Dir  string
	Kind string
}

func (e *OtherError) Error() string {
	return fmt.Sprintf("%s contains another campaign (%s), or this campaign with other files, other options or "+
		"another version of xopt: name another folder with --dir", e.Dir, e.Kind)
}

// Create creates the folder of a campaign with the points from list. If the folder exists and contains the same
// campaign, Create opens the folder and sets there to true.
func Create(dir string, c Campaign, files []Copied, list func() ([]Point, error)) (f *Folder, there bool, err error) {
	f = &Folder{Dir: dir, prefix: "submit"}
	texts := make(map[string][]byte)
	c.Inputs, c.Files, c.Options = nil, append([]string{}, c.Files...), append([]string{}, c.Options...) // [], not null
	for _, x := range files {
		text, err := infile.Read(x.From, maxFile)
		if err != nil {
			return nil, false, fmt.Errorf("copying the inputs: %w", err)
		}
		if _, ok := texts[x.To]; !ok {
			texts[x.To] = text
			c.Inputs = append(c.Inputs, Input{Path: x.To, SHA256: sumOf(text)})
		}
	}
	slices.SortFunc(c.Inputs, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	if err := errors.Join(f.free(), f.checkFolders()); err != nil {
		return nil, false, err
	}
	if old, err := Open(dir); err == nil {
		return old, true, old.same(&c)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	points, err := list()
	if err == nil {
		err = c.seal(points)
	}
	if err != nil {
		return nil, false, err
	}
	_, before := os.Lstat(dir)
	if err := f.fill(&c, texts, points); err != nil {
		if _, there := os.Lstat(f.path(campaignFile)); there != nil && before != nil {
			err = errors.Join(err, os.RemoveAll(dir)) // incomplete files would obstruct the next attempt
		}
		return nil, false, fmt.Errorf("creating the campaign: %w", err)
	}
	if f, err = Open(dir); err != nil {
		return nil, false, err
	}
	return f, f.Run != c.Run, f.same(&c) // another process may have been first
}

// OccupiedError reports that the folder for a campaign has other contents.
type OccupiedError struct {
	Dir   string
	Holds string // the other content; "" if Dir is not a folder
}

func (e *OccupiedError) Error() string {
	if e.Holds == "" {
		return fmt.Sprintf("%s is a file, but a campaign needs a folder: name a new folder with --dir", e.Dir)
	}
	return fmt.Sprintf("%s contains %s, which does not belong to a campaign: name a new folder with --dir", e.Dir,
		e.Holds)
}

// free returns an error if the folder contains files that do not belong to a campaign.
func (f *Folder) free() error {
	for at := f.Dir; ; at = filepath.Dir(at) { // a parent folder may be a file, too
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return &OccupiedError{Dir: at}
		}
		if err == nil || filepath.Dir(at) == at {
			break
		}
	}
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the folder of the campaign: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains(append(folders(), campaignFile, cancelledFile), e.Name()) {
			return &OccupiedError{Dir: f.Dir, Holds: e.Name()}
		}
	}
	return nil
}

// LinkError reports that a folder of a campaign is a symbolic link. Workers would write outside the campaign.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a symbolic link, but a campaign writes only into its own folder: replace it with a "+
		"folder", e.Path)
}

// checkFolders returns an error if a folder of the campaign is a link.
func (f *Folder) checkFolders() error {
	for _, name := range folders() {
		if info, err := os.Lstat(f.path(name)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{Path: f.path(name)}
		}
	}
	return nil
}

func folders() []string {
	return []string{inputsFolder, pointsFolder, claimsFolder, workersFolder, resultsFolder, failedFolder,
		unfinishedFolder, logsFolder, keptFolder}
}

// same returns an error if the folder contains another campaign.
func (f *Folder) same(c *Campaign) error {
	there, err := f.requested()
	if err != nil {
		return err
	}
	if requested, err := c.requested(); err != nil || there != requested {
		return &OtherError{Dir: f.Dir, Kind: f.Kind}
	}
	return nil
}

// fill writes all files of a campaign, campaign.json last.
func (f *Folder) fill(c *Campaign, texts map[string][]byte, points []Point) error {
	for _, name := range folders() {
		if err := os.MkdirAll(f.path(name), 0o755); err != nil {
			return err
		}
	}
	for _, in := range c.Inputs {
		if err := os.MkdirAll(filepath.Dir(f.Input(in.Path)), 0o755); err != nil {
			return err
		}
		if err := f.put(filepath.Join(inputsFolder, in.Path), texts[in.Path]); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(f.Input(c.Work), 0o755); err != nil {
		return err
	}
	for i := 0; i < len(points); i += pointsInFile {
		var b bytes.Buffer
		lines := json.NewEncoder(&b)
		for _, p := range points[i:min(i+pointsInFile, len(points))] {
			if err := lines.Encode(p); err != nil {
				return err
			}
		}
		if err := f.put(filepath.Join(pointsFolder, fmt.Sprintf("%06d.jsonl", i)), b.Bytes()); err != nil {
			return err
		}
	}
	run := make([]byte, 5)
	_, _ = rand.Read(run) // never fails
	c.Run = hex.EncodeToString(run)
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	_, err = f.putNew(campaignFile, append(text, '\n'))
	return err
}

// OpenGiven opens the campaign in a folder that the user named. If there is none, the error is a usage error.
func OpenGiven(dir string) (*Folder, error) {
	complete, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(complete); err == nil && !info.IsDir() {
		return nil, fault.NotAFolder.Usagef("%s is a file; name the folder of a campaign", dir)
	}
	f, err := Open(complete)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, faults.NoCampaign.Usagef("%s contains no campaign; xopt campaign submit creates one", dir)
	}
	return f, fault.Usage(err)
}

// Open opens the folder of a campaign. If the folder contains no campaign, the error is fs.ErrNotExist.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir, prefix: "open"}
	if err := f.checkFolders(); err != nil {
		return nil, err
	}
	text, err := infile.Read(f.path(campaignFile), maxFile)
	if err != nil {
		return nil, fmt.Errorf("opening the campaign: %w", err)
	}
	if err := json.Unmarshal(text, &f.Campaign); err != nil {
		return nil, faults.DamagedCampaign.Errorf("%s is damaged: %w; submit the campaign again, in another folder",
			f.path(campaignFile), err)
	}
	if f.Tool != "xopt" || f.Schema != Schema {
		return nil, fault.OtherVersion.Errorf("%s is from another version of xopt (schema %d, expected "+
			"%d): use that version, or submit the campaign again in another folder",
			f.path(campaignFile), f.Schema, Schema)
	}
	if sum, err := hashOf(f.What); err != nil || sum != f.Hash {
		return nil, faults.DamagedCampaign.Errorf("%s was changed or is damaged: its hash does not match; submit the "+
			"campaign again, in another folder", f.path(campaignFile))
	}
	if err := f.readPoints(); err != nil {
		return nil, err
	}
	return f, nil
}

// Trusted returns an error if another user may have written the command lines of the campaign. Workers would execute
// them as this user.
func (f *Folder) Trusted() error {
	lists, err := filepath.Glob(filepath.Join(f.path(pointsFolder), "*"))
	if err != nil {
		return err
	}
	for _, path := range append([]string{f.Dir, f.path(campaignFile), f.path(pointsFolder)}, lists...) {
		who, err := infile.Stranger(path)
		if err != nil {
			return fmt.Errorf("checking the owner of the campaign: %w", err)
		}
		if who != "" {
			return faults.UntrustedCampaign.Errorf("cannot run the commands of this campaign: %s %s; submit the "+
				"campaign yourself, in another folder", path, who)
		}
	}
	return nil
}

func (f *Folder) readPoints() error {
	n := f.Count
	f.Points = make([]Point, 0, min(n, MaxPoints))
	for i := 0; i < n; i += pointsInFile {
		path := f.path(pointsFolder, fmt.Sprintf("%06d.jsonl", i))
		text, err := infile.Read(path, maxFile)
		if errors.Is(err, fs.ErrNotExist) { // do not wrap fs.ErrNotExist, because campaign.json exists
			return faults.DamagedCampaign.Errorf("the list of points is missing: %v; submit the campaign again, in "+
				"another folder", err)
		} else if err != nil {
			return fmt.Errorf("reading the list of points: %w", err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			var p Point
			if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
				return faults.DamagedCampaign.Errorf("%s is damaged: %w; submit the campaign again, in another folder",
					path, err)
			}
			f.Points = append(f.Points, p)
		}
	}
	if sum, err := hashOf(f.Points); err != nil || sum != f.List {
		return faults.DamagedCampaign.Errorf("the list of points in %s is damaged; submit the campaign again, in "+
			"another folder", f.path(pointsFolder))
	}
	return nil
}

// CheckInputs returns an error if an input has changed since submission.
func (f *Folder) CheckInputs() error {
	var errs []error
	for _, in := range f.Inputs {
		text, err := infile.Read(f.Input(in.Path), maxFile)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the inputs of the campaign: %w", err))
		} else if sumOf(text) != in.SHA256 {
			errs = append(errs,
				faults.DamagedCampaign.Errorf("%s was changed or is damaged; submit the campaign again, in another "+
					"folder", f.Input(in.Path)))
		}
	}
	return errors.Join(errs...)
}

func (f *Folder) path(names ...string) string {
	return filepath.Join(append([]string{f.Dir}, names...)...)
}

// Input returns the path of a copied file or folder.
func (f *Folder) Input(path string) string { return f.path(inputsFolder, path) }

// Logs returns the folder of worker output.
func (f *Folder) Logs() string { return f.path(logsFolder) }

// WorkFolder returns the working folder of the command.
func (f *Folder) WorkFolder() string { return f.Input(f.Work) }

// Cancel makes all workers stop. [Folder.Resume] reverts it.
func (f *Folder) Cancel() error { return f.put(cancelledFile, []byte("cancelled\n")) }

// Cancelled reports whether workers must stop.
func (f *Folder) Cancelled() bool {
	_, err := os.Lstat(f.path(cancelledFile))
	return err == nil
}
