"""Statistics of agreement between people and judges: pure numpy and scipy.

Every statistic returns an `estimate.Estimate`: value, interval, n, groups and how many of them were
skipped, undefined draws, and the reason where value or interval is NaN. Import from the modules:

correlation         dataset_correlation, grouped_correlation, system_correlation, group_coefficients
percent_agreement   percent_agreement
krippendorff_alpha  krippendorff_alpha
cohen_kappa         cohen_kappa
icc                 icc
leave_one_out       correlation_with_others (plain arrays: r and n of every rater)
classification      auc, ordinal_auc, threshold_aucs, at_least, roc_curve, confusion_matrix,
                    precision_recall, round_half_down
bootstrap           draw_counts
combined            combined: an ensemble's values (an array, no Estimate)

All that return an Estimate take `clusters=` (codes of rows or units) and `counts=` (one matrix of
`draw_counts` for a whole report); without counts there is no interval.
"""
