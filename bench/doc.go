// Package bench measures the public API and how long a stop-the-world phase waits for assembly. README.md has the commands.
package bench
