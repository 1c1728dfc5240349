// Package dataset reads labeled samples from files, generates simulated samples, and draws subsets,
// splits and folds.
//
// Rows are samples and columns are features.
//
//   - ReadFile reads a file into a Dataset in memory.
//   - Open and NewReader read a file or a stream in blocks of rows, in bounded memory. Reader.Rows leaves
//     the samples in their file.
//   - Simulation generates the simulated data of the WDA paper.
//   - Sample, TrainTest and Folds of a Dataset draw rows at random, with the same fraction of every
//     class.
//
// # Formats
//
//   - CSV is comma-separated text as in RFC 4180, with one sample per record. Spaces around fields, blank
//     lines and a byte order mark are ignored. Every field except the label must be a finite decimal
//     number.
//   - NPY is one NumPy array of two dimensions, without labels. The elements may be boolean, integer,
//     float16, float32 or float64, of either byte order, in C or Fortran order. Integers beyond 2⁵³ are rounded.
//   - NPZ is a zip file of such arrays: X (n × d), y (the labels: n numbers or strings) and split (n
//     integers). y and split are optional.
//   - IDX is the format of MNIST, without labels. The first dimension is the sample; the others are
//     flattened into its row. Images of 28 × 28 pixels give 784 columns.
//   - JSON lines are text with one JSON object per sample, whose keys are the columns. Every key must
//     occur in the first 100 lines. A column of lists has one feature per element. A missing key is null.
//   - Parquet and Arrow need large libraries. Programs that import package wda/dataset/columnar can read
//     them, as the commands monge and monge-beam do. Other programs get an error that matches ErrFormat.
//
// Files of all formats except NPZ, Parquet and Arrow may be gzip-compressed.
//
// # Tables
//
// Options.Columns, Drop and ID choose columns. A Schema records how the columns of a table became the
// features of a model, including the categories of text columns and the replacements for missing values.
// With Options.Schema another table is read in the same way, even if its columns are in another order.
//
// # Errors and limits
//
// Every reader returns finite numbers or a *FileError, which names file, row and column. Rows and columns
// count from 1. Sizes declared in a file are not trusted: a reader allocates at most a fixed multiple of
// the bytes that the file contains. See Options.MaxElements and Options.MaxExpansion.
//
// # Random numbers
//
// Random choices use a PCG generator with the caller's seed. A seed gives the same bits on every
// architecture.
package dataset
