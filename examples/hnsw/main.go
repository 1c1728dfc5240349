//go:build !windows

// Command hnsw uses the functions of package vecmath as distances of an approximate index,
// github.com/coder/hnsw. It builds the index twice from the same vectors, once with the distance
// functions of package hnsw and once with those of package vecmath, and measures both indexes.
//
//	go run ./hnsw                 # in the folder examples
//	go run ./hnsw -n 20000 -d 768
//
// Recall is the fraction of the true nearest vectors that the index finds. The true nearest vectors
// are found by comparing all vectors. Recall depends on the index, not on the implementation of the
// distances. To use the distances of package vecmath in your program, copy the variable distances.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"slices"
	"time"

	"github.com/coder/hnsw"
	"github.com/gomonge/monge/vecmath"
)

// distances contains the distance functions of package hnsw and their replacements. An index only
// compares distances, so the squared distance can replace the distance.
var distances = []struct {
	name         string
	theirs, ours hnsw.DistanceFunc
}{
	{"cosine", hnsw.CosineDistance, func(a, b []float32) float32 { return 1 - vecmath.CosineSimilarity(a, b) }},
	{"Euclidean", hnsw.EuclideanDistance, vecmath.SqEuclidean[float32]},
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "hnsw:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("hnsw", flag.ContinueOnError)
	n := flags.Int("n", 3000, "number of stored vectors")
	d := flags.Int("d", 384, "number of elements of a vector")
	queries := flags.Int("queries", 200, "number of searches")
	k := flags.Int("k", 10, "number of vectors that a search returns")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *n < 1 || *d < 1 || *queries < 1 || *k < 1 || *k > *n {
		return fmt.Errorf("-n, -d, -queries and -k must be positive, and k at most n")
	}
	rng := rand.New(rand.NewSource(1))
	directions := drawVectors(rng, 12, *d, nil)
	rows, asked := drawVectors(rng, *n, *d, directions), drawVectors(rng, *queries, *d, directions)

	fmt.Fprintf(out, "%d vectors of %d numbers, %d searches for %d\n\n", *n, *d, *queries, *k)
	fmt.Fprintln(out, "| distance | by | build, s | search, µs | recall |\n|---|---|---|---|---|")
	for _, distance := range distances {
		truth := exactNeighbors(distance.ours, rows, asked, *k)
		for _, by := range []struct {
			name string
			f    hnsw.DistanceFunc
		}{{"coder/hnsw", distance.theirs}, {"vecmath", distance.ours}} {
			graph := hnsw.NewGraph[int]()
			graph.Distance, graph.M, graph.EfSearch, graph.Rng = by.f, 32, 100, rand.New(rand.NewSource(2))
			start := time.Now()
			for i, row := range rows {
				graph.Add(hnsw.MakeNode(i, row))
			}
			built := time.Since(start)
			found := 0
			start = time.Now()
			for q, query := range asked {
				for _, node := range graph.Search(query, *k) {
					if slices.Contains(truth[q], node.Key) {
						found++
					}
				}
			}
			searched := time.Since(start)
			fmt.Fprintf(out, "| %s | %s | %.2f | %.0f | %.3f |\n", distance.name, by.name, built.Seconds(),
				float64(searched.Microseconds())/float64(*queries), float64(found)/float64(*queries**k))
		}
	}
	return nil
}

// exactNeighbors returns the k nearest rows of each query.
func exactNeighbors(distance hnsw.DistanceFunc, rows, asked [][]float32, k int) [][]int {
	nearest := make([][]int, len(asked))
	closeness := make([]float32, len(rows))
	for q, query := range asked {
		for i, row := range rows {
			closeness[i] = -distance(query, row)
		}
		nearest[q] = vecmath.TopK(nil, closeness, k)
	}
	return nearest
}

// drawVectors draws n vectors of d numbers: random linear combinations of the given directions,
// plus noise. Like embeddings, the vectors lie close to a space with fewer than d dimensions.
func drawVectors(rng *rand.Rand, n, d int, directions [][]float32) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, d)
		for j := range out[i] {
			out[i][j] = float32(rng.NormFloat64()) / 4
		}
		for _, direction := range directions {
			vecmath.AddScaled(out[i], float32(rng.NormFloat64()), direction)
		}
	}
	return out
}
