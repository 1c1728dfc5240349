// Package mongebeam does the work of github.com/gomonge/monge on Apache Beam: on Prism, the
// runner of the Go SDK for one machine, in this process or in several, and with the same
// pipelines on Flink or Dataflow.
//
//   - Transform and Classify project and classify a PCollection of vectors with a model of
//     package wda; Read and Write are their files.
//   - Cluster is a wda.Executor: in their settings it has wda.Score, wda.Fit and
//     wda.CrossValidate do parts of their work on the workers of Beam, with the same results.
//
// A program calls beam.Init() first, as a worker process never comes back from there, and
// imports the packages of the runner it wants, and of the file systems, as cmd/monge-beam does.
package mongebeam
