package main

import (
	"github.com/gomonge/monge/cmd/internal/demo"
	"github.com/spf13/cobra"
)

func newDemo(a *app) *cobra.Command {
	var out string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "demo [--out DIR]",
		Short: "Fit the paper's simulated data and compare with PCA and FDA",
		Long:  demo.Description,
		Example: `  monge demo
  monge demo --out pictures --seed 7 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usagef("--out must name a folder")
			}
			r, err := demo.Run(cmd.Context(), out, seed)
			if err != nil {
				return err
			}
			return a.report(r, r.Print)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&out, "out", "demo", "`FOLDER`: where to write the picture demo.png; made if it does not exist")
	fs.Uint64Var(&seed, "seed", 1, "`NUMBER`: seed of the simulation")
	return cmd
}
