// Package mongebeam runs github.com/gomonge/monge on Apache Beam. The same pipelines run on Prism,
// the runner of Beam's Go SDK for one machine, in one process or several, and on clusters with
// Flink or Dataflow.
//
//   - Transform and Classify project and classify a PCollection of vectors with a model of
//     package wda. Read and Write read and write files.
//   - Cluster is a wda.Executor: set it in the settings of wda.Fit, wda.Score and
//     wda.CrossValidate to run parts of the work on Beam's workers. The results have the same
//     bits as without it.
//
// A program must first call beam.Init(), which does not return in a worker process. The program
// imports the packages of the runners and file systems that it needs, as cmd/monge-beam does.
package mongebeam
