package codes

// sums8Ref is the reference implementation of Sums8 for whole blocks.
func sums8Ref(dst []float32, codes []byte, table []float32, m int) {
	for i := range dst {
		group := codes[i/Block*m*Block+i%Block:]
		var s float32
		for j := range m {
			s += table[j*256+int(group[j*Block])]
		}
		dst[i] = s
	}
}

// sums4Ref is the reference implementation of Sums4 for whole blocks.
func sums4Ref(dst []uint16, codes, table []byte, m int) {
	const half = Block / 2
	for i := range dst {
		group := codes[i/Block*m*half+i%half:]
		shift := i % Block / half * 4
		var s uint16
		for j := range m {
			s += uint16(table[j*16+int(group[j*half]>>shift&15)])
		}
		dst[i] = s
	}
}
