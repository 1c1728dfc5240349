// Package dataset reads samples with labels from files, makes simulated samples, and draws samples,
// splits and folds. It does not depend on a method that uses the data.
//
// Rows are samples and columns are features.
//
//   - ReadFile reads a file into a Dataset in memory.
//   - Open and NewReader read a file or a stream in blocks of rows, in bounded memory. Reader.Rows leaves
//     the samples in their file.
//   - Simulation makes the simulated data of the WDA paper.
//   - Sample, TrainTest and Folds of a Dataset draw rows at random, with equal shares of every class.
//
// # Formats
//
//   - CSV is comma-separated text as in RFC 4180, with one sample per record. Spaces around fields, blank
//     lines and a byte order mark are ignored. Every field but the label must be a finite decimal number.
//   - NPY is one NumPy array of two dimensions, without labels. The elements may be boolean, integer,
//     float16, float32 or float64, of either byte order, in C or Fortran order. Integers beyond 2⁵³ are rounded.
//   - NPZ is a zip file of such arrays: X (n × d), y (the labels: n numbers or strings) and split (n
//     integers). y and split may be absent.
//   - IDX is the format of MNIST, without labels. The first dimension counts the samples, the others become
//     one row each: images of 28 × 28 pixels give 784 columns.
//   - JSON lines are text with one JSON object per sample, whose keys are the columns. The first 100 lines
//     have every key. A column of lists has one feature per element. A key that an object lacks is null.
//   - Parquet and Arrow files are read by programs that import package wda/dataset/columnar, which brings the
//     large libraries for these formats. The commands monge and monge-beam do. In other programs the error
//     matches ErrFormat.
//
// All but NPZ, Parquet and Arrow may be gzip-compressed.
//
// # Tables
//
// Options.Columns, Drop and ID choose columns. A Schema says how the columns of a table became the
// features of a model, with what takes the place of missing values and the categories of columns of text.
// With Options.Schema, another table is read in the same way, whatever the order of its columns.
//
// # Errors and limits
//
// Every reader returns finite numbers or a *FileError, which names file, row and column. Rows and columns
// count from 1. A reader never allocates more than a fixed multiple of the bytes that are really there,
// whatever sizes a file declares; see Options.MaxElements and Options.MaxExpansion.
//
// # Random numbers
//
// Random choices come from a PCG generator with a seed of the caller. Their arithmetic does not round
// differently on other machines, so a seed gives the same bits on every architecture.
package dataset
