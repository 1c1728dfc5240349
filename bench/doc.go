// Package bench measures what belongs to no kernel alone: the public API, and how
// long a stop-the-world waits for assembly. README.md has the commands.
package bench
