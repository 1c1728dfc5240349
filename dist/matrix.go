package dist

// Matrix is a dense row-major matrix: element (i, j) is Data[i*Stride+j]. It is a
// view and is passed by value; copying it does not copy the elements.
type Matrix[T Float] struct {
	Rows, Cols int
	Stride     int
	Data       []T
}

// NewMatrix returns a rows × cols matrix over data, which is allocated if nil. It
// panics if data has another length.
func NewMatrix[T Float](rows, cols int, data []T) Matrix[T] {
	if rows < 0 || cols < 0 {
		panic(stridePanic)
	}
	if data == nil {
		data = make([]T, rows*cols)
	}
	if len(data) != rows*cols {
		panic(stridePanic)
	}
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// At returns element (i, j).
func (m Matrix[T]) At(i, j int) T { return m.Data[i*m.Stride+j] }

// Set sets element (i, j) to v.
func (m Matrix[T]) Set(i, j int, v T) { m.Data[i*m.Stride+j] = v }

// Row returns row i, sharing the elements.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride:][:m.Cols:m.Cols]
}

// RowRange returns rows i … j−1 as a matrix, sharing the elements.
func (m Matrix[T]) RowRange(i, j int) Matrix[T] {
	m.Rows = j - i
	if m.Cols == 0 || m.Rows == 0 {
		m.Data = nil
		return m
	}
	m.Data = m.Data[i*m.Stride:]
	return m
}

// IsEmpty reports whether the matrix has no elements.
func (m Matrix[T]) IsEmpty() bool { return m.Rows == 0 || m.Cols == 0 }

func (m Matrix[T]) check() {
	if m.Rows < 0 || m.Cols < 0 {
		panic(stridePanic)
	}
	if m.IsEmpty() {
		return
	}
	if m.Stride < m.Cols || len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
		panic(stridePanic)
	}
}
