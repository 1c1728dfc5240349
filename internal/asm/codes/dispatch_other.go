//go:build (!amd64 && !arm64) || purego

package codes

func sums8(dst []float32, codes []byte, table []float32, m int) { sums8Ref(dst, codes, table, m) }
func sums4(dst []uint16, codes, table []byte, m int)            { sums4Ref(dst, codes, table, m) }
