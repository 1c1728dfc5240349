//go:build unix

package mongebeam

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/fanout"
)

func init() {
	fanout.Register("test.asleep", func(context.Context, []byte) (fanout.Doer, error) {
		return func(context.Context, []byte) ([]byte, error) {
			time.Sleep(time.Second)
			return fmt.Appendf(nil, "%d", os.Getpid()), nil
		}, nil
	})
}

// TestAsleep: Prism does not compute while workers do, and lanes have processes of their
// own, which are there again for the next pipeline.
func TestAsleep(t *testing.T) {
	cpu := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	c := &Cluster{Runner: "prism", Folder: t.TempDir(), Lanes: 2}
	b := &fanout.Batch{Task: "test.asleep", Items: make([][]byte, 2)}
	before := cpu()
	if _, err := (pool{c}).Do(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if s := cpu() - before; s > 700*time.Millisecond {
		t.Errorf("%v of CPU time while two workers were asleep for one", s)
	}
	c.Runner = "prism-processes"
	var first [][]byte
	for range 2 {
		pids, err := pool{c}.Do(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = pids
		}
		if self := strconv.Itoa(os.Getpid()); string(pids[0]) == string(pids[1]) || string(pids[0]) == self || string(pids[1]) == self || !reflect.DeepEqual(pids, first) {
			t.Errorf("processes %q, and %q before; the test is %s", pids, first, self)
		}
	}
}
