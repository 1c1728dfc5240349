package request

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
)

const (
	trace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent = "00f067aa0ba902b7"
)

func TestHeaders(t *testing.T) {
	for id, kept := range map[string]bool{
		"a": true, "0f8fad5b-d9cb-469f-a165-70867728950e": true, "A.b:c/d+e=_": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "a b": false, "a\nb": false, "é": false, "\x1b[31m": false,
	} {
		if r := New(id, "", ""); (r.ID == id) != kept || !validID(r.ID) {
			t.Errorf("%q becomes %q", id, r.ID)
		}
	}
	if a, b := New("", "", ""), New("", "", ""); a.ID == b.ID {
		t.Error("two requests with one ID")
	}
	good := "00-" + trace + "-" + parent + "-01"
	for v, valid := range map[string]bool{
		good: true, "01" + good[2:]: true, "01" + good[2:] + "-more": true,
		"": false, good[:54]: false, good + "-more": false, "ff" + good[2:]: false, "01" + good[2:] + "more": false,
		strings.ToUpper(good): false, strings.Replace(good, "-", "_", 1): false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false, "00-" + trace + "-" + strings.Repeat("0", 16) + "-01": false,
		"01" + good[2:] + "-" + strings.Repeat("x", 300): false,
	} {
		r := New("", v, "vendor=1")
		if want := (map[bool]string{true: v})[valid]; r.Trace != want || (r.State != "") != valid {
			t.Errorf("%q: %q, %q", v, r.Trace, r.State)
		}
		if valid && (r.TraceID() != trace || r.ParentID() != parent) || !valid && r.TraceID() != "" {
			t.Errorf("%q: trace %q, parent %q", v, r.TraceID(), r.ParentID())
		}
	}
	if r := New("", good, strings.Repeat("x", 513)); r.State != "" || r.Trace == "" {
		t.Errorf("%+v", r)
	}
}

// TestOutgoing checks that calls to other services carry the ID and the trace context of the
// request.
func TestOutgoing(t *testing.T) {
	good := "00-" + trace + "-" + parent + "-01"
	ctx := Outgoing(NewContext(t.Context(), New("abc", good, "vendor=1")))
	md, _ := metadata.FromOutgoingContext(ctx)
	for name, want := range map[string]string{"x-request-id": "abc", "traceparent": good, "tracestate": "vendor=1"} {
		if got := md.Get(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, ok := metadata.FromOutgoingContext(Outgoing(t.Context())); ok {
		t.Error("metadata without a request")
	}
}

// TestLog checks that every record of a request contains the ID and the trace of the request, and
// that the access log can be off.
func TestLog(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(Handler(slog.NewTextHandler(&b, nil)))
	r := New("abc", "00-"+trace+"-"+parent+"-01", "")
	r.Err = errors.New("too late")
	ctx := NewContext(t.Context(), r)
	(&Log{log}).Ended(ctx, slog.LevelInfo, slog.String("protocol", "http"))
	(&Log{log}).Ended(ctx, slog.LevelDebug, slog.String("protocol", "not logged"))
	(*Log)(nil).Ended(ctx, slog.LevelInfo)
	log.With("a", 1).WithGroup("g").ErrorContext(t.Context(), "beside", "b", 2)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "a=1 g.b=2") {
		t.Fatalf("%s", b.String())
	}
	for _, want := range []string{"msg=request protocol=http seconds=", `error="too late" request_id=abc trace_id=` + trace + " parent_span_id=" + parent} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("no %q in %s", want, lines[0])
		}
	}
}
