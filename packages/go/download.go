package tanzanite

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed release.json
var releaseText []byte

// published is a release: where its executables are, and what they contain. The file is filled in when the release is made.
type published struct {
	Version string
	// URL is the folder of the executables; empty before the first release.
	URL string
	// SHA256 is by name of the file.
	SHA256 map[string]string
}

var release = func() (one published) {
	if err := json.Unmarshal(releaseText, &one); err != nil {
		panic(err)
	}
	return one
}()

// A download that brings nothing for this long has stopped.
var stalledAfter = 60 * time.Second

// downloaded gives the path of the executable for this machine, and downloads it if that was not done yet. The address takes the place of
// the release's. Files are checked before they get their name, so one that is there is complete.
func downloaded(from published, address string) (string, error) {
	name := executableName()
	if address == "" {
		address = from.URL
	}
	digest := from.SHA256[name]
	if digest == "" || address == "" {
		return "", fmt.Errorf("tanzanite: there is no executable: put tanzanite on the PATH, or let TANZANITE name it (no release of version %s for %s is known to download)", from.Version, name)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("tanzanite: there is no folder for a download: %w", err)
	}
	folder := filepath.Join(cache, "tanzanite", "releases", from.Version+"-"+digest[:16])
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("tanzanite: there is no folder for a download: %w", err)
	}
	source := strings.TrimRight(address, "/") + "/" + name
	if err := fetch(source, path, digest); err != nil {
		return "", fmt.Errorf("tanzanite: download of %s: %w", source, err)
	}
	return path, nil
}

// fetch writes a file of its own and renames it, so several processes may do this at the same time.
func fetch(source, path, digest string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".download-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	found, err := copyFrom(source, file)
	if err != nil {
		return err
	}
	if found != digest {
		return fmt.Errorf("the SHA-256 is %s, and not %s, as this module knows it", found, digest)
	}
	if err := file.Chmod(0o700); err != nil && runtime.GOOS != "windows" {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		// Windows replaces no file that runs: another process was faster.
		if _, missing := os.Stat(path); missing != nil {
			return err
		}
	}
	return nil
}

// copyFrom gives the SHA-256 of what it wrote.
func copyFrom(source string, file io.Writer) (string, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stalled := time.AfterFunc(stalledAfter, func() { cancel(fmt.Errorf("it stopped: nothing came for %s", stalledAfter)) })
	defer stalled.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", causeOf(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the response is %s", response.Status)
	}
	sum := sha256.New()
	part := make([]byte, 64*1024)
	for {
		count, err := response.Body.Read(part)
		stalled.Reset(stalledAfter)
		if _, failed := io.MultiWriter(file, sum).Write(part[:count]); failed != nil {
			return "", failed
		}
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", fmt.Errorf("it stopped: %w", causeOf(ctx, err))
		}
	}
}

func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// executableName is the name of the file of a release for this machine.
func executableName() string {
	system, end := runtime.GOOS, ""
	if system == "windows" {
		system, end = "win", ".exe"
	}
	processor := runtime.GOARCH
	if processor == "amd64" {
		processor = "x64"
	}
	return "tanzanite-" + system + "-" + processor + end
}
