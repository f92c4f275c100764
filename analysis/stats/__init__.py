"""Statistics of agreement between people and judges: pure numpy and scipy.

Every statistic returns an `estimate.Estimate`: value, interval, n, groups and how many of them were
skipped, undefined draws, and the reason where value or interval is NaN. Import from the modules:

correlation         dataset_correlation, grouped_correlation, system_correlation, group_coefficients
percent_agreement   percent_agreement
krippendorff_alpha  krippendorff_alpha
cohen_kappa         cohen_kappa
fleiss_kappa        fleiss_kappa
gwet_ac             gwet_ac
icc                 icc
kendall_w           kendall_w
leave_one_out       correlation_with_others (plain arrays: r and n of every rater)
classification      auc, ordinal_auc, threshold_aucs, at_least, roc_curve, confusion_matrix,
                    precision_recall, round_half_down
row_shares          row_shares (a RowShares: a confusion matrix with intervals of its shares)
curves              roc_band (a band), precision_recall_curve, average_precision
calibration         calibration_curve (bins), expected_calibration_error
operating_point     best_threshold, at_threshold
differences         paired_difference, two_sided, holm
substitution        alternative_annotator_test
outliers            low_outliers (places of values far below the rest, no Estimate)
human_ceiling       human_ceiling
false_discovery     benjamini_yekutieli
prediction_powered  prediction_powered_mean
verdict_correction  corrected_share
selection           model_selection, misfit_recall, misfit_precision
preference          system_preference
bootstrap           draw_counts
mean_change         mean_change (two readings of the same items)
combined            combined: an ensemble's values (an array, no Estimate)
learned_weights     learned_weights: an ensemble's values by weights learned from people (a Learned)
clustered_mean      clustered_mean, means_of_columns, means_by_group, spread_of_means
clustered_median    clustered_median
rank_agreement      rank_agreement
clustered_slope     clustered_slope (a Line, with the slope's Estimate)
few_raters          few_raters
frontier            non_dominated (flags)
isotonic_map        isotonic_map, cross_fitted (arrays)
jackknife           jackknife (half-widths of intervals)
linear_prediction   random_splits (flags), split_error (a Predicted)
means_of_people     means_of_people (arrays of means with t intervals by person)
subset_draws        pearson_draws, group_draws (subsets' values in each draw)
pooled_pair         pooled_pair (values of the draws)
paired_t            upper_paired_t (a PairedT)
ranked_lists        tau_topk, tau_common, rbo, overlap (arrays: a value a pair of lists), tied_rbo
iterations          mean_of_iterations (an Iterations), welch (a Welch), sign_flip (a Permutation)
consistency         settled (a Consistency: precision, recall, F1 of each item), f1_of
statement_support   statement_support (a Consistency: St2Exp)
best_match          Pairs, mean_of_best, summac_zs, align_score (arrays, a value an item)
statement_entailment  statement_entailment (Consistencies: StEnt, StEnt-bin, StCoh)
features            mentioned, feature_matching_ratio, feature_coverage_ratio, feature_diversity,
                    unique_sentence_ratio (plain numbers)
variance_components usable_factors, variance_components, shares, generalisability (plain numbers)

All that return an Estimate take `clusters=` (codes of rows or units) and `counts=` (one matrix of
`draw_counts` for a whole report); without counts there is no interval.
"""
