#!/bin/bash
# This script builds every fuzz target of the repository for OSS-Fuzz. It finds the targets itself, and
# TestOSSFuzz checks the result. The name of a fuzzer consists of its folder and its target.
set -euo pipefail
cd "$SRC/monge"

# The builder overlays a file of the standard library. The go command refuses this in a downloaded
# toolchain, so such a toolchain is copied.
goroot=$(go env GOROOT)
case $goroot in
"$(go env GOMODCACHE)"/*)
	copy=$(mktemp -d)
	cp -r "$goroot/." "$copy"
	chmod -R u+w "$copy"
	export GOROOT=$copy PATH=$copy/bin:$PATH GOTOOLCHAIN=local
	;;
esac

# The builder makes test files part of their package. Files of an external test package are left out.
find . -name '*_test.go' -exec grep -lE '^package [a-z0-9]+_test$' {} + | while read -r file; do
	grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$file" | sed "s|^func |left out, in an external package: $file |" || true
	rm "$file"
done

# A module may be inside another module. Each target is built in its own module.
grep -rhoE --include='*_test.go' -H '^func Fuzz[A-Za-z0-9_]*\(f \*testing.F\)' . | LC_ALL=C sort | while IFS=: read -r file text; do
	folder=$(dirname "$file")
	module=$folder
	until [ -f "$module/go.mod" ]; do
		module=$(dirname "$module")
	done
	path=$(sed -n 's/^module //p' "$module/go.mod")${folder#"$module"}
	target=${text#func }
	target=${target%%(*}
	name=$(printf %s "${folder#./}" | tr / _)
	(cd "$module" && compile_native_go_fuzzer_v2 "$path" "$target" "${name}_$target")
done
