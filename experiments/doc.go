// Package experiments runs the experiments of the WDA paper (R. Flamary, M. Cuturi, N. Courty and
// A. Rakotomamonjy, "Wasserstein Discriminant Analysis", Machine Learning, 2018, arXiv:1608.08063).
// There is one experiment for every figure and table. A report shows the computed numbers and
// pictures together with the published numbers. The program in cmd/experiment is the command line
// of this package.
//
// An Experiment consists of cells: units of work such as one method on one draw of the data. Run
// computes the cells in parallel, each with its own seeds. Except for times, the measured values do
// not depend on the order of the cells or on the number of cells computed at a time. Run writes
//
//	NAME.csv              every measured value, one per row
//	NAME-FIGURE.png .svg  the pictures
//	NAME.html             a report in one file: pictures, tables, settings, builds,
//	                      machines, times, and which results of the paper reproduce
//	NAME.journal          the cells finished so far
//
// With the journal, an interrupted run can continue. The journal has one JSON object per line. The
// first line has the settings. Every run that computes cells adds a line with its time, build and
// machine, and then its cells.
//
// A cell is used again if its coordinates and the settings of its method are the same. The other
// inputs of a cell are compared with the journal first: sizes, seed, checksums of data files, revision
// of the experiment, and build. A difference is an error, because a report must not mix cells of
// different settings. The numbers of trials and methods may differ. A run with more trials or methods
// adds cells.
//
// The data files are not in the repository. Experiment.Data names the files. If a file is missing,
// a run leaves out the parts that need this file and reports the missing file.
//
// # Adding an experiment
//
// Declare an Experiment in a file of its own and add it to All. Its run function makes cells with
// newCell and passes the cells to job.compute. The run function then makes figures, tables,
// paragraphs and findings from the results with job.addFigure, job.addTable, job.addParagraph and
// job.addFinding. If Settings.Small is set, the run must take almost no time. Test the experiment
// with testExperiment.
package experiments
