package infile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// outsiders is the permission bit for writing by all users.
const outsiders = 0o002

// Stranger returns the reason why a user other than this user and root may have written a file or folder, or "" if this
// is impossible. For a symbolic link, it checks the link and its target. It permits a folder with the sticky bit, in
// which other users cannot replace files. The errors are the errors of [os.Lstat] and [os.Stat].
func Stranger(path string) (string, error) {
	for _, stat := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := stat(path)
		if err != nil {
			return "", err
		}
		s, ok := info.Sys().(*syscall.Stat_t)
		switch mode := info.Mode(); {
		case ok && s.Uid != 0 && int(s.Uid) != os.Geteuid():
			return fmt.Sprintf("belongs to another user (uid %d)", s.Uid), nil
		case (mode.IsRegular() || mode.IsDir() && mode&fs.ModeSticky == 0) && mode.Perm()&outsiders != 0:
			return "is writable by every user", nil
		}
	}
	return "", nil
}
