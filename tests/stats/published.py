"""Published rating data, units in rows and raters in columns."""

import numpy as np

_ = np.nan

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section E: 4 observers, 12 units.
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T

# Shrout & Fleiss (1979), Psychological Bulletin 86, table 2: 4 judges, 6 targets.
SHROUT_FLEISS = np.array(
    [
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ],
    dtype=float,
)

# Fleiss (1971), Psychological Bulletin 76, table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
# Which psychiatrist said what is not printed, and does not matter to Fleiss' kappa.
COUNTS = [
    "00060", "03003", "01401", "00006", "03030", "20400", "00402", "20310", "20040", "00006",
    "10050", "11040", "03300", "10050", "02031", "00501", "30012", "51000", "02040", "10203",
    "00006", "01050", "02013", "20040", "10041", "05010", "40002", "02040", "10500", "00006",
]  # fmt: skip
DIAGNOSES = np.array([np.repeat([1.0, 2, 3, 4, 5], [int(n) for n in row]) for row in COUNTS])

# 3 raters of the anxiety of 20 subjects: the data set of R's irr package.
ANXIETY = np.array(
    [
        [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3],
        [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
        [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2],
    ],
    dtype=float,
).T
