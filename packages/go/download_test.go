package tanzanite

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// archiveOf returns an archive for this machine's platform. Its executable contains this text.
func archiveOf(t *testing.T, text string) string {
	var archive bytes.Buffer
	if runtime.GOOS == "windows" {
		entries := zip.NewWriter(&archive)
		file, err := entries.Create("tanzanite.exe")
		write(t, file, text, err)
		_ = entries.Close()
		return archive.String()
	}
	plain := gzip.NewWriter(&archive)
	entries := tar.NewWriter(plain)
	for name, content := range map[string]string{"LICENSE": "MIT", "tanzanite": text} {
		err := entries.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o755})
		write(t, entries, content, err)
	}
	_ = entries.Close()
	_ = plain.Close()
	return archive.String()
}

func write(t *testing.T, to io.Writer, text string, err error) {
	if err == nil {
		_, err = io.WriteString(to, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func archiveName() string {
	if runtime.GOOS == "windows" {
		return "tanzanite-" + platformName() + ".zip"
	}
	return "tanzanite-" + platformName() + ".tar.gz"
}

// releaseOf returns a release. Its archive for this machine has these bytes.
func releaseOf(archive string) published {
	sum := sha256.Sum256([]byte(archive))
	var one published
	text := fmt.Sprintf(`{"version":%q,"url":null,"files":{%q:{"name":%q,"sha256":%q}}}`,
		Version, platformName(), archiveName(), hex.EncodeToString(sum[:]))
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		panic(err)
	}
	return one
}

// useCache gives the test an empty cache folder in place of the user's.
func useCache(t *testing.T) string {
	folder := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, folder)
	}
	return folder
}

func serve(t *testing.T, answer http.HandlerFunc) string {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// filesIn returns all files below a folder.
func filesIn(t *testing.T, folder string) (files []string) {
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAReleaseIsDownloadedOnce(t *testing.T) {
	const text = "#!/bin/sh\n"
	archive := archiveOf(t, text)
	cache := useCache(t)
	var requests atomic.Int32
	address := serve(t, func(answer http.ResponseWriter, request *http.Request) {
		if strings.HasPrefix(request.URL.Path, "/v1/") {
			http.Redirect(answer, request, "/moved"+request.URL.Path, http.StatusFound)
			return
		}
		requests.Add(1)
		if request.URL.Path != "/moved/v1/"+archiveName() {
			http.NotFound(answer, request)
			return
		}
		_, _ = answer.Write([]byte(archive))
	})
	for range make([]int, 2) {
		path, err := downloaded(releaseOf(archive), address+"/v1/")
		if err != nil {
			t.Fatal(err)
		}
		if found, err := os.ReadFile(path); err != nil || string(found) != text {
			t.Errorf("downloaded is %q, %v", found, err)
		}
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
	if files := filesIn(t, cache); len(files) != 1 {
		t.Errorf("the cache has %v", files)
	}
}

func TestTwoDownloadsAtTheSameTimeGiveOneExecutable(t *testing.T) {
	const text = "the executable"
	archive := archiveOf(t, text)
	cache := useCache(t)
	var both sync.WaitGroup
	both.Add(2)
	address := serve(t, func(answer http.ResponseWriter, _ *http.Request) {
		_, _ = answer.Write([]byte(archive[:4]))
		answer.(http.Flusher).Flush()
		both.Done()
		both.Wait()
		_, _ = answer.Write([]byte(archive[4:]))
	})
	var ended sync.WaitGroup
	for range make([]int, 2) {
		ended.Add(1)
		go func() {
			defer ended.Done()
			if path, err := downloaded(releaseOf(archive), address); err != nil {
				t.Error(err)
			} else if found, err := os.ReadFile(path); err != nil || string(found) != text {
				t.Errorf("downloaded is %q, %v", found, err)
			}
		}()
	}
	ended.Wait()
	if files := filesIn(t, cache); len(files) != 1 {
		t.Errorf("the cache has %v", files)
	}
}

func TestADownloadThatFailsIsOneLineAndLeavesNothing(t *testing.T) {
	stalledAfter = 200 * time.Millisecond
	defer func(before int) { stalledAfter, archiveBytesMax = time.Minute, before }(archiveBytesMax)
	archiveBytesMax = 1_000_000
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	const whole = "the executable"
	for name, one := range map[string]struct {
		address string
		words   string
	}{
		"no archive":      {serve(t, func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write([]byte(whole)) }), "the archive cannot be unpacked"},
		"another content": {serve(t, func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write([]byte("hostile")) }), "the SHA-256 is "},
		"a part of it": {serve(t, func(answer http.ResponseWriter, _ *http.Request) {
			answer.Header().Set("Content-Length", "14")
			_, _ = answer.Write([]byte("the exec"))
		}), "it stopped: unexpected EOF"},
		"a part, and then nothing": {serve(t, func(answer http.ResponseWriter, request *http.Request) {
			_, _ = answer.Write([]byte("the exec"))
			answer.(http.Flusher).Flush()
			<-request.Context().Done()
		}), "it stopped: nothing came for"},
		"no end": {serve(t, func(answer http.ResponseWriter, _ *http.Request) {
			for err := error(nil); err == nil; _, err = answer.Write(make([]byte, 65_536)) {
			}
		}), "it is larger than 1000000 bytes"},
		"no end of moves": {serve(t, func(answer http.ResponseWriter, request *http.Request) {
			http.Redirect(answer, request, "/again", http.StatusFound)
		}), "stopped after 10 redirects"},
		"no response":  {serve(t, func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }), "it stopped: nothing came for"},
		"no such file": {serve(t, http.NotFound), "the response is 404 Not Found"},
		"no server":    {closed.URL, "refused"},
		"no address":   {"not an address", "unsupported protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			cache := useCache(t)
			path, err := downloaded(releaseOf(whole), one.address)
			if err == nil {
				t.Fatalf("it is %s", path)
			}
			if text := err.Error(); !strings.HasPrefix(text, "tanzanite: download of ") || !strings.Contains(text, one.words) || strings.Contains(text, "\n") {
				t.Errorf("the error is %q", text)
			}
			if files := filesIn(t, cache); len(files) != 0 {
				t.Errorf("the cache has %v", files)
			}
		})
	}
}

func TestAMachineWithoutAReleaseIsNamed(t *testing.T) {
	useCache(t)
	_, err := downloaded(published{Version: Version}, "http://127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "let TANZANITE name it") || !strings.Contains(err.Error(), platformName()) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheReleaseIsThatOfTheModule(t *testing.T) {
	if release.Version != Version {
		t.Errorf("releases.json has %s", release.Version)
	}
}

func TestAnExecutableOfThePathThatIsOldGivesWayToTheRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script is the executable")
	}
	found, err := findProgram()
	if err != nil {
		t.Fatal(err)
	}
	useCache(t)
	old := t.TempDir()
	for path, words := range map[string]string{filepath.Join(old, "tanzanite"): `echo '{"url":"http://127.0.0.1:1","version":"0.0.1"}'; cat`} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+words+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TANZANITE", "")
	t.Setenv("PATH", old+string(os.PathListSeparator)+os.Getenv("PATH"))
	if _, err := Open(); err == nil || !strings.Contains(err.Error(), "is 0.0.1, and this module needs "+Version) {
		t.Errorf("without a release the error is %v", err)
	}
	archive := archiveOf(t, "#!/bin/sh\nexec '"+strings.Join(found.words, "' '")+"' \"$@\"\n")
	known := release
	release = releaseOf(archive)
	defer func() { release = known }()
	t.Setenv("TANZANITE_DOWNLOAD", serve(t, func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write([]byte(archive)) }))
	emulator, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := emulator.Close(); err != nil {
		t.Error(err)
	}
}
