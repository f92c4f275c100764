"""Measure agreement between people and judges, in pure numpy and scipy.

Every statistic returns an `estimate.Estimate`: value, interval, n, groups and how many of them were
skipped, undefined draws, and the reason where value or interval is NaN. Import from the modules:

agreement.cohen_kappa              cohen_kappa
agreement.fleiss_kappa             fleiss_kappa
agreement.gwet_ac                  gwet_ac
agreement.icc                      icc
agreement.kendall_w                kendall_w
agreement.krippendorff_alpha       krippendorff_alpha
agreement.leave_one_out            correlation_with_others (plain arrays: r and n of every rater)
agreement.percent_agreement        percent_agreement
agreement.pooled_pair              pooled_pair (values of the draws)
agreement.variance_components      usable_factors, variance_components, shares, generalisability
                                   (plain numbers)
classification.calibration         calibration_curve (bins), expected_calibration_error
classification.classification      auc, ordinal_auc, at_least, roc_curve, confusion_matrix
classification.curves              roc_band (a band), precision_recall_curve, average_precision
classification.operating_point     best_threshold, at_threshold
classification.row_shares          row_shares (a RowShares: a confusion matrix with intervals of its
                                   shares)
classification.verdict_correction  corrected_share
comparison.differences             paired_difference, two_sided, not_worse, holm
comparison.means_of_people         means_of_people (arrays of means with t intervals by person)
comparison.paired_t                upper_paired_t (a PairedT)
correlation.correlation            dataset_correlation, grouped_correlation, system_correlation,
                                   group_coefficients
correlation.rank_agreement         rank_agreement
ensembles.combined                 combined: an ensemble's values (an array, no Estimate)
ensembles.frontier                 non_dominated (flags)
ensembles.learned_weights          learned_weights: an ensemble's values by weights learned from
                                   people (a Learned)
intervals.bootstrap                draw_counts
intervals.clustered_mean           clustered_mean, means_of_columns, means_by_group, spread_of_means
intervals.clustered_median         clustered_median
intervals.few_raters               few_raters
intervals.jackknife                jackknife (half-widths of intervals)
intervals.subset_draws             pearson_draws, group_draws (subsets' values in each draw)
ranked_lists.iterations            mean_of_iterations (an Iterations), welch (a Welch), sign_flip (a
                                   Permutation)
ranked_lists.mean_change           mean_change (two readings of the same items)
ranked_lists.ranked_lists          tau_topk, tau_common, rbo, overlap (arrays: a value a pair of
                                   lists)
regression.clustered_slope         clustered_slope (a Line, with the slope's Estimate)
regression.isotonic_map            isotonic_map, cross_fitted (arrays)
regression.linear_prediction       random_splits (flags), split_error (a Predicted)
replacement.human_ceiling          human_ceiling
replacement.outliers               low_outliers (places of values far below the rest, no Estimate)
replacement.prediction_powered     prediction_powered_mean
replacement.preference             system_preference
replacement.selection              model_selection, misfit_recall, misfit_precision
replacement.substitution           alternative_annotator_test, compare_with_raters, rejections
                                   (flags)
statements.best_match              Pairs, mean_of_best, summac_zs, align_score (arrays, a value an
                                   item)
statements.consistency             settled (a Consistency: precision, recall, F1 of each item),
                                   f1_of
statements.features                mentioned, feature_matching_ratio, feature_coverage_ratio,
                                   feature_diversity, unique_sentence_ratio (plain numbers)
statements.statement_entailment    statement_entailment (Consistencies: StEnt, StEnt-bin, StCoh)
statements.statement_support       statement_support (a Consistency: St2Exp)
validation.evidence                gather_evidence (an Evidence: all that a verdict rests on),
                                   compare_groups
validation.decision                decide (a Verdict: may a judge rate items), correct_family
validation.systems                 compare_systems (a SystemComparison: may a judge compare systems)
validation.evidence                gather_repeat_evidence (an Evidence from second own answers)
validation.checks                  find_echoes, find_lowering_raters

All that return an Estimate take `clusters=` (codes of rows or units) and `counts=` (one matrix of
`draw_counts` for a whole report); without counts there is no interval.
"""
