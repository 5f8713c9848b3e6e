package ollama

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const model = "tiny"

var server string // its URL

func TestMain(m *testing.M) { os.Exit(withServer(m.Run)) }

func withServer(run func() int) int {
	dir, err := os.MkdirTemp("", "ollama")
	if err != nil {
		return failed(err)
	}
	stop, err := stopAfter(dir)
	if err != nil {
		return failed(err)
	}
	defer stop()
	if server, err = start(dir); err != nil {
		return failed(err)
	}
	return run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "ollama:", err)
	return 1
}

// start starts a server with its files in a directory.
func start(dir string) (url string, err error) {
	out, err := script(dir, "server/start.sh").Output()
	return strings.TrimSpace(string(out)), err
}

// stopAfter sees to it that the server is stopped and its directory removed when stop is called or this process is gone, in
// whatever way: then the other end of a pipe is closed.
func stopAfter(dir string) (stop func(), err error) {
	cmd := script(dir, "bash", "-c", `cat; server/stop.sh; rm -r "$OLLAMA_KIT_RUN"`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal is for this process alone
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func() { closeAndWait(pipe, cmd) }, cmd.Start()
}

func closeAndWait(pipe io.Closer, cmd *exec.Cmd) {
	_ = pipe.Close()
	if err := cmd.Wait(); err != nil {
		failed(err)
	}
}

func script(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "OLLAMA_KIT_RUN="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}
