// Package metrics is what Prometheus reads of the service.
package metrics

import (
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc/codes"
)

// Metrics counts. Any number of goroutines may use it at once.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	rejected prometheus.Counter
	reloads  *prometheus.CounterVec
	unlogged prometheus.Counter
}

// New returns the metrics of a service.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "monge_requests_total", Help: "Requests by how they ended; Unavailable are those turned away by a full queue."},
			[]string{"operation", "protocol", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "monge_request_seconds", Help: "From the last byte of a request to its answer, time in the queue included.",
			Buckets: prometheus.ExponentialBuckets(20e-6, 2, 20), NativeHistogramBucketFactor: 1.1,
		}, []string{"operation", "protocol"}),
		rejected: prometheus.NewCounter(prometheus.CounterOpts{Name: "monge_rejected_rows_total", Help: "Rows classified whose class was rejected."}),
		reloads:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "monge_reloads_total", Help: "Reloads of the model file."}, []string{"result"}),
		unlogged: prometheus.NewCounter(prometheus.CounterOpts{Name: "monge_log_errors_total", Help: "Lines of the log that could not be written."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.rejected, m.reloads, m.unlogged,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
			collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/cpu/classes/(gc/total|user|total|idle):cpu-seconds$|^/sched/(latencies|pauses).*:seconds$`)})))
	for _, result := range []string{"ok", "failed"} {
		m.reloads.WithLabelValues(result)
	}
	return m
}

// Watch adds what is read from the engine: its model, queues and solvers.
func (m *Metrics) Watch(e *engine.Engine) {
	gauge := func(name, help string, labels prometheus.Labels, value func() int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(value()) }))
	}
	solvers, work := e.QueueOf(engine.Transport), e.QueueOf(engine.Classify)
	gauge("monge_solvers", "Solvers in the pool.", nil, solvers.Slots)
	gauge("monge_solvers_busy", "Solvers at work.", nil, solvers.Busy)
	for label, q := range map[string]*engine.Queue{"transport": solvers, "work": work} {
		gauge("monge_queue_waiting", "Requests that wait.", prometheus.Labels{"queue": label}, q.Waiting)
	}
	gauge("monge_work_busy", "Requests to project or classify at work.", nil, work.Busy)
	m.registry.MustRegister(model{e})
}

// model is the gauge whose label is the hash of the model that answers.
type model struct{ e *engine.Engine }

var modelInfo = prometheus.NewDesc("monge_model_info", "1, with the hash of the model that answers.", []string{"hash"}, nil)

func (model) Describe(ch chan<- *prometheus.Desc) { ch <- modelInfo }

func (m model) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(modelInfo, prometheus.GaugeValue, 1, m.e.Info().Hash)
}

// Request counts a request that took so long.
func (m *Metrics) Request(op engine.Operation, protocol string, code codes.Code, took time.Duration) {
	m.requests.WithLabelValues(string(op), protocol, code.String()).Inc()
	m.seconds.WithLabelValues(string(op), protocol).Observe(took.Seconds())
}

// Classified counts the rejected among the classes.
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

// Handler answers Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Writer returns a writer to w for a log, which counts the lines that w does not take: on
// a full disk the service goes on, and says so here.
func (m *Metrics) Writer(w io.Writer) io.Writer { return counted{w, m.unlogged} }

type counted struct {
	io.Writer
	errors prometheus.Counter
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil {
		c.errors.Inc()
	}
	return n, err
}
