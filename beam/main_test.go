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

// launcher is the process of the tests,
var launcher, _ = strconv.Atoi(os.Getenv("MONGE_TEST_LAUNCHER"))

// TestMain has Beam leave the files that it leaves for every pipeline where they are removed.
// Beam's flags are those of the command line: with a job endpoint (README.md), what is called
// prism here is the runner there.
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
