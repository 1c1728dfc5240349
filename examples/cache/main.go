// Command cache shows a semantic cache: a service that stores the embeddings of 100 000 questions,
// each with an answer, and finds the stored question that is most similar to a new question. If the
// similarity is high enough, the service returns the stored answer. Otherwise it asks a slower
// service and stores the new answer.
//
//	go run ./examples/cache                          # simulated embeddings of 384 numbers
//	go run ./examples/cache --data banking77.npz     # your own: arrays X, y and optionally split
//
// To use the cache in your program, copy the type Cache in cache.go. This file measures the cache
// with whole embeddings and with a projection by WDA. In the WDA fit, the answers are the classes.
//
// A fifth of the answers is held out. No question with a held-out answer is stored, so the cache
// should not answer such questions. One half of the questions with a held-out answer sets the
// threshold of the score: the fraction --wrong of these questions may be answered. The columns of
// the printed table are measured on the other half, and on test questions with a stored answer:
//
//   - right and wrong: the percentages of questions with a stored answer that get the right or a
//     wrong answer
//   - foreign: the percentage of questions with a held-out answer that are answered
//   - MB: the memory of the stored numbers
//   - the time of a lookup on one core: the median and the 99th percentile
//
// In the simulated data, the questions with the same answer have three wordings. The questions also
// differ in style, along directions that are the same for all answers. The projection removes these
// directions and is therefore more accurate than whole embeddings. With real embeddings, the
// projection may gain less or nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cache:", err)
		os.Exit(1)
	}
}

// questions are embeddings, one per row, with their answers.
type questions struct {
	x       dist.Matrix[float32]
	answers []int
}

// rows returns the questions with the given row indices.
func (q questions) rows(rows []int) questions {
	p := questions{dist.NewMatrix[float32](len(rows), q.x.Cols, nil), make([]int, len(rows))}
	for i, row := range rows {
		copy(p.x.Row(i), q.x.Row(row))
		p.answers[i] = q.answers[row]
	}
	return p
}

func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("cache", flag.ExitOnError)
	data := fs.String("data", "", "file of embeddings and answers; without one they are simulated")
	n := fs.Int("n", 100_000, "simulated questions that are stored")
	d := fs.Int("d", 384, "numbers of a simulated embedding")
	answers := fs.Int("answers", 100, "simulated answers of the stored questions")
	asked := fs.Int("asked", 1000, "questions that are asked, at most")
	p := fs.Int("p", 16, "components of the projection")
	groups := fs.Int("groups", 3, "groups that are searched, where that is not all")
	fitted := fs.Int("fit", 2000, "questions that the projection is fitted to, at most")
	wrong := fs.Float64("wrong", 0.01, "share of foreign questions that may be answered")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var stored, known, foreign questions
	if *data == "" {
		if *answers < 4 || *n < 3**answers || *d < 2 || *asked < 40 {
			return fmt.Errorf("-answers %d, -n %d, -d %d, -asked %d: at least 4, three times as many, 2 and 40 are needed", *answers, *n, *d, *asked)
		}
		stored, known, foreign = simulateQuestions(*n, *d, *answers, *asked)
	} else {
		var err error
		if stored, known, foreign, err = readQuestions(*data, *asked); err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
	}
	fmt.Fprintf(out, "fitting a projection to %d of %d questions …\n", min(*fitted, stored.x.Rows), stored.x.Rows)
	model, took, err := fitProjection(ctx, stored, *fitted, *p)
	if err != nil {
		return err
	}
	half := foreign.x.Rows / 2
	fmt.Fprintf(out, `%d stored questions of %d numbers; a projection to %d components, fitted in %.1f s

right, wrong  shares of %d questions whose answer is stored that get it, or another one
foreign       share of %d questions without a stored answer that get one all the same. The limit of
              similarity was set by %d others, of which a share of %g gets one
MB, µs        memory of the stored numbers; time of a lookup on one core, the median and the 99th percentile

`, stored.x.Rows, stored.x.Cols, *p, took.Seconds(), known.x.Rows, foreign.x.Rows-half, half, *wrong)
	fmt.Fprintln(out, "| compared | right % | wrong % | foreign % | MB | median, µs | 99 %, µs |\n|---|---|---|---|---|---|---|")
	for _, way := range []struct {
		name string
		o    Options
	}{
		{"all numbers, float32", Options{}},
		{"all numbers, int8", Options{Storage: search.StorageInt8}},
		{"projection", Options{Model: model}},
		{fmt.Sprintf("all numbers, float32, of %d groups", *groups), Options{Groups: *groups}},
		{fmt.Sprintf("projection, of %d groups", *groups), Options{Model: model, Groups: *groups}},
	} {
		c, err := NewCache(stored.x, stored.answers, way.o)
		if err != nil {
			return err
		}
		if err := measure(ctx, out, way.name, c, known, foreign, *wrong); err != nil {
			return err
		}
	}
	return nil
}

// fitProjection fits a projection with p components to a random sample of at most rows stored
// questions. It leaves out every answer that has only one question in the sample.
func fitProjection(ctx context.Context, stored questions, rows, p int) (*wda.Model, time.Duration, error) {
	order := rand.New(rand.NewPCG(1, 1)).Perm(stored.x.Rows)
	order = order[:min(rows, len(order))]
	count := map[int]int{}
	for _, i := range order {
		count[stored.answers[i]]++
	}
	some := stored.rows(slices.DeleteFunc(order, func(i int) bool { return count[stored.answers[i]] < 2 }))
	x := mat.NewDense(some.x.Rows, some.x.Cols, nil)
	row := make([]float32, some.x.Cols)
	for i := range some.x.Rows {
		normalize(row, some.x.Row(i))
		for j, v := range row {
			x.Set(i, j, float64(v))
		}
	}
	start := time.Now()
	model, err := wda.Fit(ctx, x, some.answers, &wda.Settings{Components: p})
	return model, time.Since(start), err
}

// measure prints the table row of a cache.
func measure(ctx context.Context, out io.Writer, name string, c *Cache, known, foreign questions, rate float64) error {
	ask := func(q questions) (found []Found, took []time.Duration, err error) {
		for i := range q.x.Rows {
			start := time.Now()
			f, err := c.Lookup(ctx, q.x.Row(i))
			if err != nil {
				return nil, nil, err
			}
			found, took = append(found, f), append(took, time.Since(start))
		}
		return found, took, nil
	}
	foundKnown, took, err := ask(known)
	if err != nil {
		return err
	}
	foundForeign, more, err := ask(foreign)
	if err != nil {
		return err
	}
	// Compute the threshold from the first half of foundForeign, whose answers are not stored.
	half := len(foundForeign) / 2
	scores := make([]float64, half)
	for i, f := range foundForeign[:half] {
		scores[i] = float64(f.Score)
	}
	slices.Sort(scores)
	limit := scores[half-1-int(rate*float64(half))]
	var right, wrong, answered int
	for i, f := range foundKnown {
		switch {
		case float64(f.Score) <= limit:
		case f.Answer == known.answers[i]:
			right++
		default:
			wrong++
		}
	}
	for _, f := range foundForeign[half:] {
		if float64(f.Score) > limit {
			answered++
		}
	}
	took = append(took, more...)
	slices.Sort(took)
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	micro := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	_, err = fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f |\n", name,
		percent(right, len(foundKnown)), percent(wrong, len(foundKnown)), percent(answered, len(foundForeign)-half),
		float64(c.Bytes())/1e6, micro(took[len(took)/2]), micro(took[len(took)*99/100]))
	return err
}

const (
	wordings = 3
	meaning  = 48 // number of directions whose coefficients depend on the answer and on the wording of the question
	styles   = 48 // number of directions whose coefficients are random for every question
)

// simulateQuestions returns n stored questions with the given number of different answers. It also
// returns test questions: four fifths with stored answers (known) and one fifth with other answers
// (foreign).
func simulateQuestions(n, d, answers, asked int) (stored, known, foreign questions) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(rows, cols int, scale float64) dist.Matrix[float32] {
		m := dist.NewMatrix[float32](rows, cols, nil)
		for i := range m.Data {
			m.Data[i] = float32(scale * rng.NormFloat64())
		}
		return m
	}
	length := 1 / math.Sqrt(float64(d))
	directions := normal(meaning+styles, d, length)
	of, wording := normal(answers*5/4, meaning, 1), normal(answers*5/4*wordings, meaning, 0.5)
	// draw returns the given number of questions (rows). Their answers are numbered from first to
	// first + count − 1.
	draw := func(rows, first, count int) questions {
		latent, x, to := normal(rows, meaning+styles, 1), normal(rows, d, 2*length), make([]int, rows)
		for i := range rows {
			to[i] = first + i%count
			row := latent.Row(i)
			w := wording.Row(to[i]*wordings + rng.IntN(wordings))
			for j, v := range of.Row(to[i]) {
				row[j] = v + w[j] + 0.3*row[j]
			}
			for j := range styles {
				row[meaning+j] *= 1.5
			}
		}
		whole := dist.NewMatrix[float32](rows, d, nil)
		dist.Project(whole, latent, directions, nil)
		for i, v := range whole.Data {
			x.Data[i] += v
		}
		return questions{x, to}
	}
	return draw(n, 0, answers), draw(asked-asked/5, 0, answers), draw(asked/5, answers, answers/4)
}

// readQuestions returns the questions of a file. It holds out a fifth of the answers.
func readQuestions(name string, asked int) (stored, known, foreign questions, err error) {
	d, err := dataset.ReadFile(name, nil)
	if err != nil {
		return stored, known, foreign, err
	}
	if d.Labels == nil {
		return stored, known, foreign, errors.New("no answers: the array y is needed")
	}
	n, cols := d.X.Dims()
	all := questions{dist.NewMatrix[float32](n, cols, nil), d.Labels}
	for i := range n {
		for j, v := range d.X.RawRowView(i) {
			all.x.Set(i, j, float32(v))
		}
	}
	held := func(answer int) bool { return answer%5 == 4 }
	var rows [3][]int
	for _, i := range rand.New(rand.NewPCG(1, 3)).Perm(n) {
		test := i%5 == 0
		if d.Split != nil {
			test = d.Split[i] != d.Split[0]
		}
		switch {
		case held(d.Labels[i]) && (test || d.Split == nil):
			rows[2] = append(rows[2], i)
		case test:
			rows[1] = append(rows[1], i)
		case !held(d.Labels[i]):
			rows[0] = append(rows[0], i)
		}
	}
	if len(rows[0]) == 0 || len(rows[1]) == 0 || len(rows[2]) < 2 {
		return stored, known, foreign, fmt.Errorf("%d stored, %d known and %d foreign questions: too few", len(rows[0]), len(rows[1]), len(rows[2]))
	}
	rows[1], rows[2] = rows[1][:min(len(rows[1]), asked)], rows[2][:min(len(rows[2]), asked)]
	return all.rows(rows[0]), all.rows(rows[1]), all.rows(rows[2]), nil
}
