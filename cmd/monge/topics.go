package main

import "github.com/spf13/cobra"

// topics returns help texts about general topics. For example, "monge help terms" prints a topic.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "terms", Short: "What p, K, λ, ρ, J, whitening and other terms mean", Long: terms},
		{Use: "files", Short: "File formats, labels, training and test rows", Long: fileFormats},
		{Use: "tables", Short: "Tables: names of columns, missing values, text", Long: tables},
		{Use: "exit", Short: "Exit codes, output for programs, and environment variables", Long: exitCodes},
	}
}

const terms = `The terms in help texts and output.

Data
  row, sample      One observation. Rows are points, columns are features.
  n, d             The number of rows, and the number of features of a row.
  class, label     A group of rows. The label of a row is the name of its class.
  training rows    The rows that a model is fitted to.
  held-out rows    Rows that were not used by the fit. The error on these rows is
                   unbiased.

Model
  projection, P    A d × p matrix. It maps a row x to the p numbers (x − mean)·P.
  p                The number of dimensions to project to (--components).
  component        A column of P, or the number that it gives for a row.
  WDA              Wasserstein discriminant analysis: P is chosen so that, after
                   the projection, moving one class onto another costs much and
                   moving a class onto itself costs little.
  J                The objective that WDA maximizes: the transport cost between
                   classes, divided by the cost within classes plus the ridge.
                   Compare J only between fits to the same rows and settings.
  ratio            The same quotient for one component. A component with a large
                   ratio separates classes; a component with a small ratio does
                   not.
  leading          The number of informative components (--leading). J uses only
                   these. The others are scaled to almost zero: they can still be
                   plotted, but do not change distances.
  λ (lambda)       How sharp the transport is. With a small λ every row is moved
                   a little to all rows of the other class, so that classes are
                   compared by their means. With a large λ each row goes to its
                   nearest partner. Other libraries call 1/λ "reg" or "epsilon".
                   λ = 1 is relative to the mean squared distance between the two
                   classes; with --absolute it is in the units of the data.
  L                The number of Sinkhorn iterations that define a transport
                   cost (--iterations).
  ρ (shrinkage)    Protection against overfitting (--shrinkage). ρ = 0 trusts the
                   rows fully, ρ = 1 is cautious, a very large ρ gives the
                   principal components.
  ridge            ρ times the cost within classes at the start. It is added to
                   the cost within classes in J.
  whitening        Rescales the features so that the spread within classes is
                   similar in all directions. "diagonal" and "spherical" say
                   what the estimated covariance is pulled toward; "none"
                   leaves the features as they are.
  scale            The length of the components: "equal" if all axes count alike,
                   "unit" for the same spread within classes on every axis,
                   "ratio" like unit, but components with a small ratio shorter.
                   One factor then makes the mean variance within classes 1, so
                   that distances have the same unit in every fit.
                   "orthonormal" is equal without this factor, as in the paper.
  method           How P is found. "auto" and the gradient methods maximize J.
                   "principal" gives the principal components (PCA), "fisher"
                   gives discriminant analysis. Both need no optimizer.
  start            Where the optimizer begins. It may end at different maxima of
                   J from different starts; the best one is kept.

Classification
  K                The number of nearest training rows that vote on the class of
                   a row (--k). Distances are measured after the projection.
  error            The fraction of rows whose class is predicted wrongly.
  recall           The fraction of the rows of a class that are predicted as this
                   class.
  precision        The fraction of the rows predicted as a class that belong to it.
  F1               The harmonic mean of recall and precision.
  Brier score      The mean squared error of the predicted class probabilities.
                   0 is perfect. It is more sensitive than the error.
  score            How much a row differs from the training rows (predict --reject).
                   It combines the distance of its neighbors with the part of the
                   row that the projection removes.
  rejection rate   The fraction of rows of known classes that may be rejected by
                   mistake (fit --reject). Rows with a score above the threshold
                   are rejected as belonging to no known class.
  AUROC            The probability that a row of an unknown class has a higher score
                   than a row of a known class. 1 is perfect, 0.5 is chance.
  loss             The Brier score plus the error of a candidate, on held-out
                   rows. Candidates are combinations of the settings that were
                   left open.

Transport
  plan, T          How much mass goes from each point of x to each point of y.
  marginal         The row or column sums of the plan. They should equal the
                   weights a and b; the marginal error is the difference.
  marginal penalty The additional cost of a plan whose marginals differ from a and
                   b (unbalanced transport: --penalty-a, --penalty-b).
  domain           "plain" computes with exponentials, "log" with logarithms,
                   which never underflow. The default switches when necessary.

Machine
  instruction set  ref (plain Go), neon, avx2 or avx512. Results have the same bits
                   with every instruction set.
  hash             A SHA-256 of everything that predictions depend on. Models with
                   equal hashes make the same predictions.`

const fileFormats = `Rows are samples, columns are features. The name of a file determines its format:

  .csv .tsv        Text. A first line without numbers above numbers is a header;
                   --header says otherwise. The label is the last column, unless
                   --label-column or --labels says otherwise.
  .npz             NumPy archive: array X (rows), y (labels), and optionally
                   split (0 for training rows, 1 for test rows).
  .npy             NumPy array. Labels are in a separate file: --labels.
  .parquet .arrow  Tables. The label is the column "label" or "y". A column of
                   lists holds one feature per element (an embedding).
  .jsonl .ndjson   JSON lines: one object per row, whose keys are the columns. A
                   missing key is a missing value if one of the first 100 rows
                   has the key. Otherwise as Parquet.
  idx              The format of MNIST. The label file in the same folder is found.

Files of all formats except NPZ, Parquet and Arrow may be gzip-compressed (.gz). The
name - means standard input, for one of the files that a command reads. NPZ and Parquet
from a pipe are first copied to a temporary file in the folder TMPDIR or /var/tmp.

Training and test rows: an array split in an NPZ file distinguishes them. For other
files, fit --holdout sets test rows aside, and the model stores the choice: eval --data
tests with these rows, and plot marks them. In other commands the same --holdout and
--seed select the same rows, if the file has the same rows and labels as the file
of the fit. Rows with missing values that --missing drop leaves out are left out first.

--columns and --drop choose columns by their names, in any format: monge help tables.
CSV: --delimiter is the character between fields, and --comment the first character of
lines to ignore.

A model file can be read with numpy.load. It contains the arrays projection, mean and
labels, among others.

Errors count rows and columns from 1, and the row of a text file is its line number.
Flags count columns from 0.

Output files are written completely or not at all.`

const exitCodes = `Exit codes:
  0    success
  1    an error in data, files or computation
  2    a wrong command line
  3    the result was printed, but the computation did not reach the requested
       tolerance (sinkhorn)
  130  interrupted by Ctrl-C or SIGTERM. The program ends within a fifth of a
       second. Nothing is written then, not even a model of the best projection so
       far.

An error is one line on standard error that begins with "monge: ". A warning is one
line that begins with "monge: warning: ".

With --json a command prints one JSON object on standard output, and no progress bar.
Numbers that JSON cannot hold (NaN, infinities) are null.

Environment:
  MONGE_LEVEL  limits the instruction set: ref, avx2, avx512 or neon. Results have the
               same bits with every instruction set.`

const tables = `A table has columns with names. monge fit stores the names in the model. transform,
predict, eval and plot then find the columns by their names, in any order.

Names
  A column that is missing, or that the model does not know, is an error that names it.
  --extra-columns ignores unknown columns. Columns that fit left out, and the label
  column, are optional. If the file or the model has no names, columns are matched by
  their numbers. If only one of them has names, a note says so.

Choice of columns
  --columns selects the features, --drop ignores columns, and --id names columns that
  identify the rows: transform and predict copy them to the output. Each takes names
  separated by commas, numbers from 0 (from the end if negative), ranges such as
  height..weight or 0..9, and patterns such as 'emb*'. The column of row numbers that
  pandas writes is left out, and a note says so. A warning names a column that numbers
  the rows, or that alone determines the label.

Missing values
  In CSV these are empty fields and NA, N/A, #N/A, NaN, null and <NA>; in columns of
  numbers also None, ? and -. In arrays they are NaN, in Parquet, Arrow and JSON lines
  null. The first missing value is an error, unless fit has --missing mean or median, to
  replace missing values by the mean or median of the column, or --missing drop, to drop
  their rows. The model stores this setting and the replacements, and transform and
  predict do the same.

Names that are numbers
  A first line with the names of the model is a header. Without a model, a first line
  0,1,2 is a header only if the lines below show it, for example by decimal places, and a
  note says so. Otherwise it is an error: --header present or --header absent decides.

Labels
  A label is text: 3.1 and 3.10 are two classes, and so are 01 and 1. Only if all labels
  of a file are plain numbers, 1.0 is the class 1. Empty and null labels are missing, and so
  are NA, N/A, NaN, None, null, ?, and - unless another label is +. --missing-labels says
  what to do with such rows: error, drop, or keep, which makes a class of each text.

Text
  Files of text must be UTF-8. Text in a column of features is an error. --one-hot makes
  a feature of each value of a column: 1 in the rows with this value, 0 in others. The
  model stores the values, and another value is an error. For a missing value all features
  are 0; with --keep-na, NA is a value.
  In CSV, true, false and dates are text. Booleans of Parquet, Arrow and JSON lines are 0 and 1.

Decimal comma
  --decimal , reads numbers such as 1,5. The fields must then be separated by another
  character, such as --delimiter ';', or such numbers must be quoted. A number with a point
  is then an error, because the point may separate thousands.`
