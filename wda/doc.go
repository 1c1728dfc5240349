// Package wda implements Wasserstein Discriminant Analysis (WDA), supervised dimensionality reduction
// by optimal transport. From labeled samples it learns a linear projection P (d × p) that keeps
// the classes apart and each class together (R. Flamary, M. Cuturi, N. Courty and A.
// Rakotomamonjy, "Wasserstein Discriminant Analysis", Machine Learning, 2018,
// arXiv:1608.08063). Typical uses are classification by nearest neighbors in few dimensions,
// and plots of labeled data.
//
// # Example
//
//	d, err := dataset.ReadFile("train.csv", nil)  // package wda/dataset; d.X is n × d
//	...
//	m, err := wda.Fit(ctx, d.X, d.Labels, &wda.Settings{Components: 2})
//	...
//	var y mat.Dense
//	err = m.Transform(&y, d.X)                    // n × 2
//	...
//	c, err := wda.NewClassifier(ctx, m, d.X, d.Labels, 5)
//	...
//	class, err := c.Predict(sample, nil)          // class.Label, class.Share
//
// MarshalBinary returns the contents of a file for a model or classifier, and Load reads such a file.
// With a Holder, a running service can replace its model.
//
// # The objective
//
// Let X^c be the samples of class c, one in each row. WDA maximizes
//
//	J(P) = σ_b² / (σ_w² + ridge),
//	σ_b² = Σ_{c<c'} w_cc' W(X^c P, X^c' P),     σ_w² = Σ_c w_cc W(X^c P, X^c P).
//
// W(Y, Z) = ⟨T, M⟩ with M_ij = ‖y_i − z_j‖² is the cost of moving the samples Y to the samples Z,
// where T is the transport plan after L Sinkhorn iterations (see package sinkhorn). σ_b² is the cost
// between classes and σ_w² the cost within classes. The weights w_cc' are 1 by default (see
// Objective.Proportional). The settings are
//
//   - p (Components), the number of columns of P, and Leading, the number of columns that J uses;
//   - λ (Objective.Lambda): a small λ compares whole classes, as Fisher's discriminant analysis
//     does; a large λ compares near neighbors only, so that a class may consist of clusters;
//   - ρ (Objective.Shrinkage): ridge = ρ·σ_w² at the starting point. A large ρ prevents overfitting
//     and makes the components similar to principal components;
//   - whitening (Data.Whitening): whether features are first transformed so that, within classes,
//     their variances are more equal and their correlations are smaller;
//   - the scale (Scale) of the components: the weight of each component in a distance.
//
// If one of these settings other than Components is zero, Fit uses cross-validation to choose its
// value. The choice takes most of the time of a small fit. Report.Choice lists the candidates that
// were compared.
//
// # When to use it
//
// Use WDA if classes consist of several clusters or differ in shape, or if principal components
// and linear discriminant analysis leave classes mixed. Do not use it if most classes have fewer
// than five samples. If every class is one cluster and the classes are well separated, linear
// discriminant analysis is as good and faster. If only nonlinear boundaries separate the classes,
// use a nonlinear classifier.
//
// # Promises
//
// Bits: a fit depends only on data, labels, settings and seed. The model has the same bits on
// every machine and for every number of workers.
//
// Contexts: every function that makes more than one pass over the data takes a context. Fit,
// Score, Prepare, CrossValidate and PredictLabels return within 0.1 s of the end of the context on
// a machine with an idle core; your callbacks, such as ReadRows, Progress and an Executor, must
// return on their own. If Fit has already found a projection, it returns the Model together with
// the error.
//
// Memory: before it allocates, Fit computes how much memory it needs, and returns ErrSettings if
// this is more than 16 GiB. TransformVec, Transform32 and Predict allocate nothing after the first
// calls.
//
// Concurrency: a Model, Classifier, Prepared or Holder may be used by any number of goroutines at
// the same time. No function changes the caller's data.
//
// Files: every later version of this module reads the model files of earlier versions.
//
// # More
//
// Measurements, and ideas that were tried and rejected, are in NOTES.md, SOLVERS.md and
// DEFAULTS.md in the folder of the package.
package wda
