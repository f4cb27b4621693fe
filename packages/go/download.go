package tanzanite

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed releases.json
var releaseText []byte

// published describes a release: the address of its archives, and their checksums. The release workflow fills in the embedded
// file.
type published struct {
	Version string
	// URL is the folder of the archives. It is empty before the first release.
	URL string
	// Files has the archive of each platform.
	Files map[string]struct{ Name, SHA256 string }
}

var release = func() (one published) {
	if err := json.Unmarshal(releaseText, &one); err != nil {
		panic(err)
	}
	return one
}()

// A limit that no archive of a release reaches.
var archiveBytesMax = 256 << 20

// A download that receives no data for this long is given up.
var stalledAfter = 60 * time.Second

// downloaded returns the path of the executable for this machine, and downloads it if necessary. If address is not empty, it replaces the
// address of the release. downloaded verifies the checksum of the archive. The executable gets its final name only when it is complete.
func downloaded(from published, address string) (string, error) {
	platform := platformName()
	if address == "" {
		address = from.URL
	}
	file, isKnown := from.Files[platform]
	if !isKnown || address == "" {
		return "", fmt.Errorf("tanzanite: there is no executable: put tanzanite on the PATH, or let TANZANITE name it (no release of version %s for %s is known to download)", from.Version, platform)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("tanzanite: there is no folder for a download: %w", err)
	}
	folder := filepath.Join(cache, "tanzanite", "releases")
	path := filepath.Join(folder, "tanzanite-"+from.Version+"-"+file.SHA256[:16]+executableEnding)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("tanzanite: there is no folder for a download: %w", err)
	}
	source := strings.TrimRight(address, "/") + "/" + file.Name
	if err := fetch(source, path, file.SHA256); err != nil {
		return "", fmt.Errorf("tanzanite: download of %s: %w", source, err)
	}
	return path, nil
}

// fetch downloads into a temporary folder of its own and renames the complete file, so several processes may call fetch
// at the same time.
func fetch(source, path, digest string) error {
	folder, err := os.MkdirTemp(filepath.Dir(path), ".downloading-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	archive, err := os.Create(filepath.Join(folder, "archive"))
	if err != nil {
		return err
	}
	defer archive.Close()
	found, err := copyFrom(source, archive)
	if err != nil {
		return err
	}
	if found != digest {
		return fmt.Errorf("the SHA-256 is %s, and not %s, as this module knows it", found, digest)
	}
	program := filepath.Join(folder, "program")
	if err := unpack(archive, program, strings.HasSuffix(source, ".zip")); err != nil {
		return fmt.Errorf("the archive cannot be unpacked: %w", err)
	}
	if err := os.Rename(program, path); err != nil {
		// Windows does not replace a running program. If the file is there, another process has completed it.
		if _, missing := os.Stat(path); missing != nil {
			return err
		}
	}
	return nil
}

// unpack writes the only program of an archive. The program is on the disk before it gets its final name.
func unpack(archive *os.File, path string, isZip bool) error {
	open := programInTar
	if isZip {
		open = programInZip
	}
	source, err := open(archive)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, source); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

var errNoProgram = errors.New("there is no program in it")

func programInTar(archive *os.File) (io.Reader, error) {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if err == io.EOF {
			return nil, errNoProgram
		}
		if err != nil {
			return nil, err
		}
		if entry.Name == "tanzanite" {
			return entries, nil
		}
	}
}

func programInZip(archive *os.File) (io.Reader, error) {
	about, err := archive.Stat()
	if err != nil {
		return nil, err
	}
	entries, err := zip.NewReader(archive, about.Size())
	if err != nil {
		return nil, err
	}
	program, err := entries.Open("tanzanite.exe")
	if err != nil {
		return nil, errNoProgram
	}
	return program, nil
}

// copyFrom returns the SHA-256 of the bytes that it wrote.
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
	for received := 0; ; {
		count, err := response.Body.Read(part)
		if received += count; received > archiveBytesMax {
			return "", fmt.Errorf("it is larger than %d bytes", archiveBytesMax)
		}
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

// platformName is the name of this machine's platform in a release.
func platformName() string {
	system, processor := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	return system + "-" + processor
}

var executableEnding = map[string]string{"windows": ".exe"}[runtime.GOOS]
