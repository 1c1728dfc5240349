// Package httpapi implements the service over HTTP.
//
//	POST /v1/project    takes rows, returns their projections
//	POST /v1/classify   takes rows, returns class, distance, rejection and probabilities
//	POST /v1/transport  takes two point clouds, returns cost and transport plan
//	GET  /v1/model      describes the model in use
//	GET  /healthz       200 while the process answers
//	GET  /readyz        200 while the service accepts requests, 503 during shutdown
//
// Bodies are JSON. Rows may also have the media type application/x-float32 or
// application/x-float64. The answer then has the same media type, unless the Accept header is
// application/json. A binary answer to classify has one row of numbers for each sample: the index
// of the class, 1 if the class is rejected (else 0), the squared distance, and the probabilities.
// The query ?timeout=50ms sets a shorter time limit than the server's limit. An error is
// {"error": {"code", "message"}}. If columns of the samples are missing or unknown, the error also
// lists their names in "missing" and "unknown".
package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/pprof"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomonge/monge/examples/service/internal/guard"
	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"github.com/gomonge/monge/examples/service/server/request"
	"github.com/gomonge/monge/wda/dataset"
	"google.golang.org/grpc/codes"
)

// Config configures New.
type Config struct {
	Token  string       // bearer token; empty means no token
	Body   int64        // maximum size of a request body in bytes
	Access *request.Log // access log; nil means no log
	// A connection older than Age is closed after its next answer. If Age is 0, connections are not
	// closed because of their age.
	Age time.Duration
}

// API answers HTTP requests.
type API struct {
	engine  *engine.Engine
	metrics *metrics.Metrics
	log     *slog.Logger
	config  Config
	ready   atomic.Bool
}

// New returns the API of an engine.
func New(e *engine.Engine, m *metrics.Metrics, log *slog.Logger, config Config) *API {
	a := &API{engine: e, metrics: m, log: log, config: config}
	a.ready.Store(true)
	return a
}

// Drain makes /readyz answer 503, so that load balancers stop sending requests.
func (a *API) Drain() { a.ready.Store(false) }

// Handler returns the handler for clients.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/project", a.operation(engine.Project, (*exchange).project))
	mux.Handle("POST /v1/classify", a.operation(engine.Classify, (*exchange).classify))
	mux.Handle("POST /v1/transport", a.operation(engine.Transport, (*exchange).transport))
	mux.Handle("GET /v1/model", a.requireToken(engine.Other, http.HandlerFunc(a.serveModel)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !a.ready.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	return a.withAccessLog(mux)
}

// Admin returns the handler for operators: metrics, reload of the model, and profiles.
func (a *API) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.requireToken(engine.Other, a.metrics.Handler()))
	mux.Handle("POST /reload", a.requireToken(engine.Other, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.Reload(r.Context()); err != nil {
			writeJSON(w, http.StatusUnprocessableEntity, errorBody(codes.FailedPrecondition, err))
			return
		}
		a.serveModel(w, r)
	})))
	for path, h := range map[string]http.HandlerFunc{
		"/": pprof.Index, "/cmdline": pprof.Cmdline, "/profile": pprof.Profile, "/symbol": pprof.Symbol, "/trace": pprof.Trace,
	} {
		mux.Handle("GET /debug/pprof"+path, a.requireToken(engine.Other, h))
	}
	return a.withAccessLog(mux)
}

// Reload reads the model file again. It counts and logs the outcome.
func (a *API) Reload(ctx context.Context) error {
	err := a.engine.Reload(ctx)
	if a.metrics.Reload(err); err != nil {
		a.log.Error("the model was not replaced", "error", err)
	}
	return err
}

func (a *API) serveModel(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, a.engine.Info())
}

// requireToken returns a handler that calls h for requests with the token and marks their
// connections as in use. It rejects other requests, and counts them as refused in the metrics of
// op.
func (a *API) requireToken(op engine.Operation, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.authorized(r) {
			a.metrics.Refused(op, "http", codes.Unauthenticated)
			a.refuse(w, r, codes.Unauthenticated, engine.ErrToken)
			return
		}
		conn := guard.FromContext(r.Context())
		conn.Begin()
		defer conn.End()
		h.ServeHTTP(w, r)
	})
}

func (a *API) authorized(r *http.Request) bool {
	return a.config.Token == "" || TokenMatches(r.Header.Get("Authorization"), a.config.Token)
}

// TokenMatches reports whether an Authorization header has the scheme Bearer, in any case, and this
// token. The running time does not depend on how many characters of a wrong token are right.
func TokenMatches(header, token string) bool {
	scheme, got, _ := strings.Cut(header, " ")
	have, want := sha256.Sum256([]byte(strings.TrimLeft(got, " "))), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(have[:], want[:]) == 1
}

// recorder records data of an answer for the access log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap implements the interface that http.ResponseController uses.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher.
func (w *recorder) Flush() { http.NewResponseController(w.ResponseWriter).Flush() }

// withAccessLog gives a request its ID, logs its end, and closes old connections.
func (a *API) withAccessLog(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, out := r.Header, w.Header()
		q := request.New(in.Get(request.HeaderID), in.Get(request.HeaderTrace), in.Get(request.HeaderState))
		out[request.HeaderID] = []string{q.ID}
		if !a.ready.Load() || a.config.Age > 0 && guard.FromContext(r.Context()).Age() > a.config.Age {
			out["Connection"] = []string{"close"}
		}
		ctx := request.NewContext(r.Context(), q)
		rec := &recorder{ResponseWriter: w}
		defer func() { // also runs after a panic; net/http logs the stack of the panic
			level := slog.LevelInfo
			if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" { // health probes arrive every few seconds
				level = slog.LevelDebug
			}
			a.config.Access.Ended(ctx, level, slog.String("protocol", "http"), slog.String("method", r.Method), slog.String("path", r.URL.Path),
				slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes), slog.String("remote", r.RemoteAddr))
		}()
		h.ServeHTTP(rec, r.WithContext(ctx))
	})
}

// exchange is a request with the memory for its answer. Later requests reuse the memory.
type exchange struct {
	engine     *engine.Engine
	body       bytes.Buffer
	in         string // media type of the request
	out        string
	answer     []byte
	x          engine.Matrix
	projected  engine.Projected
	classified engine.Classified
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// largestKept is the maximum size in bytes of request memory that is kept for reuse.
const largestKept = 1 << 20

// operation returns a handler that answers requests by calling the function work.
func (a *API) operation(op engine.Operation, work func(*exchange, context.Context) error) http.Handler {
	return a.requireToken(op, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		x := exchanges.Get().(*exchange)
		x.engine, x.answer = a.engine, x.answer[:0]
		x.classified.Rows = x.classified.Rows[:0]
		share := a.engine.Share()
		defer share.Release() // after the answer has been sent
		err := a.receive(x, w, r, share, func() error {
			start = time.Now() // exclude the time that a slow client needs to send the body
			ctx, cancel, err := withTimeout(r)
			if err != nil {
				return err
			}
			defer cancel()
			return a.engine.Do(budget.NewContext(ctx, share), op, func(ctx context.Context) error { return work(x, ctx) })
		})
		code := engine.Code(err)
		a.metrics.Request(op, "http", code, time.Since(start))
		if err != nil {
			a.refuse(w, r, code, err)
		} else {
			a.metrics.Classified(&x.classified)
			w.Header()["Content-Type"] = []string{x.out}
			w.Header()["Content-Length"] = []string{strconv.Itoa(len(x.answer))}
			w.Write(x.answer)
		}
		if x.body.Cap() <= largestKept && cap(x.answer) <= largestKept && 8*cap(x.x.Data) <= largestKept && 8*cap(x.projected.Data) <= largestKept && 8*cap(x.classified.Shares) <= largestKept {
			exchanges.Put(x)
		}
	}))
}

// receive reads a request within the limits for requests and bytes, and then calls answer.
func (a *API) receive(x *exchange, w http.ResponseWriter, r *http.Request, share *budget.Share, answer func() error) error {
	if err := a.engine.Enter(); err != nil {
		return err
	}
	defer a.engine.Leave()
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Errorf("%w: Content-Encoding is %q; send the body without an encoding", engine.ErrMediaType, engine.Clip(coding))
	}
	x.in = r.Header.Get("Content-Type")
	if x.in != typeFloat32 && x.in != typeFloat64 {
		t, _, err := mime.ParseMediaType(x.in)
		if x.in = t; err != nil || t != typeJSON {
			return fmt.Errorf("%w: Content-Type is %q; it must be %s, %s or %s", engine.ErrMediaType, engine.Clip(t), typeJSON, typeFloat32, typeFloat64)
		}
	}
	if x.out = x.in; r.Header.Get("Accept") == typeJSON {
		x.out = typeJSON
	}
	size := r.ContentLength
	if size > a.config.Body {
		return fmt.Errorf("%w: the body has %d bytes, %d are allowed", engine.ErrTooLarge, size, a.config.Body)
	}
	if size < 0 {
		size = a.config.Body // the size is unknown
	}
	if err := share.Take(size); err != nil {
		return err
	}
	if rec, ok := w.(*recorder); ok {
		w = rec.ResponseWriter // MaxBytesReader needs net/http's own writer to close the connection
	}
	x.body.Reset()
	if r.ContentLength > 0 {
		x.body.Grow(int(size) + bytes.MinRead) // so that the buffer does not double its size
	}
	if _, err := x.body.ReadFrom(http.MaxBytesReader(w, r.Body, a.config.Body)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return fmt.Errorf("%w: the body has more than %d bytes", engine.ErrTooLarge, a.config.Body)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) { // check this error first, because the server also cancels the context after a read timeout
			return engine.ErrSlow
		}
		if r.Context().Err() != nil {
			return context.Cause(r.Context())
		}
		return fmt.Errorf("%w: the body ends early: %w", engine.ErrMalformed, err)
	}
	return answer()
}

// withTimeout returns the context of a request. The query parameter timeout, if present, sets the
// timeout of the context.
func withTimeout(r *http.Request) (context.Context, context.CancelFunc, error) {
	if r.URL.RawQuery == "" {
		return r.Context(), func() {}, nil
	}
	text := r.URL.Query().Get("timeout")
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return nil, nil, fmt.Errorf("%w: ?timeout=%q: use a positive duration such as 50ms", engine.ErrMalformed, text)
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	return ctx, cancel, nil
}

// statuses maps gRPC codes to HTTP statuses.
var statuses = map[codes.Code]int{
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.ResourceExhausted:  http.StatusRequestEntityTooLarge,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.FailedPrecondition: http.StatusNotImplemented,
	codes.Unauthenticated:    http.StatusUnauthorized,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
	codes.Canceled:           499, // the client has closed the connection; nginx uses the same status
	codes.Internal:           http.StatusInternalServerError,
}

// refuse answers a request with an error.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, code codes.Code, err error) {
	if q := request.FromContext(r.Context()); q != nil {
		q.Err = err
	}
	switch code {
	case codes.Unavailable:
		w.Header().Set("Retry-After", "1")
	case codes.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case codes.Internal:
		a.log.ErrorContext(r.Context(), "internal error", "error", err)
		err = errors.New("internal error")
	}
	status := statuses[code]
	if errors.Is(err, engine.ErrMediaType) {
		status = http.StatusUnsupportedMediaType
	}
	writeJSON(w, status, errorBody(code, err))
}

func errorBody(code codes.Code, err error) any {
	type body struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Missing []string `json:"missing,omitempty"` // columns
		Unknown []string `json:"unknown,omitempty"`
	}
	b := body{Code: code.String(), Message: err.Error()}
	if ce, ok := errors.AsType[*dataset.ColumnsError](err); ok {
		b.Missing, b.Unknown = engine.ClipNames(ce.Missing), engine.ClipNames(ce.Extra)
	}
	return map[string]body{"error": b}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
