package tanzanite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// findProgram gives the words that run the emulator: of the variable TANZANITE, else of the PATH, else of the release, which is
// downloaded once.
func findProgram() ([]string, error) {
	if named := strings.TrimSpace(os.Getenv("TANZANITE")); named != "" {
		return namedProgram(named)
	}
	if path, err := exec.LookPath("tanzanite"); err == nil {
		return []string{path}, nil
	}
	path, err := downloaded(release, os.Getenv("TANZANITE_DOWNLOAD"))
	if err != nil {
		return nil, err
	}
	return []string{path}, nil
}

// namedProgram takes a path, which may contain spaces, or a command with its words.
func namedProgram(named string) ([]string, error) {
	words := []string{named}
	if _, err := os.Stat(named); err != nil {
		words = strings.Fields(named)
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
	return fmt.Errorf("tanzanite: the version of %s is %s, and this module needs %s: let TANZANITE name that one",
		strings.Join(program, " "), version, Version)
}

// plain leaves out what the message around an error says already.
func plain(err error) error {
	var failed *exec.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
