package tanzanite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is the command that runs the emulator. If the user named a command, no other is tried.
type program struct {
	words   []string
	isNamed bool
}

// findProgram uses the variable TANZANITE, or else looks on the PATH, or else downloads the release once.
func findProgram() (program, error) {
	if named := strings.TrimSpace(os.Getenv("TANZANITE")); named != "" {
		words, err := namedProgram(named)
		return program{words, true}, err
	}
	if path, err := exec.LookPath("tanzanite"); err == nil {
		return program{words: []string{path}}, nil
	}
	return releasedProgram()
}

func releasedProgram() (program, error) {
	path, err := downloaded(release, os.Getenv("TANZANITE_DOWNLOAD"))
	return program{[]string{path}, true}, err
}

// namedProgram accepts a path, which may contain spaces, or a command with its arguments. It runs a JavaScript program with Node.
func namedProgram(named string) ([]string, error) {
	words := strings.Fields(named)
	if _, err := os.Stat(named); err == nil {
		// exec would look up a name without a folder on the PATH.
		absolute, err := filepath.Abs(named)
		if err != nil {
			return nil, fmt.Errorf("tanzanite: TANZANITE=%s names no executable: %w", named, err)
		}
		words = []string{absolute}
	}
	switch filepath.Ext(words[0]) {
	case ".js", ".mjs", ".cjs":
		words = append([]string{"node"}, words...)
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("tanzanite: TANZANITE=%s names no executable: %w", named, plain(err))
	}
	return append([]string{path}, words[1:]...), nil
}

func wrongVersion(program []string, version string) error {
	if version == "" {
		version = "an older one"
	}
	return &versionError{fmt.Sprintf("tanzanite: the version of %s is %s, and this module needs %s: let TANZANITE name that one",
		strings.Join(program, " "), version, Version)}
}

type versionError struct{ message string }

func (e *versionError) Error() string { return e.message }

// plain removes the parts of an error that the surrounding message already says.
func plain(err error) error {
	var notFound *exec.Error
	if errors.As(err, &notFound) {
		return notFound.Err
	}
	var notStarted *fs.PathError
	if errors.As(err, &notStarted) {
		return notStarted.Err
	}
	return err
}
