"""Small study files for tests of loading."""

from judges.files import check_files, load_files

STUDY = """\
study: films
title: Films
raters_per_item: 2
questions:
  - {key: persuasiveness, text: This explanation is convincing to me., scale: likert5}
  - {key: fits, text: I would watch it., scale: binary}
  - {key: why, text: My reason, scale: text, required: false}
"""
ITEMS = """\
item,recipient,content,system,text,length
e1,anna,film-1,template,Because you like films.,short
e2,anna,film-1,personal,"Slow, and quiet.",long
"""
RATINGS = """\
item,rater,role,question,value
e1,ann,third_party,persuasiveness,4
e2,ann,third_party,persuasiveness,2
e1,bob,third_party,persuasiveness,5
"""
JUDGMENTS = """\
item,judge,question,value
e1,BLEU,persuasiveness,3.25
e2,BLEU,persuasiveness,1.5
"""


def write(folder, study=STUDY, suffix=".csv", **tables):
    """Writes study.yaml and the tables; returns (path of study.yaml, {table: path})."""
    paths = {}
    for name, text in {"study": study, **tables}.items():
        if text is not None:
            path = folder / ("study.yaml" if name == "study" else name + suffix)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths[name] = path
    return paths.pop("study", None), paths


def load(folder, **files):
    """Loads the texts as files; returns the StudyLoading."""
    return load_files(*write(folder, **files))


def check(folder, **files):
    return check_files(*write(folder, **files))


def messages(loading):
    return [str(problem) for problem in loading.problems.shown]
