// Package cpuid detects processor features that golang.org/x/sys/cpu does not report.
package cpuid
