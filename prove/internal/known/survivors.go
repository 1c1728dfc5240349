package known

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Survivor is a planted mistake that the proof does not refute: the proof also holds for the
// mutant.
type Survivor struct {
	Arch, Function string
	Offset         uint64 // offset of the instruction in the function
	Instruction    string
	Mistake        string
	Effect         Effect
}

// Effect is the largest effect of a mistake, over all cases of the proof. Command prove finds the
// effect by comparing the runs of the correct function with the runs of the mutant, which
// has the mistake. The constants are in ascending order.
type Effect int

const (
	Nothing Effect = iota // the registers and flags after the mutated instruction are correct
	Unused                // registers or flags differ, but the path, stores and prefetches do not
	Fetches               // the mutant prefetches from different addresses
	Stores                // the mutant stores different intermediate values, or computes results by different expressions
	Path                  // the mutant runs different instructions
	Loop                  // in a loop of the mutant, iterations may depend on the iteration number; in the correct loop they do not
)

var effects = []string{"nothing", "unused", "fetches", "stores", "path", "loop"}

func (e Effect) String() string { return effects[e] }

// String returns a line of survivors.txt without its last field, the reason.
func (s Survivor) String() string {
	return strings.Join([]string{s.Arch, s.Function, fmt.Sprintf("+%x", s.Offset), s.Instruction, s.Mistake, s.Effect.String()}, " | ")
}

//go:embed survivors.txt
var list string

// Survivors returns the known survivors. The value of a map entry is the reason why the mistake
// changes no result.
func Survivors() (map[Survivor]string, error) {
	reasons, used := map[string]string{}, map[string]bool{}
	out := map[Survivor]string{}
	for n, line := range strings.Split(list, "\n") {
		f := strings.Split(line, " | ")
		switch {
		case line == "" || line[0] == '#':
		case f[0] == "reason" && len(f) == 3:
			reasons[f[1]] = f[2]
		case len(f) == 7:
			offset, err := strconv.ParseUint(strings.TrimPrefix(f[2], "+"), 16, 64)
			effect := slices.Index(effects, f[5])
			if err != nil || effect < 0 || reasons[f[6]] == "" {
				return nil, fmt.Errorf("survivors.txt:%d: no offset, no effect or no reason: %s", n+1, line)
			}
			used[f[6]] = true
			out[Survivor{f[0], f[1], offset, f[3], f[4], Effect(effect)}] = reasons[f[6]]
		default:
			return nil, fmt.Errorf("survivors.txt:%d: %d fields: %s", n+1, len(f), line)
		}
	}
	for r := range reasons {
		if !used[r] {
			return nil, fmt.Errorf("survivors.txt: no survivor has the reason %s", r)
		}
	}
	return out, nil
}
