// Package experiments runs the experiments of the WDA paper (R. Flamary, M. Cuturi,
// N. Courty and A. Rakotomamonjy, "Wasserstein Discriminant Analysis", Machine
// Learning, 2018, arXiv:1608.08063), one for every figure and table, and reports
// numbers and pictures beside what was published.
//
// An Experiment lists cells: units of work such as one method on one draw of the data.
// Run computes them in parallel, each from seeds of its own, so that nothing measured but
// times depends on how many run at once or in which order; from all of them it
// writes
//
//	NAME.csv              every value measured, one a row
//	NAME-FIGURE.png .svg  the pictures
//	NAME.html             all of it in one file: pictures, tables, settings, builds,
//	                      machines, times, and what reproduces and what does not
//	NAME.journal          the cells finished so far
//
// The journal makes a run resumable. It holds JSON lines: the settings, then for each
// run that computed cells when, by which build and on which machine, then those cells. A
// cell is used again if its coordinates and the settings of its method are the same;
// everything else that it depends on (sizes, seed, data files by checksum, revision of
// the experiment, build) is compared with the journal first, and a difference is an
// error, so that cells of different settings never stand in one report unseen.
// Trials and methods are no such difference: a run with more of them adds cells.
//
// Data come from files that the module does not carry. What needs a file that is not
// there is left out and said to be; Experiment.Data names the files.
//
// # Adding an experiment
//
// A file declares an Experiment, which All lists. Its run function makes cells with
// newCell, hands them to job.compute, and draws on the results it returns for
// job.figure, job.table, job.say and job.found. It must do something sensible in no time
// if Settings.Small, for its test, which is testExperiment.
package experiments
