"""Recompute from the export's scores.csv and items.csv which judges may rate items on 1..5."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, rankdata, t


def measure(Y, Z, F, about, k):  # rho, r - k rho and level b, as t distributions about estimates
    rest = Z.loc[:, Z.count() < 30].stack().mean() if max(Z.count()) > 29 else Z.mean(axis=1).mean()
    Y, Z = Y.to_numpy(), (Z - Z.mean().where(Z.count() > 29, rest)).to_numpy()
    m, f, n = (~np.isnan(Y)).sum(1)[:, None], (F - F.mean())[:, None], len(Y)
    g, c = pd.get_dummies(about["cluster"]).to_numpy(float), (~np.isnan(Y)).sum(0)
    G, E = g.shape[1], c.sum() ** 2 / (c**2).sum()  # clusters, and what the raters are worth
    others = (np.nansum(Z, 1)[:, None] - Z) / (m - 1)
    parts = np.array([Z * Z, Z * others, f * Z, f * f + 0 * Z, F[:, None] - Y])  # of each rating
    mean = (x := np.nanmean(parts, 2)).mean(1) + [0, 0, 0, 1e-99, 0]  # x: of each item
    V_H, C_HH, C_FH, V_F, b = mean[:, None] + 1e-30j * np.eye(5, 6)  # so that .imag has the slopes
    both = np.array([C_HH / V_H, C_FH / (V_F * V_H) ** 0.5 - k * C_HH / V_H, b])
    slopes, values = both.imag[:, :5] / 1e-30, both.real[:, 5]
    u = np.tensordot(slopes * [1, 2, 1, 0, 1], parts - mean[:, None, None], 1) / m
    by_rater = (np.nansum(u, 1) ** 2).sum(1) / (1 - 2 * E * (c**3).sum() / c.sum() ** 3 + 1 / E)
    add = (E >= 10) * (by_rater - np.nansum(u**2, (1, 2))).clip(0)
    squares = G / (G - 1) * ((slopes @ (x - mean[:, None]) @ g) ** 2).sum(1) + add
    return t(np.where(add > 0, min(G, E), G) - 1, values, squares**0.5 / n)


def measure_left(Y, F, about, k):  # the same beyond all that is known of the items, at once
    by, n = about["length"], len(F)
    groups = [about[name].fillna("none") for name in ("system", "content", "recipient")]
    groups = [by for by in groups if n >= by.nunique() * (2 if by.name == "system" else 5)]
    cells = [a + "\n" + b for a, b in combinations(groups, 2)]
    cells = [by.where(by.map(by.value_counts()) >= 5, "others") for by in cells]
    cells.append(pd.qcut(by, 10, labels=False, duplicates="drop"))
    columns = [pd.get_dummies(by).to_numpy(float) for by in groups + cells]
    table = np.column_stack([np.ones(n), by, *columns])
    both = np.column_stack([Y.mean(axis=1), F])
    fit, _, rank, _ = np.linalg.lstsq(table, both)
    means, f = (both - table @ fit).T
    means = means * (n / max(n - rank, 1)) ** 0.5 - Y.mean(axis=1)
    return measure(Y, (Y.T + means).T, f * (np.var(f) > 1e-6 * np.var(F)), about, k)


def decide(ratings, F):  # the reason, the largest p of people, the largest p of the judge
    Y = ratings[ratings.index.isin(F.index) & (ratings.count(axis=1) > 1)].dropna(axis=1, how="all")
    about, F, means = items.loc[Y.index], F[Y.index].to_numpy(), Y.mean(axis=1).to_numpy().round(9)
    q, left = measure(Y, Y, F, about, 2 / 3), measure_left(Y, F, about, 1 / 2)
    margin = max(0.25, 0.2 * np.nanstd(ratings[ratings.count(axis=1) > 1]))
    b = max(q.cdf(-margin)[2], q.sf(margin)[2])
    b = 2 if np.ptp(np.ceil(F - 0.5)) == 0 else b  # rounded to the scale it gives one answer
    p, rest = [q.cdf(0)[:2], left.cdf(0)[:2]], 0.0
    for values, times in ((F, 1), (-F, 1), (means, 5), (-means, 5)) * bool(np.max(p) < 0.05):
        below = rankdata(values, "max")  # without the plainest items, at an end of the values
        keep = below > min(below[below >= 0.1 * len(F)].min(), 0.35 * len(F))
        if not keep.all():
            is_few = sum(keep) < 30 or np.ptp(F[keep]) == 0
            own = 1 if is_few else measure_left(Y[keep], F[keep], about[keep], 0).cdf(0)[1]
            rest = max(rest, min(1, own * times))
    G, p = about["cluster"].nunique(), [*p, [0, min(b, 1)], [0, rest]]
    s = {"says_nothing": np.ptp(F) == 0, "too_few": len(F) < 30 or G < 10}
    s |= {"raters_disagree": q.cdf(0.1)[0] > 0.95}
    s |= {"people_unsure": q.median()[0] < 0.1 or p[0][0] >= 0.05}
    s |= {"may_not": p[0][1] > 0.95, "undecided": p[0][1] >= 0.05}
    s |= {"known_features": max(p[1]) >= 0.05, "extremes_only": rest >= 0.05}
    s |= {"level_off": 0.95 < b < 2, "order_only": b >= 0.05}
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
