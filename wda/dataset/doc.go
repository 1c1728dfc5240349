// Package dataset makes and reads labelled samples: the simulated data of the
// WDA paper, and CSV, NPY, NPZ and IDX files, gzip-compressed or not. It also
// draws stratified samples, splits and folds. It knows nothing of the method that
// uses the data.
//
// Rows are samples and columns are features. Every reader either returns finite
// numbers only or a *FileError that names the place, in rows and columns
// counted from 1; none allocates more than a fixed multiple of the bytes that
// are really there, whatever a header claims.
//
// The formats:
//
//   - CSV, comma-separated text as described by RFC 4180, one sample per record. Spaces
//     around fields, blank lines and a byte order mark are dropped; every field but the
//     label must be a finite decimal number. A FileError's Row is the line of the file;
//     in the other formats it is the sample.
//   - NPY, one NumPy array of two dimensions, without labels. Elements may be boolean,
//     integer, float16, float32 or float64, of either byte order, in C or Fortran order; integers
//     beyond 2⁵³ are rounded to float64.
//   - NPZ, a zip file of such arrays: X, n × d; y, the labels, n numbers or strings; and
//     split, n integers. y and split may be absent.
//   - IDX, the format of MNIST, without labels. The first dimension counts the samples,
//     the others become one row each: images of 28 × 28 pixels give 784 columns.
//
// Everything random is drawn from a PCG generator seeded by the caller and uses
// no arithmetic whose rounding depends on the machine, so that a seed gives the
// same data, bit for bit, on every architecture (see Simulation).
package dataset
