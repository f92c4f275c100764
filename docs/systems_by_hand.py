"""Recompute from the export's scores.csv and items.csv which judges may compare systems on 1..5."""

import numpy as np
import pandas as pd
from scipy.stats import chi2, false_discovery_control, t


def differences(x, of, cluster, s, r):  # mean(r) - mean(s) of x, its error and df, of all pairs
    n, G = np.bincount(of), max(cluster) + 1
    mean, psi = np.bincount(of, x) / n, np.zeros((G, len(n)))
    here = pd.crosstab(cluster, of).to_numpy() > 0
    np.add.at(psi, (cluster, of), (x - mean[of]) / n[of])
    df, squares = (here[:, s] | here[:, r]).sum(0) - 1, ((psi[:, r] - psi[:, s]) ** 2).sum(0)
    return mean[r] - mean[s], (squares * (df + 1) / np.fmax(df, 1e-9)) ** 0.5 + 1e-99, df


def max_t(x, of, cluster, s, r, own):  # p of each pair's difference of x, by draws of all means
    n, psi = np.bincount(of), np.zeros((max(cluster) + 1, max(of) + 1))
    np.add.at(psi, (cluster, of), (x - (np.bincount(of, x) / n)[of]) / n[of])
    values, vectors = np.linalg.eigh(psi.T @ psi)
    rng, df = np.random.default_rng(0), max(own[2].min(), 1)
    drawn = rng.normal(size=(1999, len(n))) * values.clip(0) ** 0.5 @ vectors.T
    drawn /= (rng.chisquare(df, size=(1999, 1)) / df) ** 0.5
    largest = abs((drawn[:, r] - drawn[:, s]) / own[1]).max(axis=1)
    return (1 + (largest[:, None] >= abs(own[0]) / own[1]).sum(axis=0)) / 2000


def compare(both):  # a row of all systems, then one of each pair
    y, F = both[["y", "F"]].to_numpy().T
    (of, names), g = both["system"].factorize(sort=True), both["cluster"].factorize()[0]
    if len(names) < 2 or len(names) == len(y):
        return [{"reason": "not_comparable"}]
    (s, r), S = np.triu_indices(len(names), 1), len(names)
    (e, se, df), people, own = (differences(x, of, g, s, r) for x in (F - y, y, F))
    p = t.sf((0.3 - abs(e)) / se, df)  # the larger of two one-sided tests
    p_people, p_own = (2 * t.sf(abs(d) / error, df) for d, error, df in (people, own))
    reach, half = t.isf(0.025 / len(s), df) * se, t.isf(0.025, df) * se
    off, favours, apart = abs(e) - reach > 0.3, abs(e) > reach, p_people * len(s) < 0.05
    wrong, order, last = people[0] * own[0] <= 0, p.argsort(), p_own[abs(people[0]).argmax()]
    states = {"says_nothing": np.ptp(F) == 0, "too_few": min(np.bincount(of)) < 30 or min(df) < 9}
    states |= {"favours": off.any(), "no_difference": not apart.any(), "margin": p.max() >= 0.05}
    states |= {"order": (apart & wrong).any(), "widest": last >= 0.05}
    state = next((name for name in states if states[name]), "few_systems" if S < 3 else "may")
    lack = state if state in ("margin", "order", "widest") else ""
    D = np.bincount(of, F - y) / np.bincount(of)  # of each system; its SD is told from eight on
    sd = np.std(D, ddof=1) * np.array([1, *((S - 1) / chi2.ppf([0.975, 0.025], S - 1)) ** 0.5])
    whole = {"reason": "undecided" if lack else state, "missing": lack, "favours": favours.any()}
    whole |= dict(zip(("sd", "sd_low", "sd_high"), sd if S > 7 else sd + np.nan, strict=True))
    holm = np.maximum.accumulate(p[order] * np.arange(len(s), 0, -1)).clip(max=1)[order.argsort()]
    pairs = pd.DataFrame({"level": e, "level_low": e - half, "level_high": e + half, "level_p": p})
    reasons = ["favours", "undecided", "no_difference", "favours", "undecided"]
    unseen = max_t(F, of, g, s, r, own) >= 0.05
    reasons = np.select([off, holm >= 0.05, ~apart, wrong, unseen], reasons, "may")
    pairs = pairs.assign(reason=reasons, favours=favours, p_adjusted=holm, a=names[s], b=names[r])
    return [whole | {"judge_p": max(p.max(), last, np.ptp(F) == 0)}, *pairs.to_dict("records")]


scores, items = (pd.read_csv(f"{name}.csv", dtype=str) for name in ("scores", "items"))
words = pd.to_numeric(scores["value"], "coerce").isna() & scores["value"].notna()
scores = scores[~scores["question"].isin(scores["question"][words])]  # choices among words
items["cluster"] = items[["content", "recipient", "item"]].bfill(axis=1)["content"]
items, lines = items.set_index("item"), []
for asked, d in scores[scores["excluded"] != "true"].astype({"value": float}).groupby("question"):
    ratings = d[d["source"] == "human"].pivot_table("value", "item", "rater")
    y = ratings.mean(axis=1)[ratings.count(axis=1) > 1]
    for judge, own in d[d["source"] == "judge"].groupby("judge"):
        F = own[own["value"].between(1, 5)].set_index("item")["value"]
        both = items.assign(y=y, F=F).dropna(subset=["y", "F", "system"])
        if len(F) * 2 >= len(own) and len(both):
            lines += [{"judge": judge, "question": asked} | row for row in compare(both)]
d = pd.DataFrame(lines).assign(p=lambda d: d[["judge_p"]].dropna().apply(false_discovery_control))
d.loc[(d["reason"] == "may") & (d["p"] >= 0.025), ["reason", "missing"]] = "undecided", "correction"
print(d.to_csv(index=False))
