// Package request contains metadata of a request: the request's ID, its W3C trace context, and its
// line in the access log.
package request

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"google.golang.org/grpc/metadata"
)

// Names of headers, and in lower case of gRPC metadata.
const (
	HeaderID    = "X-Request-Id"
	HeaderTrace = "Traceparent"
	HeaderState = "Tracestate"
)

// Request is a request in progress. One goroutine uses it at a time.
type Request struct {
	ID    string
	Start time.Time
	// Trace and State are the headers traceparent and tracestate of the request, empty if
	// it had none that is valid.
	Trace, State string
	// Err is why the request is refused, nil if it is not. It is logged.
	Err error
}

// New returns a request that begins now, with the values of its headers. An ID that is not
// 1 to 128 letters, digits or marks of "-_.:/+=" is replaced by a random one; so is an empty
// one. An invalid trace context is dropped.
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

// validTrace says whether v is a traceparent as https://www.w3.org/TR/trace-context says:
// version-trace-parent-flags in lower-case hexadecimal digits, trace and parent not zero.
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

// TraceID and ParentID return the parts of the trace context, empty if there is none.
func (r *Request) TraceID() string { return r.part(3, 35) }

// ParentID returns the ID of the caller's span.
func (r *Request) ParentID() string { return r.part(36, 52) }

func (r *Request) part(from, to int) string {
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

// FromContext returns the request of a context, nil if there is none.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(key{}).(*Request)
	return r
}

// Outgoing returns a context whose gRPC calls carry the ID and the trace context of the
// request: use it where an operation calls another service.
func Outgoing(ctx context.Context) context.Context {
	r := FromContext(ctx)
	if r == nil {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, r.pairs()...)
}

// pairs are headers of a call that belongs to the request.
func (r *Request) pairs() []string {
	pairs := []string{HeaderID, r.ID}
	if r.Trace != "" {
		pairs = append(pairs, HeaderTrace, r.Trace)
	}
	if r.State != "" {
		pairs = append(pairs, HeaderState, r.State)
	}
	return pairs
}

// Log is an access log, or nil for none.
type Log struct{ Logger *slog.Logger }

// Ended logs that a request has ended: its error, if it has one, how long it took, and attrs.
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

// Handler returns a handler that adds the ID and the trace of the context's request to every
// record, for h.
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
