// Package mongebeam runs the work of github.com/gomonge/monge on Apache Beam. The same pipelines run on
// Prism, the runner of Beam's Go SDK for one machine, in one process or in several, and on clusters with
// Flink or Dataflow.
//
//   - Transform and Classify project and classify a PCollection of vectors with a model of
//     package wda. Read and Write read and write files.
//   - Cluster is a wda.Executor: in the settings of wda.Fit, wda.Score and wda.CrossValidate it lets
//     Beam's workers do parts of the work. The results have the same bits.
//
// A program must call beam.Init() first: in a worker process, this call does not return. The program
// imports the packages of the runners and file systems that it needs, as cmd/monge-beam does.
package mongebeam
