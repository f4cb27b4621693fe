package tanzanite

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// If an emulator accepts any account name, all its accounts have this key: the well-known key of development storage.
const accountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

var startTimeout = 60 * time.Second

const stopTimeout = 10 * time.Second

// Emulator is a process that this process started. It stops when it is closed, or when this process ends.
type Emulator struct {
	// URL is the address without an account, such as http://127.0.0.1:49152.
	URL string

	program  []string
	process  *exec.Cmd
	stdin    io.Closer
	output   *output
	ended    chan struct{}
	closed   atomic.Bool
	isShared bool
	client   *http.Client
	// Keeps the loads at a time below sixteen, the most that the emulator accepts.
	seeding chan struct{}
}

// Every emulator starts with these flags. Its standard input is a pipe. When this process ends for any reason, the pipe ends, and the
// emulator stops.
var startFlags = []string{
	"start", "--tablePort", "0", "--inMemoryPersistence", "--accounts", "any",
	"--log-format", "json", "--log-level", "error", "--until-stdin-ends",
}

// Open starts an emulator on a free port with its data in memory, and returns when it accepts requests. Open passes the flags on to
// tanzanite start. Settings from environment variables and tanzanite.json apply too, except those of the address, the data and the log.
func Open(flags ...string) (*Emulator, error) {
	found, err := findProgram()
	if err != nil {
		return nil, err
	}
	emulator, err := open(found.words, flags)
	var other *versionError
	if !found.isNamed && errors.As(err, &other) {
		if released, missing := releasedProgram(); missing == nil {
			return open(released.words, flags)
		}
	}
	return emulator, err
}

func open(program, flags []string) (*Emulator, error) {
	words := append(append([]string{}, program[1:]...), append(append([]string{}, startFlags...), flags...)...)
	process := exec.Command(program[0], words...)
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("tanzanite: %w", err)
	}
	output := newOutput()
	process.Stdout, process.Stderr = output.stdout(), output.stderr()
	// Close must not wait for a descendant process that keeps the pipes open.
	process.WaitDelay = time.Second
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("tanzanite: %s cannot be started: %w", program[0], plain(err))
	}
	// Connections are not kept open, so that a test that looks for leaked goroutines finds none.
	emulator := &Emulator{program: program, process: process, stdin: stdin, output: output, ended: make(chan struct{}),
		seeding: make(chan struct{}, 8),
		client:  &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	go func() {
		_ = process.Wait()
		close(emulator.ended)
	}()
	if err := emulator.awaitReady(); err != nil {
		emulator.kill()
		return nil, err
	}
	return emulator, nil
}

func (e *Emulator) awaitReady() error {
	timeout := time.NewTimer(startTimeout)
	defer timeout.Stop()
	select {
	case ready := <-e.output.ready:
		if ready.Version != Version {
			return wrongVersion(e.program, ready.Version)
		}
		e.URL = ready.URL
		// From this request on, the emulator keeps refused requests.
		_, err := e.Account().Refused()
		return err
	case <-e.ended:
		if words := e.lastWords(); words != "" {
			return fmt.Errorf("tanzanite: the emulator did not start%s", words)
		}
		return fmt.Errorf("tanzanite: the emulator did not start: %s ended with %s", strings.Join(e.program, " "), e.process.ProcessState)
	case <-timeout.C:
		return fmt.Errorf("tanzanite: %s is not ready after %s%s", strings.Join(e.program, " "), startTimeout, e.lastWords())
	}
}

// Account returns a new account, which no one else uses. No request is needed to create it.
func (e *Emulator) Account() *Account {
	random := make([]byte, 10)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	name := "test" + hex.EncodeToString(random)
	address := e.URL + "/" + name
	return &Account{
		Name: name, Key: accountKey, URL: address, emulator: e,
		ConnectionString: fmt.Sprintf("DefaultEndpointsProtocol=%s;AccountName=%s;AccountKey=%s;TableEndpoint=%s;",
			strings.SplitN(e.URL, ":", 2)[0], name, accountKey, address),
	}
}

// Clock is the clock of the emulator, which all its accounts share.
func (e *Emulator) Clock() Clock { return Clock{e} }

// Close stops the emulator gracefully and waits until it has ended. It may be called again.
func (e *Emulator) Close() error {
	e.closed.Store(true)
	_ = e.stdin.Close()
	timeout := time.NewTimer(stopTimeout)
	defer timeout.Stop()
	select {
	case <-e.ended:
		return nil
	case <-timeout.C:
		e.kill()
		return errors.New("tanzanite: the emulator did not stop and was killed")
	}
}

func (e *Emulator) kill() {
	_ = e.process.Process.Kill()
	<-e.ended
}

func (e *Emulator) isClosed() bool { return e.closed.Load() }

func (e *Emulator) hasEnded() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// lastWords is the emulator's own reason for its end, to be added to the end of a sentence.
func (e *Emulator) lastWords() string {
	if line := e.output.lastError(); line != "" {
		return ": " + strings.TrimPrefix(line, "tanzanite: ")
	}
	return ""
}

// Error is a refusal by the emulator's own API.
type Error struct {
	// Code says what is wrong, such as SnapshotNotFound.
	Code string
	// Message is one line, for people to read.
	Message string
}

func (e *Error) Error() string { return "tanzanite: " + e.Message }

// ask sends a request to the emulator's own API. If body is nil, the request has no body. If answer is nil, the response is not read.
func (e *Emulator) ask(method, path string, body, answer any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("tanzanite: %w", err)
		}
		content = strings.NewReader(string(text))
	}
	request, err := http.NewRequest(method, e.URL+"/_emulator/"+path, content)
	if err != nil {
		return fmt.Errorf("tanzanite: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := os.Getenv("TANZANITE_CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := e.client.Do(request)
	if err != nil {
		if e.hasEnded() {
			return fmt.Errorf("tanzanite: the emulator is closed%s", e.lastWords())
		}
		return fmt.Errorf("tanzanite: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return refusal(response)
	}
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("tanzanite: %s %s: %w", method, path, err)
	}
	return nil
}

func refusal(response *http.Response) error {
	var told struct{ Error Error }
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil || told.Error.Code == "" {
		return fmt.Errorf("tanzanite: %s to %s %s", response.Status, response.Request.Method, response.Request.URL.Path)
	}
	return &told.Error
}
