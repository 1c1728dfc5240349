package monge

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/inspect"
)

// room is a part of a package: files, and the rooms whose names they may use besides
// their own.
type room struct {
	name  string
	files []string
	below []string
}

// rooms are those of package wda. Users see one page of documentation; developers see these
// parts. words are the types of the public interface, and what all parts share. model is what is
// served. samples are the data of a fit, objective is J, solvers maximize it, choice compares
// candidates for the settings that are left open, and fit puts them together. comparison is
// cross-validation and scores, and what other processes do of all this.
var rooms = map[string][]room{"wda": {
	{"words", []string{"doc.go", "errors.go", "settings.go", "choices.go", "choices_mixture.go", "method.go", "status.go", "report.go", "rows.go", "remote.go"}, nil},
	{"model", []string{"model.go", "classifier.go", "storage.go", "rejection.go", "rejection_file.go", "holder.go", "hash.go", "file.go"}, []string{"words"}},
	{"samples", []string{"samples.go", "directions.go", "span.go", "whiten.go"}, []string{"words"}},
	{"objective", []string{"objective.go", "memory.go", "gradient.go", "canonical.go", "warnings.go", "remote_pairs.go"}, []string{"words", "samples"}},
	{"solvers", []string{"solver.go", "descending.go", "ascent.go", "alternating.go", "eigen.go", "minibatch.go", "population.go"}, []string{"words", "samples", "objective"}},
	{"choice", []string{"choice.go", "choice_candidates.go", "choice_folds.go", "choice_work.go", "choice_trial.go", "choice_loss.go", "choice_judge.go", "choice_mixture.go", "validation.go"}, []string{"words", "samples", "objective", "solvers"}},
	{"fit", []string{"fit.go", "mixture.go", "prepare.go", "remote_choice.go"}, []string{"words", "model", "samples", "objective", "solvers", "choice"}},
	{"comparison", []string{"crossvalidate.go", "score.go", "remote_fits.go"}, []string{"words", "model", "samples", "objective", "solvers", "choice", "fit"}},
}}

// TestRoomsLookDown checks every use of a name of a package with rooms, that of a field or
// method included, against the table: what imports are between packages.
func TestRoomsLookDown(t *testing.T) {
	t.Parallel()
	for name, table := range rooms {
		packages := load(t)
		at := slices.IndexFunc(packages, func(p *inspect.Package) bool { return p.Path == module+"/"+name })
		if at < 0 {
			t.Fatalf("package %s was not read", name)
		}
		p := packages[at]
		of := map[string]*room{}
		for i, r := range table {
			for _, f := range r.files {
				of[f] = &table[i]
			}
		}
		there := map[string]bool{}
		for _, f := range p.Files {
			file := filepath.Base(p.Fset.Position(f.Pos()).Filename)
			if there[file] = true; of[file] == nil {
				t.Errorf("%s/%s is in no room: add it to the table of this test", name, file)
			}
		}
		for file := range of {
			if !there[file] {
				t.Errorf("%s has no file %s: remove it from the table of this test", name, file)
			}
		}
		uses := 0
		for id, object := range p.Info.Uses {
			if object.Pkg() == nil || object.Pkg().Path() != p.Path {
				continue
			}
			at := p.Fset.Position(id.Pos())
			user, owner := of[filepath.Base(at.Filename)], of[filepath.Base(p.Fset.Position(object.Pos()).Filename)]
			if user == nil || owner == nil || user == owner {
				continue
			}
			if uses++; !slices.Contains(user.below, owner.name) {
				t.Errorf("%v: %s is of room %q, which is not below %q", at, id.Name, owner.name, user.name)
			}
		}
		t.Logf("%s: %d uses of names of another room", name, uses)
	}
}
