package fanout

import (
	"context"
	"errors"
	"testing"
)

// TestOpenEnded: a result that was made when the context had ended is none, as it may be made of
// errors that ended with it.
func TestOpenEnded(t *testing.T) {
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	Register("test", func(context.Context, []byte) (Doer, error) {
		return func(_ context.Context, item []byte) ([]byte, error) {
			if len(item) == 0 {
				cancel(ended)
			}
			return []byte("done"), nil
		}, nil
	})
	do, err := Open(ctx, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := do(ctx, []byte("1")); err != nil || string(result) != "done" {
		t.Errorf("%q, %v", result, err)
	}
	if result, err := do(ctx, nil); err != ended || result != nil {
		t.Errorf("%q, %v", result, err)
	}
	if _, err := Open(ctx, "unknown", nil); err == nil {
		t.Error("a task that nobody registered")
	}
}
