// Package httpapi is the service over HTTP.
//
//	POST /v1/project    rows in, their projections out
//	POST /v1/classify   rows in; class, distance, rejection and probabilities out
//	POST /v1/transport  two clouds in, cost and plan out
//	GET  /v1/model      what answers at present
//	GET  /healthz       200 while the process answers
//	GET  /readyz        200 while it wants requests
//
// Bodies are JSON; for rows also application/x-float32 or application/x-float64, and then
// so is the answer, unless Accept says application/json: rows of numbers, for classify
// index of the class, 1 if it is rejected, squared distance, probabilities. ?timeout=50ms
// ends a request earlier than the server would. An error is {"error": {"code", "message"}}.
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
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
)

// Config is what New needs.
type Config struct {
	Token  string // bearer token, or empty
	Body   int64  // bytes of a body at most
	Bodies int64  // bytes of all bodies that are being read or answered
}

// API answers HTTP requests.
type API struct {
	engine  *engine.Engine
	metrics *metrics.Metrics
	log     *slog.Logger
	config  Config
	bodies  *semaphore.Weighted
	ready   atomic.Bool
}

// New returns the API of an engine.
func New(e *engine.Engine, m *metrics.Metrics, log *slog.Logger, config Config) *API {
	a := &API{engine: e, metrics: m, log: log, config: config, bodies: semaphore.NewWeighted(config.Bodies)}
	a.ready.Store(true)
	return a
}

// Drain makes /readyz say that no more requests are wanted.
func (a *API) Drain() { a.ready.Store(false) }

// Handler answers clients.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/project", a.operation(engine.Project, (*exchange).project))
	mux.Handle("POST /v1/classify", a.operation(engine.Classify, (*exchange).classify))
	mux.Handle("POST /v1/transport", a.operation(engine.Transport, (*exchange).transport))
	mux.Handle("GET /v1/model", a.guarded(http.HandlerFunc(a.model)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !a.ready.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	return mux
}

// Admin answers operators: metrics, and a reload of the model.
func (a *API) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.guarded(a.metrics.Handler()))
	mux.Handle("POST /reload", a.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.Reload(); err != nil {
			writeJSON(w, http.StatusUnprocessableEntity, errorBody(codes.FailedPrecondition, err))
			return
		}
		a.model(w, r)
	})))
	return mux
}

// Reload reads the model again, and counts and logs what became of it.
func (a *API) Reload() error {
	err := a.engine.Reload()
	if a.metrics.Reload(err); err != nil {
		a.log.Error("the old model stays", "error", err)
	}
	return err
}

func (a *API) model(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, a.engine.Info())
}

// guarded asks for the token.
func (a *API) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.allowed(r) {
			writeJSON(w, http.StatusUnauthorized, errorBody(codes.Unauthenticated, engine.ErrToken))
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (a *API) allowed(r *http.Request) bool {
	return a.config.Token == "" || TokenMatches(r.Header.Get("Authorization"), a.config.Token)
}

// TokenMatches says whether a header is "Bearer" and the token, in a time that does not
// depend on how much of it is right.
func TokenMatches(header, token string) bool {
	got, ok := strings.CutPrefix(header, "Bearer ")
	have, want := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(have[:], want[:]) == 1
}

// exchange is a request with the memory for its answer, which another one takes over.
type exchange struct {
	engine     *engine.Engine
	body       bytes.Buffer
	in         string // media type
	out        string
	answer     []byte
	x          engine.Matrix
	projected  engine.Projected
	classified engine.Classified
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// largestKept is the body of the largest request whose memory is kept for others.
const largestKept = 1 << 20

// operation is a handler of requests whose answer is made by work.
func (a *API) operation(op engine.Operation, work func(*exchange, context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		x := exchanges.Get().(*exchange)
		x.engine, x.answer = a.engine, x.answer[:0]
		x.classified.Rows = x.classified.Rows[:0]
		err := a.receive(x, w, r, func() error {
			start = time.Now() // a slow client is no slow server
			ctx, cancel, err := withTimeout(r)
			if err != nil {
				return err
			}
			defer cancel()
			return a.engine.Do(ctx, op, func(ctx context.Context) error { return work(x, ctx) })
		})
		code := engine.Code(err)
		a.metrics.Request(op, "http", code, time.Since(start))
		if err != nil {
			a.log.Debug("request", "operation", op, "code", code, "error", err)
			a.refuse(w, code, err)
		} else {
			a.metrics.Classified(&x.classified)
			w.Header()["Content-Type"] = []string{x.out}
			w.Header()["Content-Length"] = []string{strconv.Itoa(len(x.answer))}
			w.Write(x.answer)
		}
		if x.body.Cap() <= largestKept && cap(x.answer) <= largestKept {
			exchanges.Put(x)
		}
	})
}

// receive reads a request and calls answer within the bounds on bodies.
func (a *API) receive(x *exchange, w http.ResponseWriter, r *http.Request, answer func() error) error {
	if !a.allowed(r) {
		return engine.ErrToken
	}
	x.in = r.Header.Get("Content-Type")
	if x.in != typeFloat32 && x.in != typeFloat64 {
		t, _, err := mime.ParseMediaType(x.in)
		if x.in = t; err != nil || t != typeJSON {
			return fmt.Errorf("%w: Content-Type %q is none of %s, %s, %s", engine.ErrMalformed, t, typeJSON, typeFloat32, typeFloat64)
		}
	}
	if x.out = x.in; r.Header.Get("Accept") == typeJSON {
		x.out = typeJSON
	}
	size := r.ContentLength
	if size > a.config.Body {
		return fmt.Errorf("%w: a body of %d bytes, %d are allowed", engine.ErrTooLarge, size, a.config.Body)
	}
	if size < 0 {
		size = a.config.Body // unknown
	}
	if !a.bodies.TryAcquire(size) {
		return engine.ErrBusy
	}
	defer a.bodies.Release(size)
	x.body.Reset()
	if _, err := x.body.ReadFrom(http.MaxBytesReader(w, r.Body, a.config.Body)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return fmt.Errorf("%w: a body of more than %d bytes", engine.ErrTooLarge, a.config.Body)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) { // by which the server ends the context, too
			return fmt.Errorf("%w: the body did not come in time", engine.ErrMalformed)
		}
		if r.Context().Err() != nil {
			return context.Cause(r.Context())
		}
		return fmt.Errorf("%w: the body ends early: %w", engine.ErrMalformed, err)
	}
	return answer()
}

// withTimeout returns the context of a request that may have a timeout.
func withTimeout(r *http.Request) (context.Context, context.CancelFunc, error) {
	if r.URL.RawQuery == "" {
		return r.Context(), func() {}, nil
	}
	text := r.URL.Query().Get("timeout")
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return nil, nil, fmt.Errorf("%w: ?timeout=%q is no positive duration such as 50ms", engine.ErrMalformed, text)
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	return ctx, cancel, nil
}

// statuses are HTTP's words for codes.
var statuses = map[codes.Code]int{
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.ResourceExhausted:  http.StatusRequestEntityTooLarge,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.FailedPrecondition: http.StatusNotImplemented,
	codes.Unauthenticated:    http.StatusUnauthorized,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
	codes.Canceled:           499, // nobody is there to read it
	codes.Internal:           http.StatusInternalServerError,
}

func (a *API) refuse(w http.ResponseWriter, code codes.Code, err error) {
	switch code {
	case codes.Unavailable:
		w.Header().Set("Retry-After", "1")
	case codes.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case codes.Internal:
		a.log.Error("request", "error", err)
		err = errors.New("internal error")
	}
	writeJSON(w, statuses[code], errorBody(code, err))
}

func errorBody(code codes.Code, err error) any {
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	return map[string]body{"error": {code.String(), err.Error()}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
