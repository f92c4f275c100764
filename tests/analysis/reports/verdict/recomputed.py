"""Answer from the export alone, by the printed formulas: may each judge rate items of a question?

Written apart from the product, with its own names: none of its functions is used here.
"""

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, t


def parts(z, i, j, f, g, q=None):  # ratings, items, raters; judge, cluster and group of each item
    m, n, big = np.bincount(i), len(f), np.bincount(j)
    zbar, f = np.bincount(i, z) / m, f - f.mean()
    zo, fo = (x * 0 if q is None else of_others(x, q) for x in (zbar, f))  # of the group's others
    o = (m[i] * zbar[i] - z) / (m[i] - 1) - zo[i]
    zz = z * z - 2 * z * zo[i]
    a, c = np.bincount(i, z * z - z * zo[i]) / m, np.bincount(i, z * o) / m
    fz, ff = f * zbar - (f * zo + fo * zbar) / 2, f * f - f * fo
    mean = (np.bincount(i, zz) / m).mean()
    vh, ch, vf, cf = a.mean(), c.mean(), ff.mean(), fz.mean()
    rho, s = ch / vh, np.sqrt(vf * vh)
    if vf < 1e-12:
        s = r = np.nan
    else:
        r = cf / s
    psi = {"h": (c - rho * a) / vh, "f": fz / s - r / 2 * (ff / vf + a / vh)}
    u = {"h": (2 * (z * o - ch) - rho * (zz - mean)) / (m[i] * vh)}
    u["f"] = (((f - fo)[i] * z - cf) / s - r / 2 * (zz - mean) / vh) / m[i]

    def test(x, k):  # estimate, error and df of x r - k rho
        return x * r - k * rho if x else rho, *error(psi, u, x, k if x else -1, g, j, n, big)

    return rho, r, test


def error(psi, u, x, k, g, j, n, big):
    p, w = (x * d["f"] - k * d["h"] if x else d["h"] for d in (psi, u))
    return two_way(p, w, g, j, n, big)


def two_way(p, w, g, j, n, big):
    groups, raters, more = g.max() + 1, len(big), 0.0
    v = groups / (groups - 1) * (np.bincount(g, p) ** 2).sum() / n**2
    if raters >= 10:
        by_rater = raters / (raters - 1) * (np.bincount(j, w) ** 2).sum()
        more = max(0.0, (by_rater - (w * w).sum()) / n**2)
    return np.sqrt(v + more), (min(groups, raters) if more else groups) - 1


def p_above(x, bound=0.0):
    return t.sf((x[0] - bound) / x[1], x[2])


def upper(x):
    return x[0] + t.ppf(0.95, x[2]) * x[1]


def of_others(x, q):
    return (np.bincount(q, x)[q] - x) / (np.bincount(q)[q] - 1)


def within(z, i, j, f, g, q):
    """Return the same without items that are alone in their group."""
    keep = np.bincount(q)[q] > 1
    rated = keep[i]
    codes = i[rated], j[rated], g[keep], q[keep]
    i, j, g, q = (np.unique(own, return_inverse=True)[1] for own in codes)
    return z[rated], i, j, f[keep], g, q


def residual(table, y):
    return y - table @ np.linalg.lstsq(table, y, rcond=None)[0]


def answer(y, i, j, f, g, checks, span):
    """Return (reason, judge's p, people's p) of one judge and question; delta .25 on 5 points."""
    m, panel = np.bincount(i), np.bincount(j) >= 30
    ybar = np.bincount(i, y) / m
    centre = np.where(
        panel, np.bincount(j, y) / np.bincount(j), y[~panel[j]].mean() if not panel.all() else 0
    )
    z = y - (centre[j] if panel.any() else ybar.mean())
    rho, r, test = parts(z, i, j, f, g)
    if np.isnan(r):
        return "says_nothing", 1.0, p_above(test(0, 0))
    people, theta = test(0, 0), test(1, 2 / 3)
    d, w = f - ybar, (ybar.mean() - y) / m[i]
    b = d.mean(), *two_way(d - d.mean(), w, g, j, len(f), np.bincount(j))
    p_level = max(p_above(b, -span), t.cdf((b[0] - span) / b[1], b[2]))
    judge_p, people_p, why = [p_above(theta), p_level], [p_above(people)], ""
    for name, table in checks.items():
        if table.ndim == 1:  # groups of few items
            _, r2, test2 = parts(*within(z, i, j, f, g, table))
        else:
            resid = residual(table, f)
            _, r2, test2 = parts(y - (ybar - residual(table, ybar))[i], i, j, resid, g)
        own, kept = test2(0, 0), test2(1, 1 / 2)
        people_p, judge_p = [*people_p, p_above(own)], [*judge_p, p_above(kept)]
        if max(people_p[-1], judge_p[-1]) >= 0.05:
            why = why or ("length_only" if name == "length" else "system_only")
    states = [
        (len(f) < 30 or g.max() < 9, "too_few"),
        (rho < 0.1 and upper(people) < 0.2, "raters_disagree"),
        (rho < 0.1 or p_above(people) >= 0.05, "people_unsure"),
        (upper(theta) < 0, "may_not"),
        (p_above(theta) >= 0.05, "undecided"),
        (bool(why), why),
        (abs(b[0]) - t.ppf(0.95, b[2]) * b[1] > span, "level_off"),
        (p_level >= 0.05, "order_only"),
    ]
    return next((s for is_so, s in states if is_so), "may"), max(judge_p), max(people_p)


def dummies(values):
    """Return the dummies of a grouping, groups below five items joined; below five a group codes.

    None below two a group.
    """
    sizes = values.map(values.value_counts())
    joined = values.where(sizes >= 5, "others")
    if len(values) < 5 * values.nunique():
        return pd.factorize(values)[0] if len(values) >= 2 * values.nunique() else None
    return pd.get_dummies(joined).to_numpy(float) if joined.nunique() > 1 else None


def recompute(scores, items):
    """Return {(judge, question): reason} after the family, from two tables of the export."""
    out, p, whose = {}, {}, {}
    people, judges = (scores[scores["source"] == s] for s in ("human", "judge"))
    length = items.set_index("item")["text"].fillna("").str.strip().str.len()
    for (question, judge), rows in judges.groupby(["question", "judge"], sort=False):
        rated = people[people["question"] == question]
        own = rows[rows["value"].between(1, 5)].set_index("item")["value"]
        if len(own) * 2 < len(rows):
            continue  # on a scale of its own
        rated = rated[rated["item"].isin(own.index)]
        rated = rated[rated.groupby("item")["rater"].transform("size") > 1]
        i, names = pd.factorize(rated["item"])
        about = items.set_index("item").loc[names]
        long = np.log1p(length.loc[names].to_numpy(float))
        checks = {}
        if np.ptp(long) > 0:
            deciles = np.quantile(long, np.arange(1, 10) / 10)
            checks["length"] = np.column_stack([np.ones(len(long)), long, long[:, None] > deciles])
        for name in ("system", "content"):
            if (table := dummies(about[name])) is not None:
                checks[name] = table
        g = pd.factorize(about["content"])[0]
        y, j = rated["value"].to_numpy(float), pd.factorize(rated["rater"])[0]
        reason, p[judge, question], whose_p = answer(
            y, i, j, own.loc[names].to_numpy(), g, checks, 0.25
        )
        out[judge, question] = reason
        whose[question] = min(whose.get(question, 1.0), whose_p)
    adjusted = dict(zip(p, false_discovery_control([*p.values()]), strict=True))
    ranked = sorted(whose, key=whose.get)
    holm, worst = {}, 0.0
    for place, question in enumerate(ranked):
        worst = max(worst, (len(ranked) - place) * whose[question])
        holm[question] = worst
    return {
        key: "undecided"
        if reason == "may" and max(adjusted[key], holm[key[1]]) >= 0.025
        else reason
        for key, reason in out.items()
    }
