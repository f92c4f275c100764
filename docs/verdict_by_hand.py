"""Recompute from the export's scores.csv and items.csv which judges may rate items on 1..5.

For panels, and judges that hold no ratings: what raters gave to other items is left out here.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, rankdata, t


def measure(Y, Z, F, g, k):  # rho, r - k rho and level b, as t distributions about the estimates
    rest = Z.loc[:, Z.count() < 30].stack().mean() if max(Z.count()) > 29 else Z.mean(axis=1).mean()
    Y, Z = Y.to_numpy(), (Z - Z.mean().where(Z.count() > 29, rest)).to_numpy()
    m, f, n, G = (~np.isnan(Y)).sum(1)[:, None], (F - F.mean())[:, None], len(Y), max(g) + 1
    E = (c := (~np.isnan(Y)).sum(0)).sum() ** 2 / (c**2).sum()  # what the raters are worth
    heavy = 1 / (1 - 2 * E * (c**3).sum() / c.sum() ** 3 + 1 / E)
    others = (np.nansum(Z, 1)[:, None] - Z) / (m - 1)
    parts = np.array([Z * Z, Z * others, f * Z, f * f + 0 * Z, F[:, None] - Y])  # of each rating
    x, slopes = np.nanmean(parts, 2), np.eye(3, 5, 2)  # x: a, c, f, g and F - ybar of each item
    V_H, C_HH, C_FH, V_F, b = mean = x.mean(1) + [0, 0, 0, 1e-99, 0]
    r, slopes[0, :3] = C_FH / (V_F * V_H) ** 0.5, [-(rho := C_HH / V_H) / V_H, 1 / V_H, 0]
    slopes[1, :4] = (k * rho - r / 2) / V_H, -k / V_H, (V_F * V_H) ** -0.5, -r / 2 / V_F
    u = np.tensordot(slopes * [1, 2, 1, 0, 1], parts - mean[:, None, None], 1) / m
    add = (E >= 10) * ((np.nansum(u, 1) ** 2).sum(1) * heavy - np.nansum(u**2, (1, 2))).clip(0)
    squares = G / (G - 1) * ((slopes @ (x - mean[:, None]) @ np.eye(G)[g]) ** 2).sum(1) + add
    return t(np.where(add > 0, min(G, E), G) - 1, (rho, r - k * rho, b), squares**0.5 / n)


def measure_left(Y, F, about, k):  # the same beyond all that is known of the items, at once
    by, n = about["length"], len(F)
    tables = [np.ones(n), by, *(by > decile for decile in by.quantile(np.arange(1, 10) / 10))]
    groups = [about[name].fillna("none") for name in ("system", "content", "recipient")]
    groups = [by for by in groups if n >= by.nunique() * (2 if by.name == "system" else 5)]
    for by in groups + [a + "\n" + b for a, b in combinations(groups, 2)]:
        large = by.map(by.value_counts()) >= (5 if by.name is None else 1)
        tables.append(pd.get_dummies(by.where(large, "others")).to_numpy(float))
    table, both = np.column_stack(tables), np.column_stack([Y.mean(axis=1), F])
    fit, _, rank, _ = np.linalg.lstsq(table, both)
    means, f = (both - table @ fit).T
    means = means * (n / max(n - rank, 1)) ** 0.5 - Y.mean(axis=1)
    left = f * (np.var(f) > 1e-6 * np.var(F))
    return measure(Y, (Y.T + means).T, left, about["cluster"].factorize()[0], k)


def p_of_rest(Y, F, about):  # the largest p of r > 0 without the items at an end
    p, means = [0.0], Y.mean(axis=1).to_numpy().round(9)
    for values, times in ((F, 1), (-F, 1), (means, 5), (-means, 5)):
        below = rankdata(values, "max")  # as many items are at most as high
        keep = below > min(below[below >= 0.1 * len(F)].min(), 0.35 * len(F))
        if not keep.all():
            few = sum(keep) < 30 or np.ptp(F[keep]) == 0
            q = 1 if few else measure_left(Y[keep], F[keep], about[keep], 0).cdf(0)[1]
            p.append(min(1, q * times))
    return max(p)


def decide(ratings, F):  # the reason, the largest p of people, the largest p of the judge
    Y = ratings[ratings.index.isin(F.index) & (ratings.count(axis=1) > 1)].dropna(axis=1, how="all")
    about, F = items.loc[Y.index], F[Y.index].to_numpy()
    q = measure(Y, Y, F, g := about["cluster"].factorize()[0], 2 / 3)
    margin = max(0.25, 0.2 * np.nanstd(ratings[ratings.count(axis=1) > 1]))
    p, b = [q.cdf(0)[:2]], max(q.cdf(-margin)[2], q.sf(margin)[2])
    b = 2 if np.ptp(np.ceil(F - 0.5)) == 0 else b  # rounded to the scale it gives one answer
    p.append(measure_left(Y, F, about, 1 / 2).cdf(0)[:2])
    rest = p_of_rest(Y, F, about) if np.max(p) < 0.05 else 0
    s = {"says_nothing": np.ptp(F) == 0, "too_few": len(F) < 30 or max(g) < 9}
    s |= {"raters_disagree": q.cdf(0.1)[0] > 0.95}
    s |= {"people_unsure": q.median()[0] < 0.1 or p[0][0] >= 0.05}
    s |= {"may_not": p[0][1] > 0.95, "undecided": p[0][1] >= 0.05}
    s |= {"known_features": max(p[1]) >= 0.05, "extremes_only": rest >= 0.05}
    s |= {"level_off": 0.95 < b < 2, "order_only": b >= 0.05}
    p += [[0, min(b, 1)], [0, rest]]
    return next((reason for reason in s if s[reason]), "may"), *np.max(p, axis=0)


scores, items = (pd.read_csv(f"{name}.csv", dtype=str) for name in ("scores", "items"))
words = pd.to_numeric(scores["value"], "coerce").isna() & scores["value"].notna()  # no numbers
scores = scores[~scores["question"].isin(scores["question"][words])]
items["length"] = np.log1p(items["text"].fillna("").str.strip().str.len())
items["cluster"] = items[["recipient", "content", "item"]].bfill(axis=1)["recipient"]
items, people, rows = items.set_index("item"), {}, dict[tuple, tuple]()
for asked, d in scores[scores["excluded"] != "true"].astype({"value": float}).groupby("question"):
    ratings = d[d["source"] == "human"].pivot_table("value", "item", "rater")
    people[asked] = decide(ratings, ratings.mean(axis=1))[1]
    for judge, own in d[d["source"] == "judge"].groupby("judge"):
        F = own[own["value"].between(1, 5)].set_index("item")["value"]
        rows |= {(judge, asked): decide(ratings, F)} if len(F) * 2 >= len(own) else {}
table = pd.DataFrame(rows, ["reason", "people_p", "judge_p"]).T
holm = (pd.Series(people).sort_values() * np.arange(len(people), 0, -1)).cummax()
p = np.maximum(false_discovery_control([*table["judge_p"]]), [holm[asked] for _, asked in rows])
table["reason"] = table["reason"].mask((table["reason"] == "may") & (p >= 0.025), "undecided")
print(table.assign(p=p).to_csv(index_label=["judge", "question"]))
