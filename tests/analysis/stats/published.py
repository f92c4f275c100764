"""Published rating data, units in rows and raters in columns."""

from io import StringIO

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

# The data set "attitude" of R (Chatterjee & Price 1977): 30 departments, 7 answers each; and the
# column r.drop (an item against the rest) that psych::alpha(attitude) prints, two decimals.
_ATTITUDE_ROWS = """
43 63 71 61 81 43 58 71 72 67 64 67 69 68 77 81 74 65 65 50 50 64 53 40 63 66 78 48 85 82
51 64 70 63 78 55 67 75 82 61 53 60 62 83 77 90 85 60 70 58 40 61 66 37 54 77 75 57 85 82
30 51 68 45 56 49 42 50 72 45 53 47 57 83 54 50 64 65 46 68 33 52 52 42 42 66 58 44 71 39
39 54 69 47 66 44 56 55 67 47 58 39 42 45 72 72 69 75 57 54 34 62 50 58 48 63 74 45 71 59
61 63 76 54 71 54 66 70 71 62 58 59 55 59 79 60 79 55 75 64 43 66 63 50 66 88 80 51 77 64
92 73 86 84 83 49 68 66 83 80 67 74 63 77 77 54 79 80 85 78 64 80 80 57 75 76 78 83 74 78
45 47 48 35 47 34 35 41 31 41 34 41 25 35 46 36 63 60 46 52 33 41 37 49 33 72 49 38 55 39
"""
ATTITUDE = np.loadtxt(StringIO(_ATTITUDE_ROWS)).T
ATTITUDE_R_DROP = [0.67, 0.74, 0.56, 0.71, 0.79, 0.27, 0.46]

# Fleiss (1971), Psychological Bulletin 76, table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
# Which psychiatrist said what is not printed, and does not matter to Fleiss' kappa.
COUNTS = [
    "00060",
    "03003",
    "01401",
    "00006",
    "03030",
    "20400",
    "00402",
    "20310",
    "20040",
    "00006",
    "10050",
    "11040",
    "03300",
    "10050",
    "02031",
    "00501",
    "30012",
    "51000",
    "02040",
    "10203",
    "00006",
    "01050",
    "02013",
    "20040",
    "10041",
    "05010",
    "40002",
    "02040",
    "10500",
    "00006",
]
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
