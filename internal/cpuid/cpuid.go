// Package cpuid asks the processor for what golang.org/x/sys/cpu does not report.
package cpuid
