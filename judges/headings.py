"""What a heading says of the list below it: that it is recommended, or that it is anything else.

pick([("You liked:", one), ("My recommendations:", other)])      [other]
"""

import re

# Of a heading or a key of JSON. "Since you liked …" speaks of what is recommended.
RECOMMENDED = re.compile(
    r"recommend|suggest|based on|basierend|basado|basándo|\bpicks?\b|\bnext\b|\bnew\b|similar|"
    r"you (?:may|might|could|will|would|'ll|'d)|\b(?:because|since|if|as) you\b|\btry\b|"
    r"\bto watch\b|empf[ie]hl|empfehl|recom[ie]end|sugerencia"
    r"|gefallen könnte|podrían? gustar",
    re.IGNORECASE,
)
OTHERWISE = re.compile(
    r"\b(?:avoid|skip|exclude|excluded|not recommended|instead of)\b|"
    r"\byou(?:'ve| have)?(?: already| just| also)? (?:liked|loved|rated|watched|saw|seen|enjoyed|"
    r"gave|disliked|hated|read)\b|^(?:dis)?liked|^loved|^(?:already )?(?:rated|watched|seen)|"
    r"\bhistory\b|\byour (?:ratings?|favou?rites?|films|movies|list)\b|\bprevious|\bpast\b|"
    r"\binput\b|"
    r"\bbewertet|\bgesehen|\bvermeiden|\bmeiden|\bvist[oa]s\b|\bevitar\b|\bte gust(?:ó|aron)",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"\b(?:not|don't|won't|wouldn't|never|avoid|skip)\b(?! (?:to )?(?:be )?miss)", re.IGNORECASE
)
# "Films that you have not seen yet": these are no others than those that are recommended.
UNSEEN = re.compile(
    r"\b(?:not|never|haven't|hasn't|yet to)\b.*\b(?:see|seen|rated|watch|watched|read)\b|"
    r"\bun(?:seen|rated|watched)\b",
    re.IGNORECASE,
)
MARKS = " \t*_#:"


def says(heading):
    """Whether it says that what follows is recommended: True, False, or None for neither."""
    if UNSEEN.search(heading):
        return True
    if RECOMMENDED.search(heading) and not NEGATED.search(heading):
        return True
    return False if OTHERWISE.search(heading) or NEGATED.search(heading) else None


def pick(headed):
    """Of [(heading, whatever)] what may be recommended: that below a heading that says so, else
    all but that below headings which say something else.
    """
    said = [(says(heading), each) for heading, each in headed]
    chosen = [each for is_meant, each in said if is_meant]
    return chosen or [each for is_meant, each in said if is_meant is None]


def is_heading(line):
    """Whether a line is only a heading: Markdown's, or one in bold, or one with a colon behind."""
    text = line.strip()
    bold = text.startswith("**") and text.rstrip(":").endswith("**") and text.count("**") == 2
    return text.startswith("#") and text.lstrip("#")[:1] == " " or bold or text.endswith(":")


def sections(lines, is_entry):
    """[(heading, its lines)]; what stands before the first heading has a blank one."""
    found = [("", [])]
    for line in lines:
        if is_heading(line) and not is_entry(line):
            found.append((line.strip(MARKS), []))
        else:
            found[-1][1].append(line)
    return found
