// Package baseline has the linear projections that WDA is compared with, and
// starts from. Each method is a type whose Fit takes samples (rows) and labels and
// returns a projection, d × p.
package baseline
