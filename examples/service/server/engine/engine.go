// Package engine implements the service independently of its protocols: the model in use and its
// reload, the three operations, their limits and their queues.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
)

// Operation is the kind of a request.
type Operation string

const (
	Project   Operation = "project"
	Classify  Operation = "classify"
	Transport Operation = "transport"
	Other     Operation = "other" // the model, reloads, metrics, profiles
)

// Config configures New. DefaultConfig returns values for a small machine.
type Config struct {
	Model   string // model file
	Check   Check
	Limits  Limits
	Solvers Solvers
	// Queue is the maximum number of requests to project or classify that wait for a processor.
	// Wait is the longest time that such a request waits. TransportQueue and TransportWait are the
	// same limits for requests that wait for a solver. See type Queue.
	Queue, TransportQueue int
	Wait, TransportWait   time.Duration
	// Requests is the maximum number of requests in progress. A request is in progress from its
	// receipt until it has been answered.
	Requests int
	// Memory is the budget of all requests in bytes. One half is for the workspaces of the solvers.
	// The other half is for request bodies, decoded values and answers.
	Memory int64
	// MaxModel is the maximum size in bytes of a model file and of the arrays in the file.
	// ModelTime is the time limit for reading and checking a model.
	MaxModel  int64
	ModelTime time.Duration
	// ExtraColumns allows named samples to have columns that the model does not know.
	ExtraColumns bool
}

// Limits contains the limits of a single request.
type Limits struct {
	Rows    int           // maximum number of samples in a request to project or classify
	Columns int           // maximum dimension of the points of a transport problem
	Pairs   int           // maximum number n·m of elements in the cost matrix of a transport problem
	Timeout time.Duration // maximum duration of a request; a request may set a shorter timeout
}

// Solvers configures the pool of solvers.
type Solvers struct {
	Number        int // transport problems solved at the same time; 0 means GOMAXPROCS
	Tolerance     float64
	MaxIterations int
}

// DefaultConfig returns a configuration without a model.
func DefaultConfig() Config {
	return Config{
		Limits:  Limits{Rows: 4096, Columns: 4096, Pairs: 1 << 20, Timeout: 10 * time.Second},
		Solvers: Solvers{Tolerance: 1e-6, MaxIterations: 10000},
		Queue:   128, TransportQueue: 32, Wait: 100 * time.Millisecond, TransportWait: 2 * time.Second,
		Requests: 4096, Memory: 512 << 20,
		MaxModel: 1 << 30, ModelTime: time.Minute,
		Check: Check{Accuracy: 0.5},
	}
}

// Engine answers requests. Its methods are safe for concurrent use.
type Engine struct {
	config    Config
	log       *slog.Logger
	budget    *budget.Budget
	reloading chan struct{} // contains an element while a model is read
	holder    wda.Holder
	current   atomic.Pointer[served]

	pool            *sinkhorn.Pool[float64]
	exactMemory     int64 // maximum workspace of an exact transport problem, in bytes
	work, transport *Queue
	requests        atomic.Int64 // requests in progress
}

// New returns an engine. It reads and checks the model of the configuration.
func New(config Config, log *slog.Logger) (*Engine, error) {
	e := &Engine{config: config, log: log, budget: budget.New(config.Memory / 2), reloading: make(chan struct{}, 1)}
	if l := config.Limits; l.Rows < 1 || l.Columns < 1 || l.Pairs < 1 || l.Timeout <= 0 || config.Requests < 1 {
		return nil, fmt.Errorf("every limit must be positive; they are %+v, and %d requests", l, config.Requests)
	}
	if config.Queue < 0 || config.TransportQueue < 0 || config.Wait <= 0 || config.TransportWait <= 0 || config.Solvers.Number < 0 {
		return nil, fmt.Errorf("queues of %d and %d requests that wait for %v and %v, and %d solvers: lengths must not be negative, times must be positive",
			config.Queue, config.TransportQueue, config.Wait, config.TransportWait, config.Solvers.Number)
	}
	if config.Memory < 2 || config.MaxModel < 1 || config.ModelTime <= 0 {
		return nil, fmt.Errorf("a budget of %d bytes, models of %d bytes that must be read within %v: all must be positive", config.Memory, config.MaxModel, config.ModelTime)
	}
	e.work = NewQueue(0, config.Queue, config.Wait)
	e.transport = NewQueue(config.Solvers.Number, config.TransportQueue, config.TransportWait)
	var err error
	e.pool, err = sinkhorn.NewPool[float64](&sinkhorn.Settings{
		Tolerance: config.Solvers.Tolerance, Iterations: config.Solvers.MaxIterations, MaxMemory: config.Memory / 2, Workers: 1,
	}, e.transport.Slots())
	if err != nil {
		return nil, err
	}
	// Each slot of the queue has an equal share of the memory. A problem may use a quarter of a share,
	// with or without entropic regularization. While a problem without regularization is solved, the
	// pool solver of its slot is idle, and keeps at most 10/32 of the share.
	e.exactMemory = config.Memory / 2 / int64(e.transport.Slots()) / 4
	return e, e.Reload(context.Background())
}

// Share returns a share of the memory budget for a request. Release the share when the request has
// been answered.
func (e *Engine) Share() *budget.Share { return e.budget.Share() }

// MaxRows returns the largest number of samples in a request.
func (e *Engine) MaxRows() int { return e.config.Limits.Rows }

// QueueOf returns the queue for the requests of an operation.
func (e *Engine) QueueOf(op Operation) *Queue {
	if op == Transport {
		return e.transport
	}
	return e.work
}

// Enter counts the beginning of a request. It returns ErrRequests if too many requests are in
// progress. If Enter returns nil, call Leave when the request has been answered.
func (e *Engine) Enter() error {
	if e.requests.Add(1) > int64(e.config.Requests) {
		e.requests.Add(-1)
		return ErrRequests
	}
	return nil
}

// Leave counts the end of a request.
func (e *Engine) Leave() { e.requests.Add(-1) }

// Requests returns the number of requests in progress.
func (e *Engine) Requests() int { return int(e.requests.Load()) }

// Do waits for a slot in the queue of the operation and then calls the function work with a context
// that ends at the time limit of the request. Do returns the error of work, or the reason why work
// was not called. If work panics, Do logs the panic and returns an error.
func (e *Engine) Do(ctx context.Context, op Operation, work func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Limits.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			e.log.ErrorContext(ctx, "panic", "operation", op, "panic", p, "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	q := e.QueueOf(op)
	if err := q.enter(ctx); err != nil {
		return err
	}
	defer q.leave()
	return work(ctx)
}
