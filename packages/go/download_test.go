package tanzanite

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// releaseOf is one whose executable for this machine has the text.
func releaseOf(text string) published {
	sum := sha256.Sum256([]byte(text))
	return published{Version: Version, SHA256: map[string]string{executableName(): hex.EncodeToString(sum[:])}}
}

// useCache lets the user's folder for caches be an empty one.
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

// filesIn are all files below a folder.
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
	cache := useCache(t)
	var requests atomic.Int32
	address := serve(t, func(answer http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		if request.URL.Path != "/v1/"+executableName() {
			http.NotFound(answer, request)
			return
		}
		_, _ = answer.Write([]byte(text))
	})
	for range make([]int, 2) {
		path, err := downloaded(releaseOf(text), address+"/v1/")
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
	cache := useCache(t)
	var both sync.WaitGroup
	both.Add(2)
	address := serve(t, func(answer http.ResponseWriter, _ *http.Request) {
		_, _ = answer.Write([]byte(text[:4]))
		answer.(http.Flusher).Flush()
		both.Done()
		both.Wait()
		_, _ = answer.Write([]byte(text[4:]))
	})
	var ended sync.WaitGroup
	for range make([]int, 2) {
		ended.Add(1)
		go func() {
			defer ended.Done()
			if path, err := downloaded(releaseOf(text), address); err != nil {
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
	defer func() { stalledAfter = time.Minute }()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, one := range map[string]struct {
		address string
		words   string
	}{
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
		"no response":  {serve(t, func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }), "it stopped: nothing came for"},
		"no such file": {serve(t, http.NotFound), "the response is 404 Not Found"},
		"no server":    {closed.URL, "refused"},
		"no address":   {"not an address", "unsupported protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			cache := useCache(t)
			path, err := downloaded(releaseOf("the executable"), one.address)
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
	if err == nil || !strings.Contains(err.Error(), "let TANZANITE name it") || !strings.Contains(err.Error(), executableName()) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheReleaseIsThatOfTheModule(t *testing.T) {
	if release.Version != Version {
		t.Errorf("release.json has %s", release.Version)
	}
}
