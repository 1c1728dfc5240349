package mongebeam

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	_ "github.com/gomonge/monge/beam/processes"
)

// launcher is 0 in the test process. In a worker process, launcher is the process ID of the test
// process.
var launcher, _ = strconv.Atoi(os.Getenv("MONGE_TEST_LAUNCHER"))

// TestMain runs the tests in a temporary folder, because Beam leaves temporary files of every
// pipeline behind. Beam's flags come from the command line. If the flags set a job endpoint (see
// README.md), the runner at this endpoint replaces Prism.
func TestMain(m *testing.M) {
	if launcher > 0 {
		ptest.Main(m)
	}
	dir, err := os.MkdirTemp("", "mongebeam")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("TMPDIR", dir)
	os.Setenv("MONGE_TEST_LAUNCHER", strconv.Itoa(os.Getpid()))
	code := ptest.MainRet(m)
	os.RemoveAll(dir)
	os.Exit(code)
}
