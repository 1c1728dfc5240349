// Package dataset makes and reads labelled samples: the simulated data of the
// WDA paper, and CSV, NPY, NPZ and IDX files, gzip-compressed or not. It also
// draws stratified samples, splits and folds, and writes matrices. It knows
// nothing of the method that uses the data.
//
// Rows are samples and columns are features. Every reader either returns finite
// numbers only or a *FileError that names the place, in rows and columns
// counted from 1; none allocates more than a fixed multiple of the bytes that
// are really there, whatever a header claims.
//
// Everything random is drawn from a PCG generator seeded by the caller and uses
// no arithmetic whose rounding depends on the machine, so that a seed gives the
// same data, bit for bit, on every architecture (see Simulation).
package dataset
