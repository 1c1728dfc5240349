// Command simulate writes simulated samples with their classes as CSV. The first two features
// separate the classes; the others are noise.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"github.com/gomonge/monge/wda/dataset"
)

func main() {
	rows := flag.Int("rows", 1000, "samples")
	features := flag.Int("features", 10, "features, 3 or more")
	classes := flag.Int("classes", 3, "classes")
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if *rows < 1 || *features < 3 || *classes < 2 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	d := dataset.Simulation{Classes: *classes, NoiseDims: *features - 2, Seed: *seed}.Generate(*rows)
	out := bufio.NewWriter(os.Stdout)
	for i, label := range d.Labels {
		for _, v := range d.X.RawRowView(i) {
			fmt.Fprintf(out, "%v,", v)
		}
		fmt.Fprintln(out, d.Classes[label])
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}
