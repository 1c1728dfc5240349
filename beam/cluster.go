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

// A Cluster is the workers of a Beam runner. It is a wda.Executor: in the settings of wda.Fit, wda.Score and
// wda.CrossValidate it lets the workers do the expensive parts. The results have the same bits as without
// it.
type Cluster struct {
	// Runner is the name of a runner for beam.Run: prism, prism-processes, flink or dataflow, for example.
	Runner string
	// Folder is a folder that this process and all workers can read and write, in any of Beam's file
	// systems: for Prism a folder of this machine, for other runners a path such as gs://bucket/folder.
	// Files of a pipeline are removed after its results have been read, if the file system can
	// remove files.
	Folder string
	// Lanes is the number of branches of a pipeline among which work is divided. Most runners divide
	// one branch among their workers. Prism does so only if an item takes long, and prism-processes
	// has one worker process for each branch. Default: GOMAXPROCS for prism and prism-processes, 1 for
	// others.
	Lanes int
	// Attempts is the largest number of pipelines that are tried for the same work. After an error the
	// next one does the items that have no result yet. Default: 3.
	Attempts int
	// Least is the number of multiplications, roughly, below which work stays in this process, because
	// every pipeline takes some time. Default: 2³⁰, which take half a second on one core.
	Least float64
	// Progress, if not nil, is called after every pipeline.
	Progress func(Pipeline)
}

// A Pipeline describes a pipeline for Cluster.Progress.
type Pipeline struct {
	Task           string
	Attempt        int   // 1 for the first
	Items, Results int   // those asked for, and those that it has brought
	BytesOut       int64 // what items share, once, and the items
	BytesIn        int64 // the results
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

// item is a piece of work.
type item struct {
	Index int
	Data  []byte
}

// Do implements wda.Executor. It runs a pipeline that leaves a file for every item in a folder of its own, and reads
// them. A file is named after its item and written whole or not at all, so that it does not
// matter who has written it, nor how often, and a job that has failed leaves what it had.
func (c *Cluster) Do(ctx context.Context, b *wda.Work) ([][]byte, error) {
	if c.Folder == "" {
		return nil, errors.New("mongebeam: Cluster.Folder is empty; name a folder that all workers can read and write")
	}
	shared := sum(b.Shared)
	w := work{Task: b.Task, Shared: c.Folder + "/" + shared, SHA256: shared, Out: c.Folder + "/" + newName()}
	err := writeFile(ctx, w.Shared, func(to io.Writer) error {
		_, err := to.Write(b.Shared)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer remove(ctx, w.Shared)
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
			renew()
		}
		asked := len(missing)
		var received int64
		left, e := w.collect(ctx, out, missing)
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

// run runs the pipeline for some items.
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
	for k, lane := range deal(b, items, lanes) {
		if lane == nil {
			continue
		}
		s := inScope(s, k)
		// What creates items and what does them would else be one bundle.
		waited(s, beam.ParDo(s, w, beam.Reshuffle(s, beam.CreateList(s, lane))))
	}
	_, err := beam.Run(ctx, c.Runner, p)
	return err
}

// deal divides items among lanes.
func deal(b *wda.Work, items []int, lanes int) [][]item {
	dealt := make([][]item, lanes)
	for k, i := range items {
		if b.Together > 1 && len(b.Items) >= lanes*b.Together {
			k = i / b.Together
		}
		dealt[k%lanes] = append(dealt[k%lanes], item{i, b.Items[i]})
	}
	return dealt
}

// inScope is the scope of a lane, by whose name prism-processes knows it.
func inScope(s beam.Scope, lane int) beam.Scope { return s.Scope(fmt.Sprintf("lane-%d", lane)) }

// waited has a collection KV<int, string> leave the stage that makes it. Prism 2.77 waits for
// the outputs of a stage; for one that has none, as whatever only writes files, its
// stage.Execute takes a core in a loop until the stage is done.
func waited(s beam.Scope, files beam.PCollection) { beam.GroupByKey(s, files) }

// collect reads the results of items, and returns the numbers of those that have none.
func (w *work) collect(ctx context.Context, out [][]byte, items []int) (missing []int, err error) {
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
	places := make(chan struct{}, 16) // a store of objects takes its time for each
	for k, i := range items {
		name := w.result(i)
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
			if digest, rest, ok := bytes.Cut(data, []byte("\n")); ok && string(digest) == sum(rest) {
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
		remove(ctx, w.Out)
	}
	return missing, errors.Join(errs...)
}

// remove removes a file, or an empty folder, where the file system can.
func remove(ctx context.Context, path string) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return
	}
	defer fs.Close()
	if r, ok := fs.(filesystem.Remover); ok {
		r.Remove(ctx, path)
	}
}

// doer does one item.
type doer = func(ctx context.Context, item []byte) ([]byte, error)

// openWork returns the doer of a task. Tests have tasks of their own.
var openWork = wda.OpenWork

// work is the DoFn that does items.
type work struct {
	Task, Shared, SHA256, Out, Epoch string

	do doer
}

func (w *work) result(i int) string { return fmt.Sprintf("%s/%d.result", w.Out, i) }

// epoch is another one after every pipeline that failed. The contexts of its bundles have
// ended in the middle of what they do, of which a doer may keep something for other items, as
// an error: what is opened in an epoch is not for the next.
var epoch atomic.Pointer[string]

func init() { renew() }

func renew() {
	name := newName()
	epoch.Store(&name)
}

// opened is the doer of what items share, in this process.
type opened struct {
	once sync.Once
	do   doer
	err  error
}

// last is that of the last pipeline of every task: bundles of one share it, and a
// pipeline that shares the same bytes again.
var last struct {
	sync.Mutex
	of map[string]*opened
	by map[string]string // SHA-256 and epoch
}

// Setup makes what items share ready, unless the process has it.
func (w *work) Setup(ctx context.Context) error {
	last.Lock()
	if last.of == nil {
		last.of, last.by = map[string]*opened{}, map[string]string{}
	}
	if by := w.SHA256 + w.Epoch; last.by[w.Task] != by {
		last.of[w.Task], last.by[w.Task] = new(opened), by
	}
	o := last.of[w.Task]
	last.Unlock()
	o.once.Do(func() {
		var shared []byte
		if shared, o.err = readSummed(ctx, w.Shared, w.SHA256); o.err == nil {
			o.do, o.err = openWork(ctx, w.Task, shared)
		}
	})
	if o.err != nil {
		last.Lock()
		if last.of[w.Task] == o {
			delete(last.of, w.Task)
			delete(last.by, w.Task)
		}
		last.Unlock()
	}
	w.do = o.do
	return o.err
}

// ProcessElement does an item, and returns the name of its file.
func (w *work) ProcessElement(ctx context.Context, i item) (int, string, error) {
	name := w.result(i.Index)
	result, err := w.do(ctx, i.Data)
	if err != nil {
		return 0, "", fmt.Errorf("%s, item %d: %w", w.Task, i.Index, err)
	}
	return i.Index, name, writeFile(ctx, name, func(to io.Writer) error {
		if _, err := io.WriteString(to, sum(result)+"\n"); err != nil {
			return err
		}
		_, err := to.Write(result)
		return err
	})
}
