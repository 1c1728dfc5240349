// Package pending lists the functions of assembly that are not proved, and why.
package pending

// Functions are the functions that are not proved, each with the reason. There are none.
var Functions = map[string]string{}
