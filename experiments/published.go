package experiments

import "slices"

// Numbers published in the paper (R. Flamary, M. Cuturi, N. Courty and A. Rakotomamonjy,
// "Wasserstein discriminant analysis", Machine Learning, 2018, arXiv:1608.08063), with the table or
// figure that contains them. Values that can only be read from a plot are omitted.

// publishedTable is a table of the paper.
type publishedTable struct {
	// Label is the label in the LaTeX source. Caption is the beginning of the caption.
	Label, Caption string
	Methods        []string // the columns, with the names that this package gives the methods
	Rows           []publishedRow
}

type publishedRow struct {
	Name   string
	Values []float64
}

// value returns the entry of a row and a method, and reports whether the table has this entry.
func (t publishedTable) value(row, method string) (float64, bool) {
	i := slices.IndexFunc(t.Rows, func(r publishedRow) bool { return r.Name == row })
	j := slices.Index(t.Methods, method)
	if i < 0 || j < 0 {
		return 0, false
	}
	return t.Rows[i].Values[j], true
}

// publishedUCI is the table of test errors in percent (means of 20 splits). LSQMI did not converge
// on caltechpca "after few days of computation". The table shows this error as 100.
var publishedUCI = publishedTable{
	Label:   "ucitable",
	Caption: "Average test errors over 20 trials on UCI datasets",
	Methods: []string{nameOriginal, "PCA", "FDA", "LFDA", "LMNN", "LSDR", "LSQMI", "CEML", nameWDA},
	Rows: []publishedRow{
		{"wines", []float64{24.33, 26.57, 37.87, 29.21, 32.81, 32.81, 46.29, 15.34, 16.91}},
		{"iris", []float64{42.07, 40.60, 19.27, 25.13, 21.67, 37.93, 56.27, 20.87, 20.87}},
		{"glass", []float64{54.01, 58.16, 57.45, 59.53, 54.25, 50.85, 65.42, 34.86, 45.99}},
		{"vehicles", []float64{58.68, 57.26, 48.57, 48.25, 40.84, 51.86, 65.09, 48.46, 51.13}},
		{"credit", []float64{28.90, 25.57, 18.67, 17.69, 23.73, 24.71, 39.01, 17.65, 17.39}},
		{"ionosphere", []float64{26.14, 26.90, 29.63, 27.64, 30.80, 31.08, 36.42, 22.87, 20.40}},
		{"isolet", []float64{17.50, 17.60, 15.12, 13.96, 11.13, 13.33, 21.76, 30.19, 14.41}},
		{"usps", []float64{7.59, 7.66, 11.63, 12.76, 6.05, 8.77, 14.83, 10.15, 6.50}},
		{"mnist", []float64{17.26, 14.16, 33.85, 29.92, 13.95, 26.53, 60.05, 24.68, 13.07}},
		{"caltechpca", []float64{23.39, 13.93, 12.03, 18.19, 11.55, 36.08, 100.00, 13.65, 11.45}},
		{publishedRank, []float64{5.4, 5.5, 5.2, 5.2, 3.4, 5.7, 8.9, 3.5, 2.2}},
	},
}

// publishedRank is the name of the last row of publishedUCI, which holds mean ranks.
const publishedRank = "Aver. Rank"

// publishedTiming is the table of mean running times in seconds. The programs are the authors'
// Matlab (LFDA, LMNN, LSDR, CEML) and Python (WDA) programs, run on 16 cores of an Intel Xeon
// E5-2630 at 2.4 GHz.
var publishedTiming = publishedTable{
	Label:   "tab:timing",
	Caption: "Averaged running time in seconds of the different algorithms for computing the learned subspaces",
	Methods: []string{"PCA", "FDA", "LFDA", "LMNN", "LSDR", "CEML", nameWDA},
	Rows: []publishedRow{
		{"Mnist (10)", []float64{0.39, 0.69, 0.55, 20.55, 29813, 87.02, 6.28}},
		{"Mnist (20)", []float64{0.38, 0.58, 0.54, 18.27, 60147, 90.22, 6.15}},
		{"Caltech (14)", []float64{0.53, 21.38, 11.43, 39.56, 140776, 14.59, 5.29}},
	},
}

var publishedTimingDeviations = publishedTable{
	Label:   "tab:timing",
	Caption: "the standard deviations, in brackets there",
	Methods: publishedTiming.Methods,
	Rows: []publishedRow{
		{"Mnist (10)", []float64{0.1, 0.2, 0.4, 14.2, 5048, 8.7, 0.3}},
		{"Mnist (20)", []float64{0.0, 0.0, 0.2, 17.0, 11176, 8.8, 0.1}},
		{"Caltech (14)", []float64{0.3, 6.1, 2.0, 6.3, 53036, 7.6, 0.1}},
	},
}

// claimCaltech is the paper's statement about a figure in section "Caltech dataset". The figure shows
// the errors as functions of p. The paper does not print these errors as numbers.
const claimCaltech = "LMNN yields to a better subspace for small p values while WDA is the best performing method for p ≥ 6"
