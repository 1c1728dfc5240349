package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// DataError reports a missing data file.
type DataError struct {
	Experiment string
	File       string
	// Folder is the folder that was searched, or "" if no folder was given.
	Folder string
	// Source describes where the file comes from and what it must contain.
	Source string
}

func (e *DataError) Error() string {
	if e.Folder == "" {
		return fmt.Sprintf("experiment %s needs the file %s (%s); name its folder", e.Experiment, e.File, e.Source)
	}
	return fmt.Sprintf("experiment %s needs the file %s (%s), which is not in %s", e.Experiment, e.File, e.Source, e.Folder)
}

// sources describes the data files and where to get them. An NPZ file has the arrays X (n × d) and
// y (labels). A CSV file has no header, and the label is the last field.
var sources = map[string]string{
	"mnist.npz":                     "MNIST, 70000 × 784, NPZ with X, y and split, 0 for its 60000 training digits and 1 for the 10000 test digits; GitHub rasbt/mnist-pngs",
	"usps.npz":                      "USPS digits, 9298 × 256, NPZ with X, y and split; GitHub cran/ElemStatLearn",
	"isolet.npz":                    "ISOLET, 7797 × 617, NPZ with X and y; UCI repository",
	"office_webcam_dslr_decaf6.npz": "DeCAF6 features of Office webcam and dslr, 452 × 4096, NPZ with X and y; GitHub hnjzlishuang/DTLC",
	"caltech_decaf6.npz":            "DeCAF6 features of the Caltech images of Office-Caltech, 1123 × 4096, NPZ with X and y: the paper's file, from the authors of DeCAF (Donahue et al. 2014); another stands in for it",
	"caltech_surf800.npz":           "SURF features of 1123 Caltech images, 1123 × 800, NPZ with X and y; GitHub LeoGautheron/OfficeCaltechDomainAdaptation",
	"wine.csv.gz":                   "Wine, 178 × 13, CSV; UCI repository",
	"iris.csv.gz":                   "Iris, 150 × 4, CSV; UCI repository",
	"glass.csv.gz":                  "Glass Identification, 214 × 9 without its column id, CSV; UCI repository",
	"ionosphere.csv.gz":             "Ionosphere, 351 × 34, CSV; UCI repository",
	"vehicle.csv.gz":                "Statlog Vehicle Silhouettes, 846 × 18, CSV; UCI repository",
	"credit_australian.csv.gz":      "Statlog Australian Credit Approval, 690 × 14, CSV; UCI repository",
}

// findData records which data files of the experiment are missing. It returns an error if all files
// are missing.
func (j *job) findData() error {
	for _, file := range j.experiment.Data {
		e := DataError{Experiment: j.experiment.Name, File: file, Folder: j.Data, Source: sources[file]}
		if j.Data == "" {
			j.report.Missing = append(j.report.Missing, e)
			continue
		}
		if _, err := os.Stat(filepath.Join(j.Data, file)); err != nil {
			if !os.IsNotExist(err) {
				return err
			}
			j.report.Missing = append(j.report.Missing, e)
		}
	}
	if n := len(j.report.Missing); n > 0 && n == len(j.experiment.Data) {
		return &j.report.Missing[0]
	}
	return nil
}

// hasFile reports whether a data file exists.
func (j *job) hasFile(file string) bool {
	for _, m := range j.report.Missing {
		if m.File == file {
			return false
		}
	}
	return true
}

// checksums returns the SHA-256 of every readable data file. A file that cannot be read causes an
// error later, when a cell needs the file.
func (j *job) checksums() map[string]string {
	sums := map[string]string{}
	for _, file := range j.experiment.Data {
		if !j.hasFile(file) {
			continue
		}
		f, err := os.Open(filepath.Join(j.Data, file))
		if err != nil {
			continue
		}
		h := sha256.New()
		if _, err = io.Copy(h, f); err == nil {
			sums[file] = hex.EncodeToString(h.Sum(nil))
		}
		f.Close()
	}
	return sums
}
