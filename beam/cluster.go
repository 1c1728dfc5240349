package mongebeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/gomonge/monge/wda"
)

func init() {
	beam.RegisterType(reflect.TypeFor[*work]())
	beam.RegisterType(reflect.TypeFor[item]())
}

// Cluster is a wda.Executor that distributes work to the workers of a Beam runner. Set a Cluster in
// the settings of wda.Fit, wda.Score and wda.CrossValidate to run the expensive parts of these
// functions on the workers. The results are bit-identical with and without a Cluster.
type Cluster struct {
	// Runner is the name of a runner for beam.Run, for example prism, prism-processes, flink or
	// dataflow.
	Runner string
	// Folder is a folder that this process and all workers can read and write, in any of Beam's
	// file systems: a folder of this machine for Prism, or a path such as gs://bucket/folder for
	// other runners. The files of a pipeline are removed after its results have been read, if the
	// file system can remove files.
	Folder string
	// Lanes is the number of branches into which the work of a pipeline is divided. Most runners
	// divide a single branch among their workers, so one lane is enough. Prism divides a branch
	// only if items take long, and prism-processes has one worker process for each branch. Default:
	// GOMAXPROCS for prism and prism-processes, 1 for other runners.
	Lanes int
	// Attempts is the maximum number of pipelines that one call of Do runs. After an error, the next
	// pipeline repeats only the items that have no result. Default: 3.
	Attempts int
	// Least is the approximate minimum number of multiplications for which a pipeline is worthwhile.
	// Smaller computations run in the calling process, because starting a pipeline takes time.
	// Default: 2³⁰ multiplications, which take half a second on one core.
	Least float64
	// Progress, if not nil, is called after every pipeline.
	Progress func(Pipeline)
}

// A Pipeline describes a finished pipeline. Cluster passes a Pipeline to its Progress function.
type Pipeline struct {
	Task           string
	Attempt        int   // 1 for the first attempt
	Items, Results int   // number of requested items and of received results
	BytesOut       int64 // total size of the items, plus the size of the shared data in the first attempt
	BytesIn        int64 // total size of the received results
	Err            error
}

// Worth implements wda.Executor.
func (c *Cluster) Worth(multiplications float64) bool {
	least := c.Least
	if least == 0 {
		least = 1 << 30
	}
	return multiplications >= least
}

// item is an element of wda.Work.Items with its index.
type item struct {
	Index int
	Data  []byte
}

// Do implements wda.Executor. It runs a pipeline that writes one result file for each item to a new
// folder. Then it reads the files. A file is named after its item and is written completely or not
// at all. Therefore several workers may process the same item, and the finished results of a failed
// job can be used.
func (c *Cluster) Do(ctx context.Context, b *wda.Work) ([][]byte, error) {
	if c.Folder == "" {
		return nil, errors.New("mongebeam: Cluster.Folder is empty; name a folder that all workers can read and write")
	}
	shared := hexSHA256(b.Shared)
	w := work{Task: b.Task, Shared: c.Folder + "/" + shared, SHA256: shared, Out: c.Folder + "/" + uniqueName()}
	err := writeFile(ctx, w.Shared, func(to io.Writer) error {
		_, err := to.Write(b.Shared)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer removePath(ctx, w.Shared)
	out := make([][]byte, len(b.Items))
	missing := make([]int, len(b.Items))
	for i := range missing {
		missing[i] = i
	}
	attempts := c.Attempts
	if attempts == 0 {
		attempts = 3
	}
	sent := int64(len(b.Shared))
	for attempt := 1; ; attempt++ {
		for _, i := range missing {
			sent += int64(len(b.Items[i]))
		}
		w.Epoch = *epoch.Load()
		err := c.run(ctx, &w, b, missing)
		if err != nil {
			renewEpoch()
		}
		asked := len(missing)
		var received int64
		left, e := w.readResults(ctx, out, missing)
		for _, i := range missing {
			received += int64(len(out[i]))
		}
		missing = left
		if err == nil {
			err = e
		}
		if c.Progress != nil {
			c.Progress(Pipeline{Task: b.Task, Items: asked, Results: asked - len(missing), BytesOut: sent, BytesIn: received, Err: err, Attempt: attempt})
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case len(missing) == 0:
			return out, nil
		case attempt >= attempts && err != nil:
			return nil, err
		case attempt >= attempts:
			return nil, fmt.Errorf("mongebeam: %d of %d items have no result in %s", len(missing), len(b.Items), w.Out)
		}
		sent = 0
	}
}

// run runs a pipeline for the given items.
func (c *Cluster) run(ctx context.Context, w *work, b *wda.Work, items []int) error {
	lanes := c.Lanes
	if lanes == 0 {
		lanes = 1
		if strings.HasPrefix(strings.ToLower(c.Runner), "prism") {
			lanes = runtime.GOMAXPROCS(0)
		}
	}
	lanes = min(lanes, len(items))
	p, s := beam.NewPipelineWithRoot()
	for k, lane := range dealItems(b, items, lanes) {
		if lane == nil {
			continue
		}
		s := laneScope(s, k)
		// Reshuffle prevents Beam from putting the creation of the items and the work on the items
		// into one bundle.
		consumeFiles(s, beam.ParDo(s, w, beam.Reshuffle(s, beam.CreateList(s, lane))))
	}
	_, err := beam.Run(ctx, c.Runner, p)
	return err
}

// dealItems divides items among lanes, which are parallel branches of a pipeline.
func dealItems(b *wda.Work, items []int, lanes int) [][]item {
	dealt := make([][]item, lanes)
	for k, i := range items {
		if b.Together > 1 && len(b.Items) >= lanes*b.Together {
			k = i / b.Together
		}
		dealt[k%lanes] = append(dealt[k%lanes], item{i, b.Items[i]})
	}
	return dealt
}

// laneScope returns the scope of a lane. The runner prism-processes recognizes a lane by the name
// of its scope.
func laneScope(s beam.Scope, lane int) beam.Scope { return s.Scope(fmt.Sprintf("lane-%d", lane)) }

// consumeFiles adds a consumer for a collection KV<int, string>. Prism 2.77 waits for the outputs
// of a stage. If no transform consumes the outputs, for example because a stage only writes files,
// stage.Execute spins on one core until the stage is done.
func consumeFiles(s beam.Scope, files beam.PCollection) { beam.GroupByKey(s, files) }

// readResults reads the results of items and returns the indices of the items without a result.
func (w *work) readResults(ctx context.Context, out [][]byte, items []int) (missing []int, err error) {
	fs, err := filesystem.New(ctx, w.Out)
	if err != nil {
		return items, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, w.Out+"/*.result")
	if err != nil {
		return items, err
	}
	there := map[string]bool{}
	for _, n := range names {
		there[path.Base(n)] = true
	}
	errs := make([]error, len(items))
	var wg sync.WaitGroup
	places := make(chan struct{}, 16) // limits parallel reads; parallel reads hide the latency of an object store
	for k, i := range items {
		name := w.resultPath(i)
		if !there[path.Base(name)] {
			continue
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			data, err := readAll(ctx, name)
			if errs[k] = err; err != nil {
				return
			}
			if digest, rest, ok := bytes.Cut(data, []byte("\n")); ok && string(digest) == hexSHA256(rest) {
				out[i] = rest
			} else {
				errs[k] = fmt.Errorf("%s: the result is damaged: its SHA-256 is wrong", name)
			}
			if r, ok := fs.(filesystem.Remover); ok {
				r.Remove(ctx, name)
			}
		})
	}
	wg.Wait()
	for _, i := range items {
		if out[i] == nil {
			missing = append(missing, i)
		}
	}
	if missing == nil {
		removePath(ctx, w.Out)
	}
	return missing, errors.Join(errs...)
}

// removePath removes a file or an empty folder if the file system can remove files.
func removePath(ctx context.Context, path string) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return
	}
	defer fs.Close()
	if r, ok := fs.(filesystem.Remover); ok {
		r.Remove(ctx, path)
	}
}

// itemFunc computes one item.
type itemFunc = func(ctx context.Context, item []byte) ([]byte, error)

// openWork returns the itemFunc of a task. Tests replace openWork to add tasks.
var openWork = wda.OpenWork

// work is the DoFn that computes items.
type work struct {
	Task, Shared, SHA256, Out, Epoch string

	do itemFunc
}

func (w *work) resultPath(i int) string { return fmt.Sprintf("%s/%d.result", w.Out, i) }

// epoch changes after every failed pipeline. When a pipeline fails, the contexts of its bundles
// end. An interrupted itemFunc may have stored an error that affects other items. Therefore an
// itemFunc opened in one epoch is not used in the next epoch.
var epoch atomic.Pointer[string]

func init() { renewEpoch() }

func renewEpoch() {
	name := uniqueName()
	epoch.Store(&name)
}

// openedTask holds the itemFunc of a task. The process opens the task only once.
type openedTask struct {
	once sync.Once
	do   itemFunc
	err  error
}

// lastOpened contains the latest openedTask of each task in this process. Bundles of this and of
// later pipelines use this openedTask as long as the shared data and the epoch stay the same.
var lastOpened struct {
	sync.Mutex
	of map[string]*openedTask
	by map[string]string // SHA-256 and epoch
}

// Setup opens the shared data unless this process has already opened the same data.
func (w *work) Setup(ctx context.Context) error {
	lastOpened.Lock()
	if lastOpened.of == nil {
		lastOpened.of, lastOpened.by = map[string]*openedTask{}, map[string]string{}
	}
	if by := w.SHA256 + w.Epoch; lastOpened.by[w.Task] != by {
		lastOpened.of[w.Task], lastOpened.by[w.Task] = new(openedTask), by
	}
	o := lastOpened.of[w.Task]
	lastOpened.Unlock()
	o.once.Do(func() {
		var shared []byte
		if shared, o.err = readVerified(ctx, w.Shared, w.SHA256); o.err == nil {
			o.do, o.err = openWork(ctx, w.Task, shared)
		}
	})
	if o.err != nil {
		lastOpened.Lock()
		if lastOpened.of[w.Task] == o {
			delete(lastOpened.of, w.Task)
			delete(lastOpened.by, w.Task)
		}
		lastOpened.Unlock()
	}
	w.do = o.do
	return o.err
}

// ProcessElement computes an item and writes the result to a file. It returns the index of the item and
// the name of the file.
func (w *work) ProcessElement(ctx context.Context, i item) (int, string, error) {
	name := w.resultPath(i.Index)
	result, err := w.do(ctx, i.Data)
	if err != nil {
		return 0, "", fmt.Errorf("%s, item %d: %w", w.Task, i.Index, err)
	}
	return i.Index, name, writeFile(ctx, name, func(to io.Writer) error {
		if _, err := io.WriteString(to, hexSHA256(result)+"\n"); err != nil {
			return err
		}
		_, err := to.Write(result)
		return err
	})
}
