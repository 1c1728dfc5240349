// Package bench contains benchmarks of the public API. It also measures how long a stop-the-world phase waits for assembly.
// README.md has the commands.
package bench
