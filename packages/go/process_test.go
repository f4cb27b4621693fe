//go:build unix

package tanzanite

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rerun runs one test of this binary in another process, and returns its output and how it ended.
func rerun(t *testing.T, name string, environment ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v")
	command.Env = append(os.Environ(), "TANZANITE_TEST_INNER="+name)
	command.Env = append(command.Env, environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

func isInner(t *testing.T) bool { return os.Getenv("TANZANITE_TEST_INNER") == t.Name() }

func TestAFailedTestListsWhatWasRefused(t *testing.T) {
	if isInner(t) {
		client := tables{t, Start(t)}
		client.send("GET", "Missing", "")
		t.Fatal("failed on purpose")
	}
	text, err := rerun(t, t.Name()).CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("tanzanite refused requests of this test:\n")) ||
		!bytes.Contains(text, []byte("404 TableNotFound QueryEntities Missing")) {
		t.Errorf("printed is %s", text)
	}
}

func TestAFailureOfTheStartFailsTheTestInOneLine(t *testing.T) {
	if isInner(t) {
		Start(t)
		t.Log("went on")
		return
	}
	text, err := rerun(t, t.Name(), "TANZANITE=/nowhere/tanzanite").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("tanzanite: TANZANITE=/nowhere/tanzanite names no executable")) ||
		bytes.Contains(text, []byte("went on")) || bytes.Contains(text, []byte("goroutine")) {
		t.Errorf("printed is %s", text)
	}
}

// After a kill, only the end of its standard input tells the emulator to stop. Ctrl-C also sends it a signal.
func TestNoProcessIsLeft(t *testing.T) {
	if isInner(t) {
		one, own := Start(t), Start(t, Own())
		fmt.Println("emulators", one.Emulator().process.Process.Pid, own.Emulator().process.Process.Pid)
		select {}
	}
	kill := func(to func(pid int) int, signal syscall.Signal) func(pid int) error {
		return func(pid int) error { return syscall.Kill(to(pid), signal) }
	}
	itself, group := func(pid int) int { return pid }, func(pid int) int { return -pid }
	for name, end := range map[string]func(pid int) error{
		"kill -9":         kill(itself, syscall.SIGKILL),
		"Ctrl-C":          kill(group, syscall.SIGINT),
		"SIGTERM":         kill(itself, syscall.SIGTERM),
		"Ctrl-C and kill": func(pid int) error { _ = kill(group, syscall.SIGINT)(pid); return kill(itself, syscall.SIGKILL)(pid) },
	} {
		t.Run(name, func(t *testing.T) {
			command := rerun(t, "TestNoProcessIsLeft")
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			var pids [2]int
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				if _, err := fmt.Sscanf(lines.Text(), "emulators %d %d", &pids[0], &pids[1]); err == nil {
					break
				}
			}
			if pids[1] == 0 {
				t.Fatal("the inner test did not start")
			}
			if err := end(command.Process.Pid); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
			for _, pid := range pids {
				awaitEnd(t, pid)
			}
		})
	}
}

func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH || isZombie(pid) {
			return
		}
	}
	t.Errorf("process %d is left", pid)
}

// If the first process of a container does not wait for orphans, they remain as zombies.
func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(text, []byte(") Z "))
}

func TestAnEmulatorThatIsKilledFailsTheTest(t *testing.T) {
	if isInner(t) {
		account := Start(t, Own())
		if err := account.Emulator().process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-account.Emulator().ended
		return
	}
	text, err := rerun(t, t.Name()).CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("tanzanite: the emulator ended during the test")) {
		t.Errorf("printed is %s", text)
	}
}

func TestASharedEmulatorThatEndedIsNotReplaced(t *testing.T) {
	if isInner(t) {
		emulator := Start(t).Emulator()
		if err := emulator.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-emulator.ended
		Start(t)
	}
	text, err := rerun(t, t.Name()).CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("tanzanite: the emulator of this test run has ended")) {
		t.Errorf("printed is %s", text)
	}
}

// script writes an executable shell script.
func script(t *testing.T, words string) string {
	path := filepath.Join(t.TempDir(), "a tanzanite")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+words+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatIsWrongWithAnExecutableIsOneLine(t *testing.T) {
	for name, one := range map[string]struct{ named, words string }{
		"of no command":         {"nowhere --flag", "TANZANITE=nowhere --flag names no executable"},
		"of a file only":        {"emulator.go", "TANZANITE=emulator.go names no executable"},
		"of another version":    {script(t, `echo '{"url":"http://127.0.0.1:1","version":"9.9.9"}'; cat`), "is 9.9.9, and this module needs " + Version},
		"of an old version":     {script(t, `echo '{"url":"http://127.0.0.1:1"}'; cat`), "is an older one"},
		"that ends":             {script(t, `echo 'tanzanite: the data cannot be used.' >&2; exit 2`), "did not start: the data cannot be used."},
		"that crashes":          {script(t, `echo 'Error: crash' >&2; echo '  at line 1' >&2; exit 1`), "did not start: Error: crash"},
		"that says nothing":     {script(t, `exit 3`), "a tanzanite ended with exit status 3"},
		"of control characters": {script(t, `printf '\033[31mred\n' >&2; exit 3`), `did not start: \u001b[31mred`},
		"of no address":         {script(t, `echo '{"url":"nonsense","version":"`+Version+`"}'`), "ended with exit status 0"},
		"of no program":         {withText(t, "no program"), "cannot be started: exec format error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TANZANITE", one.named)
			emulator, err := Open()
			if err == nil {
				_ = emulator.Close()
				t.Fatal("it started")
			}
			if text := err.Error(); !strings.HasPrefix(text, "tanzanite: ") || !strings.Contains(text, one.words) || strings.Contains(text, "\n") {
				t.Errorf("the error is %q", text)
			}
		})
	}
}

// withText writes a file that is marked executable but is not a program for this machine.
func withText(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "tanzanite")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileOfTheWorkingFolderIsTheExecutable(t *testing.T) {
	path := script(t, "")
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chdir(working) }()
	if err := os.Chdir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TANZANITE", filepath.Base(path))
	if found, err := findProgram(); err != nil || len(found.words) != 1 || found.words[0] != path {
		t.Errorf("found is %q, %v", found.words, err)
	}
}

func TestALineWithoutAnEndIsNotKept(t *testing.T) {
	var taken []int
	out := lines{take: func(line []byte) { taken = append(taken, len(line)) }}
	part := bytes.Repeat([]byte("x"), 100_000)
	for range make([]int, 30) {
		if count, err := out.Write(part); count != len(part) || err != nil {
			t.Fatal(count, err)
		}
	}
	if out.rest.Len() > lineBytesMax {
		t.Errorf("%d bytes are kept", out.rest.Len())
	}
	_, _ = out.Write([]byte("y\r\nshort\r\n\nz"))
	if fmt.Sprint(taken) != fmt.Sprint([]int{lineBytesMax, 5, 0}) {
		t.Errorf("taken are %v", taken)
	}
}

func TestAnEmulatorThatIsNeverReadyIsGivenUp(t *testing.T) {
	t.Setenv("TANZANITE", script(t, "cat"))
	startTimeout = 50 * time.Millisecond
	defer func() { startTimeout = time.Minute }()
	if _, err := Open(); err == nil || !strings.Contains(err.Error(), "is not ready after 50ms") {
		t.Errorf("the error is %v", err)
	}
}

func TestAPortThatIsTakenIsNamed(t *testing.T) {
	_, port, _ := strings.Cut(strings.TrimPrefix(Start(t).Emulator().URL, "http://"), ":")
	if _, err := Open("--tablePort", port); err == nil || !strings.Contains(err.Error(), port) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
}

func TestAFlagThatDoesNotExistIsNamed(t *testing.T) {
	if _, err := Open("--no-such-flag"); err == nil || !strings.Contains(err.Error(), "did not start: unknown flag --no-such-flag") {
		t.Errorf("the error is %v", err)
	}
}

func TestTheExecutableIsFoundOnThePath(t *testing.T) {
	if os.Getenv("TANZANITE") == "" {
		t.Skip("the executable is on the path already")
	}
	program, err := findProgram()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	words := `exec "` + strings.Join(program.words, `" "`) + `" "$@"`
	if err := os.WriteFile(filepath.Join(folder, "tanzanite"), []byte("#!/bin/sh\n"+words+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TANZANITE", "")
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	client := tables{t, Start(t, Own(), Seed("testdata/seed"))}
	if found := client.list("Pets"); len(found) != 2 {
		t.Errorf("found %v", found)
	}
}

func TestCloseStopsTheEmulatorAndMayBeCalledAgain(t *testing.T) {
	emulator, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	account := emulator.Account()
	for range make([]int, 2) {
		if err := emulator.Close(); err != nil {
			t.Fatal(err)
		}
	}
	awaitEnd(t, emulator.process.Process.Pid)
	if err := account.Snapshot("late"); err == nil || !strings.Contains(err.Error(), "the emulator is closed") {
		t.Errorf("the error is %v", err)
	}
	if code := emulator.process.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
