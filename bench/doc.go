// Package bench contains benchmarks of the public API. It also measures how long running assembly kernels delay a
// stop-the-world phase. README.md has the commands.
package bench
