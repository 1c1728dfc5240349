// Package mongebeam runs github.com/gomonge/monge on Apache Beam. Prism, the runner of Beam's Go
// SDK for one machine, runs the pipelines in one process or several. Flink and Dataflow run the
// same pipelines on clusters.
//
//   - Transform and Classify project and classify a PCollection of vectors with a model of
//     package wda. Read and Write read and write files.
//   - Cluster is a wda.Executor: set it in the settings of wda.Fit, wda.Score and
//     wda.CrossValidate to run parts of the work on Beam's workers. The results are bit-identical
//     with and without a Cluster.
//
// A program must first call beam.Init(), which does not return in a worker process. The program
// imports the packages of the runners and file systems that it needs, as cmd/monge-beam does.
package mongebeam
