// Package request manages the metadata of a request: its ID, its W3C trace context, and its line in
// the access log.
package request

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"google.golang.org/grpc/metadata"
)

// Header names. The same names in lower case are the names of gRPC metadata.
const (
	HeaderID    = "X-Request-Id"
	HeaderTrace = "Traceparent"
	HeaderState = "Tracestate"
)

// Request is a request in progress. Only one goroutine may use a Request at a time.
type Request struct {
	ID    string
	Start time.Time
	// Trace and State are the headers traceparent and tracestate of the request. Both fields are
	// empty if the request has no valid headers.
	Trace, State string
	// Err is the reason why the request was refused, or nil. The access log contains Err.
	Err error
}

// New returns a request that begins now. Its ID and trace context are the values of the request's
// headers. A valid id consists of 1 to 128 letters, digits or characters of "-_.:/+=". New replaces
// an invalid id by a random ID, and drops an invalid trace context.
func New(id, traceparent, tracestate string) *Request {
	r := &Request{ID: id, Start: time.Now()}
	if !validID(id) {
		r.ID = rand.Text()
	}
	if validTrace(traceparent) {
		if r.Trace = traceparent; len(tracestate) <= 512 {
			r.State = tracestate
		}
	}
	return r
}

func validID(id string) bool {
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 128
}

// validTrace reports whether v is a traceparent according to https://www.w3.org/TR/trace-context:
// version-trace-parent-flags in lower-case hexadecimal digits. Trace and parent must not be zero.
func validTrace(v string) bool {
	const traceAt, parentAt, flagsAt, length = 3, 36, 53, 55
	if len(v) < length || v[:2] == "ff" || v[:2] == "00" && len(v) > length || len(v) > length && v[length] != '-' || len(v) > 256 {
		return false
	}
	zero := [2]bool{true, true} // trace, parent
	for i := range length {
		switch c := v[i]; {
		case i == traceAt-1 || i == parentAt-1 || i == flagsAt-1:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'f':
			if c != '0' && i >= traceAt && i < flagsAt {
				zero[(i-traceAt)/(parentAt-traceAt)] = false
			}
		default:
			return false
		}
	}
	return !zero[0] && !zero[1]
}

// TraceID returns the trace ID, or "" if there is no trace context.
func (r *Request) TraceID() string { return r.tracePart(3, 35) }

// ParentID returns the ID of the caller's span, or "" if there is no trace context.
func (r *Request) ParentID() string { return r.tracePart(36, 52) }

func (r *Request) tracePart(from, to int) string {
	if r.Trace == "" {
		return ""
	}
	return r.Trace[from:to]
}

type key struct{}

// NewContext returns a context that carries r.
func NewContext(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, key{}, r)
}

// FromContext returns the request of a context, or nil.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(key{}).(*Request)
	return r
}

// Outgoing returns a context whose gRPC calls carry the ID and the trace context of the request.
// Use Outgoing if an operation calls another service.
func Outgoing(ctx context.Context) context.Context {
	r := FromContext(ctx)
	if r == nil {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, r.headerPairs()...)
}

// headerPairs returns the headers for a call on behalf of the request.
func (r *Request) headerPairs() []string {
	pairs := []string{HeaderID, r.ID}
	if r.Trace != "" {
		pairs = append(pairs, HeaderTrace, r.Trace)
	}
	if r.State != "" {
		pairs = append(pairs, HeaderState, r.State)
	}
	return pairs
}

// Log is an access log. A nil Log drops all lines.
type Log struct{ Logger *slog.Logger }

// Ended logs that the request in ctx has ended. The log line contains the error and the duration of
// the request, and attrs.
func (l *Log) Ended(ctx context.Context, level slog.Level, attrs ...slog.Attr) {
	if l == nil || !l.Logger.Enabled(ctx, level) {
		return
	}
	if r := FromContext(ctx); r != nil {
		attrs = append(attrs, slog.Float64("seconds", time.Since(r.Start).Seconds()))
		if r.Err != nil {
			attrs = append(attrs, slog.String("error", r.Err.Error()))
		}
	}
	l.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// Handler returns a handler that adds the ID and the trace of the request in the context to every
// record. The handler then passes the record to h.
func Handler(h slog.Handler) slog.Handler { return handler{h} }

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	if r := FromContext(ctx); r != nil {
		record = record.Clone()
		record.AddAttrs(slog.String("request_id", r.ID))
		if r.Trace != "" {
			record.AddAttrs(slog.String("trace_id", r.TraceID()), slog.String("parent_span_id", r.ParentID()))
		}
	}
	return h.Handler.Handle(ctx, record)
}

func (h handler) WithAttrs(a []slog.Attr) slog.Handler { return handler{h.Handler.WithAttrs(a)} }

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
