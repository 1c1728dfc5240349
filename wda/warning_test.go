package wda

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestWarnings checks that every warning code has a sentence, and that a model file preserves the warning. The text of
// a warning with an unknown code must be the code. Old files contain sentences instead of codes, and a warning must keep
// its sentence.
func TestWarnings(t *testing.T) {
	check := func(w Warning) {
		t.Helper()
		data, err := json.Marshal(fileWarning{w})
		var back fileWarning
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || !reflect.DeepEqual(back.Warning, w) {
			t.Errorf("%+v becomes %+v by %s: %v", w, back, data, err)
		}
	}
	for code, form := range warningForms {
		w := Warning{Code: code}
		for i := range form.classes {
			w.Classes = append(w.Classes, 7001+i)
		}
		for i := range form.features {
			w.Features = append(w.Features, 501+i)
		}
		for i := range form.values {
			w.Values = append(w.Values, 3.25*float64(1+i))
		}
		text := w.String()
		if text == string(code) || strings.Contains(text, "%!") || strings.Count(text, "700") != form.classes || strings.Count(text, "501") != form.features {
			t.Errorf("%s: %q", code, text)
		}
		check(w)
		for _, c := range []*Warning{{Code: code, Classes: append(w.Classes, 1), Features: w.Features, Values: w.Values}, {Code: code, Classes: w.Classes, Features: w.Features, Values: append(w.Values, 1)}} {
			if c.String() != string(code) {
				t.Errorf("of too many fields: %q", c)
			}
		}
	}
	later := Warning{Code: "later", Values: []float64{1}}
	if check(later); later.String() != "later" {
		t.Errorf("%q", later)
	}
	old := Warning{text: "class 3 has only 2 samples"}
	if check(old); old.String() != old.text {
		t.Errorf("%q", old)
	}
	if err := json.Unmarshal([]byte(`[1]`), new(fileWarning)); err == nil {
		t.Error("an array is a warning")
	}
}
