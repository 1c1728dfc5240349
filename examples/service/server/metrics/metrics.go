// Package metrics holds the service's Prometheus metrics.
package metrics

import (
	"net/http"
	"regexp"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc/codes"
)

// Metrics holds the counters. Its methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	rejected prometheus.Counter
	reloads  *prometheus.CounterVec
	unlogged prometheus.Counter
	evicted  prometheus.Counter
}

// New returns the metrics of a service.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "monge_requests_total", Help: "Requests by their result. Unavailable: turned away because the service was busy."},
			[]string{"operation", "protocol", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "monge_request_seconds", Help: "Seconds from the last byte of a request to its answer, with its time in the queue.",
			Buckets: prometheus.ExponentialBuckets(20e-6, 2, 20), NativeHistogramBucketFactor: 1.1,
		}, []string{"operation", "protocol"}),
		rejected: prometheus.NewCounter(prometheus.CounterOpts{Name: "monge_rejected_rows_total", Help: "Classified rows whose class was rejected."}),
		reloads:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "monge_reloads_total", Help: "Reloads of the model file."}, []string{"result"}),
		unlogged: prometheus.NewCounter(prometheus.CounterOpts{Name: "monge_log_errors_total", Help: "Lines of the log that were lost: they could not be written, or too many waited."}),
		evicted:  prometheus.NewCounter(prometheus.CounterOpts{Name: "monge_connections_evicted_total", Help: "Idle connections closed to make room for others."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.rejected, m.reloads, m.unlogged, m.evicted,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
			collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/cpu/classes/(gc/total|user|total|idle):cpu-seconds$|^/sched/(latencies|pauses).*:seconds$`)})))
	for _, result := range []string{"ok", "failed"} {
		m.reloads.WithLabelValues(result)
	}
	return m
}

// Watch adds metrics of the engine: its model, queues and solvers.
func (m *Metrics) Watch(e *engine.Engine) {
	solvers, work := e.QueueOf(engine.Transport), e.QueueOf(engine.Classify)
	m.Gauge("monge_solvers", "Solvers in the pool.", nil, solvers.Slots)
	m.Gauge("monge_solvers_busy", "Solvers at work.", nil, solvers.Busy)
	m.Gauge("monge_work_busy", "Requests to project or classify at work.", nil, work.Busy)
	m.Gauge("monge_requests_in_progress", "Requests that are being received, waiting, at work or being answered.", nil, e.Requests)
	for label, q := range map[string]*engine.Queue{"transport": solvers, "work": work} {
		m.Gauge("monge_queue_waiting", "Requests that wait for their turn.", prometheus.Labels{"queue": label}, q.Waiting)
		for reason, count := range map[string]func() int{"full": q.Full, "wait": q.Late} {
			m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name: "monge_queue_shed_total", Help: "Requests turned away: the queue was full, or they had waited too long.",
				ConstLabels: prometheus.Labels{"queue": label, "reason": reason},
			}, func() float64 { return float64(count()) }))
		}
	}
	m.registry.MustRegister(model{e})
}

// model is a gauge whose label is the hash of the model in use.
type model struct{ e *engine.Engine }

var modelInfo = prometheus.NewDesc("monge_model_info", "Always 1; the label is the hash of the model in use.", []string{"hash"}, nil)

func (model) Describe(ch chan<- *prometheus.Desc) { ch <- modelInfo }

func (m model) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(modelInfo, prometheus.GaugeValue, 1, m.e.Info().Hash)
}

// Request counts a request and records its duration.
func (m *Metrics) Request(op engine.Operation, protocol string, code codes.Code, took time.Duration) {
	m.requests.WithLabelValues(string(op), protocol, code.String()).Inc()
	m.seconds.WithLabelValues(string(op), protocol).Observe(took.Seconds())
}

// Refused counts a request that was refused before it was read.
func (m *Metrics) Refused(op engine.Operation, protocol string, code codes.Code) {
	m.requests.WithLabelValues(string(op), protocol, code.String()).Inc()
}

// Evicted counts a connection that was closed to make room for a new connection.
func (m *Metrics) Evicted() { m.evicted.Inc() }

// Gauge adds a gauge. At each scrape, the function value returns the value of the gauge.
func (m *Metrics) Gauge(name, help string, labels prometheus.Labels, value func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value()) }))
}

// Classified counts the rejected rows of an answer.
func (m *Metrics) Classified(c *engine.Classified) {
	for _, r := range c.Rows {
		if r.Rejected {
			m.rejected.Inc()
		}
	}
}

// Reload counts a reload.
func (m *Metrics) Reload(err error) {
	if err != nil {
		m.reloads.WithLabelValues("failed").Inc()
		return
	}
	m.reloads.WithLabelValues("ok").Inc()
}

// Handler returns the handler for Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Unlogged counts a lost log line.
func (m *Metrics) Unlogged() { m.unlogged.Inc() }
