package dataset_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/gomonge/monge/wda/dataset"
)

const wine = `alcohol,ash,cultivar
14.2,2.4,barolo
13.1,2.1,barolo
12.4,1.7,grignolino
12.3,2.2,grignolino
`

// Collect reads samples from a source that is not a file.
func ExampleCollect() {
	r, err := dataset.NewReader(strings.NewReader(wine), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	d, err := dataset.Collect(func() (*dataset.Block, error) { return r.Next(1000) }, nil)
	if err != nil {
		log.Fatal(err)
	}
	n, features := d.X.Dims()
	fmt.Println(n, features, d.Classes, d.Labels)
	train, test, err := d.TrainTest(0.5, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.Counts(), test.Counts())
	// Output:
	// 4 2 [barolo grignolino] [0 0 1 1]
	// [1 1] [1 1]
}

// A Reader reads a file of any length in blocks of rows, in constant memory.
func ExampleNewReader() {
	r, err := dataset.NewReader(strings.NewReader(wine), &dataset.Options{Labels: dataset.LabelName("cultivar")})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next(3)
		if err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		rows, _ := b.X.Dims()
		fmt.Println(b.First, rows, b.Labels)
	}
	// Output:
	// 0 3 [barolo barolo grignolino]
	// 3 1 [grignolino]
}

// A FileError contains the row and the column. errors.Is distinguishes causes, such as ErrFormat
// and wda.ErrNotFinite.
func ExampleFileError() {
	r, err := dataset.NewReader(strings.NewReader(wine+"12.9,?,barolo\n"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	_, err = r.Next(1000)
	fmt.Println(err)
	fe, _ := errors.AsType[*dataset.FileError](err)
	fmt.Println(errors.Is(err, dataset.ErrFormat), fe.Row, fe.Name)
	// Output:
	// row 6, column 2 (ash): "?" is not a number
	// false 6 ash
}

func ExampleSimulation() {
	d := dataset.Simulation{Circles: true, NoiseDims: 1, Seed: 1}.Generate(300)
	n, features := d.X.Dims()
	fmt.Println(n, features, d.Counts())
	// Output: 300 3 [100 100 100]
}
