"""A recommender's reply -> what it names, in its order, or the reason why none can be read.

Numbered and bulleted lines, plain lines, lists with commas or semicolons, JSON arrays, and prose
in which each title is quoted or bold and recommended. What could be read in two ways is not read:
never a guess.
"""

import re
import unicodedata
from dataclasses import dataclass

from judges import headings, numberings, replied_json, title_lines
from judges.parsing import LONGEST_REPLY, MOST_TITLES, Reason, storable
from judges.titles import YEAR

THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
# Where a prompt's template opens the thoughts, a reply only ends them.
UNOPENED = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
QUOTED = re.compile(r"^> ?", re.MULTILINE)
BULLET = re.compile(r"^(\s*)[-*•·‣▪+–—]\s+(.+)$")
# What a reply may write before a title: "Title: Heat", "Movie 1: Heat".
LABEL = re.compile(
    r"^[*_]*(?:title|(?:movie|film|recommendation)(?: title)?(?: ?#?\d{1,3})?)[*_]*:[*_]*\s+(?=\S)",
    re.IGNORECASE,
)
# In a heading in bold, which could be a title else.
NAMED = re.compile(r"\b(?:recommend|suggest|empfehl|recomend|sugerenc)", re.IGNORECASE)
ARRAY = re.compile(r"\[\s*[\"{]")
LONGEST_TITLE = 200  # characters; what is longer is no title
MOST_PIECES = 8  # that commas may make of one title
LONGEST_SENTENCE = 2_000  # characters looked at before a title in prose
LONG = 12  # words: a plain line of more is a sentence
QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "‘": "’", "`": "`", "**": "**", "*": "*",
          "__": "__", "_": "_", "'": "'"}  # fmt: skip
MARKED = re.compile(
    r"(?:\*\*(?P<bold>[^*\n]+)\*\*|[\"“«](?P<quoted>[^\"“”«»\n]+)[\"”»])"
    r"(?P<year>,?\s*[(\[](?:18|19|20)\d\d[)\]])?"
)
# How a line begins that speaks of the list; and how one may begin that does, or is a title.
OPENS = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|ok|absolutely|great|thanks)[,!.]|"
    r"here(?:'s| is| are) |the following (?:are|is|movies|films)|note:|"
    r"based on (?:the|your|this|these|those|user)\b|i hope (?:you|these|this)\b|"
    r"i (?:would |'d )?(?:recommend|suggest) |"
    r"let me know|feel free|enjoy[.!]|enjoy (?:your|the|these|watching)\b|happy watching|"
    # Of the languages that recommend.v1 is translated into.
    r"(?:gerne|natürlich|klar|selbstverständlich)[,!.]|hier (?:sind|kommen) |ich hoffe,|"
    r"ich empfehle |viel (?:spaß|vergnügen)\b|basierend auf |¡?(?:claro|por supuesto)[,!.]|"
    r"aquí (?:tienes?|están|te dejo) |espero que |te recomiendo |basado en |basándome en )",
    re.IGNORECASE,
)
MAY_OPEN = re.compile(
    r"^(?:i|i'(?:d|ve|m|ll)|you|we|given|since|because|as|these|those|below|please|thank|hope|my|"
    r"your|recommendations?|top)\b",
    re.IGNORECASE,
)
DECLINES = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:not|'t)|could not|couldn't)|"
    r"(?:tut mir leid|lo siento)[,.]|"
    r"as an? (?:ai|language model)|i apologi[sz]e|sorry,)|^\W*(?:no|none|n/a|nothing)\W*$",
    re.IGNORECASE,
)
# In prose: what stands before a title that is recommended, and before one that is only spoken of.
RECOMMENDS = re.compile(
    r"(?P<yes>(?<!not )(?<!n't )(?<!never )"
    r"\b(?:recommend|suggest|try|watch|watching|consider|check out|advise)\b|"
    r"(?:\b(?:may|might|could|would|will|should)|'ll|'d)(?: (?!not)\w+)? "
    r"(?:like|love|enjoy|appreciate)\b)|"
    r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed)|enjoy(?:s|ed)?|rat(?:e|ed|ing|ings)|gave|since|"
    r"because|as you|given|based on|fans? of|similar to|instead of|unlike|than|watch|watched|seen|"
    r"not|don't)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[.!?][\"”)]?\s+")
EXPLAINS = re.compile(r"\s+[-–—]+\s+|\s*[:|]\s+|\s+[(](?!(?:18|19|20)\d\d[)])")
# What titles write small; any other small word behind a dash or a colon is of an explanation.
SMALL = {
    "a", "an", "and", "as", "at", "but", "by", "de", "der", "des", "di", "du", "el", "for",
    "from", "if", "in", "into", "is", "it", "la", "le", "les", "nor", "of", "off", "on", "or",
    "per", "so", "than", "that", "the", "to", "und", "up", "upon", "van", "via", "von", "vs",
    "with", "y",
}  # fmt: skip
SPOKEN = 8  # words


@dataclass(frozen=True)
class Said:
    """One entry. title: without its explanation; whole: as it stands, which may be the title."""

    title: str
    whole: str


def read(reply, k=0, finish_reason="stop", is_title=None):
    """[Said] of a reply, or the Reason why it cannot be read.

    k: how many were asked for; a reply that was cut off at its token limit is read once it has so
    many whole entries. is_title: says of a text whether a content is called so; with it a comma
    within such a title ends no entry.
    """
    reply = reply.replace("’", "'").replace("\r", "\n")
    if len(reply) > LONGEST_REPLY:
        return Reason.REPLY_TOO_LONG
    reply = QUOTED.sub("", UNOPENED.sub("", THOUGHTS.sub("", reply)))
    if not any(map(_is_seen, reply)):
        return Reason.EMPTY
    inside = replied_json.fenced(reply)
    found = _entries(inside, is_title or _no_title) if inside else Reason.NO_LIST
    if finish_reason == "length":
        whole = [] if isinstance(found, Reason) else found[:-1]
        return whole if k and len(whole) >= k else Reason.CUT_OFF
    return found


def _no_title(_text):
    return False


def _is_seen(letter):
    """Whether a letter is one: no space, and nothing that only tells others how to stand."""
    return unicodedata.category(letter) not in ("Zs", "Zl", "Zp", "Cc", "Cf")


def _entries(text, is_title):
    if text.lstrip()[:1] in ("[", "{") or ARRAY.search(text):
        titles = replied_json.read(text)
        return titles if isinstance(titles, Reason) else _said(titles)
    lines = _meant([line for line in text.split("\n") if line.strip()])
    if not lines:
        return Reason.NO_LIST
    if marked := numberings.read(lines) or _bulleted(lines):
        return marked if isinstance(marked, Reason) else _said(marked, is_title)
    if DECLINES.search(text[:300]):
        return Reason.DECLINED
    return _plain(lines, is_title)


def _meant(lines):
    """Without what stands below headings that say it was rated, or is to be avoided; where one says
    that it recommends, only what stands below such.
    """
    listed = [
        (heading, own)
        for heading, own in headings.sections(lines, _is_entry)
        if any(map(_is_entry, own)) or (own and headings.says(heading) is not None)
    ]
    told = {headings.says(heading) for heading, _ in listed}
    if told <= {None} or (len(listed) == 1 and True in told):
        return lines
    return [line for own in headings.pick(listed) for line in own]


def _is_entry(line):
    """Whether a line is numbered, or has a bullet, or a title's year."""
    return bool(numberings.NUMBERED.match(line) or BULLET.match(line) or YEAR.search(line))


# Lines


def _bulleted(lines):
    """What stands behind bullets of the outermost level."""
    found = [match.groups() for match in map(BULLET.match, lines) if match]
    least = min((len(indent) for indent, _ in found), default=0)
    return [text for indent, text in found if len(indent) == least]


def _plain(lines, is_title):
    """One a line, or all in one line. Of the first and the last what speaks of the list is left
    out; a sentence anywhere else makes prose of it all.
    """
    kept = [line.strip() for line in lines]
    headed = _is_headed(kept) and not is_title(kept[0].strip(headings.MARKS))
    if len(kept) > 1 and (headed or kept[0].endswith(":") or _speaks(kept[0])):
        kept = kept[1:]
    while len(kept) > 1 and _speaks(kept[-1]):
        kept = kept[:-1]
    if any(_is_prose(line) for line in kept):
        headed = [line.strip(headings.MARKS) for line in lines if _is_dated_heading(line)]
        return _said(headed) if len(headed) > 1 else _from_prose("\n".join(lines))
    return _said(kept, is_title) if len(kept) > 1 else _one_line(kept[0], is_title)


def _is_dated_heading(line):
    """Whether a line is a heading, by its signs, that names a title and its year alone."""
    signs = line.lstrip().startswith(("#", "**")) and headings.is_heading(line)
    return signs and bool(YEAR.search(line)) and headings.says(line) is None


def _is_headed(lines):
    """Whether the first line, and no other, is a heading that says what is recommended."""
    found = [headings.is_heading(line) and not YEAR.search(line) for line in lines]
    return found[0] and not any(found[1:]) and bool(NAMED.search(lines[0]))


def _speaks(line):
    """Whether a line speaks of the list. One that may be a title has to end as a sentence does, or
    be longer than most titles.
    """
    if OPENS.match(line) or YEAR.search(line):
        return bool(OPENS.match(line))
    sentence = line.rstrip().endswith((".", "!", ":")) or len(line.split()) > SPOKEN
    return sentence and bool(MAY_OPEN.match(line))


def _is_prose(line):
    """Whether a line is no title: it speaks, or is a sentence, or is longer than titles are, or
    puts a title in quotes after words that are none.

    What follows a title in quotes or its year may be as long as it likes.
    """
    title = _head(line)
    small = len(_small(title))
    first = MARKED.search(line)
    if first and _small(line[: first.start()]):
        return True
    if _speaks(line) or title[:1].isupper() and title.endswith(".") and small > 1:
        return True
    listed = len(_pieces(line)) > 1
    return not listed and (small and len(title.split()) > LONG or len(title) > LONGEST_TITLE)


def _small(text):
    """The words that no title writes small."""
    words = re.findall(r"[^\W\d_]+", text)
    return [word for word in words if word[:1].islower() and word not in SMALL]


def _one_line(line, is_title):
    """One title, or several with commas or semicolons between them."""
    before, colon, behind = line.partition(":")
    if colon and behind.strip() and headings.says(before) and not is_title(line):
        line = behind.strip()  # "Recommendations: Heat, Alien"
    if _is_prose(line):
        return _from_prose(line)
    pieces = _cut(line, is_title)
    if len(pieces) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    return _said(pieces, is_title) if pieces else Reason.NO_LIST


def _cut(line, is_title):
    """The pieces of a line. Between two years only what could be titles is cut at its commas: "The
    Good, the Bad and the Ugly (1966)" has a piece that is none.
    """
    found = []
    for part in title_lines.several(line, is_title):
        pieces = _joined(title_lines.joined_years(_pieces(part)), is_title)
        whole = len(pieces) > 1 and any(piece[:1].islower() for piece in pieces)
        found += [part] if whole and YEAR.search(part) else pieces
    return found


def _pieces(line):
    """The line cut at semicolons, else at strokes, else at commas; one within quotes or brackets is
    none.
    """
    line = line.strip().rstrip(".") if line.count(",") + line.count(";") else line.strip()
    parts, depth, quoted, part = [], 0, False, ""
    stroke = " | " in line and not any(part[:1].islower() for part in line.split(" | "))
    mark = ";" if ";" in line else "|" if stroke else ","
    for letter in line:
        depth += (letter in "([") - (letter in ")]")
        quoted = quoted ^ (letter in '"“”')
        if letter == mark and not depth and not quoted:
            parts.append(part)
            part = ""
        else:
            part += letter
    parts = [re.sub(r"^\s*(?:and|&)\s+", "", each).strip() for each in [*parts, part]]
    return [each for each in parts if each]


def _joined(pieces, is_title):
    """The pieces, with those put together again that are one title of the catalogue; and with the
    article that a catalogue moves behind: "Net, The (1995)".
    """
    found, at = [], 0
    while at < len(pieces):
        near = pieces[at : at + MOST_PIECES]
        upto = next((e for e in range(len(near), 1, -1) if is_title(", ".join(near[:e]))), 1)
        if upto == 1 and len(near) > 1 and _is_article(near[1]):
            upto = 2
        found.append(", ".join(near[:upto]))
        at += upto
    return found


def _is_article(piece):
    return YEAR.sub("", piece).strip().lower() in ("the", "a", "an", "le", "la", "les")


def _from_prose(text):
    """Titles that prose puts in quotes or bold, where each stands behind a word that recommends.

    Nothing else can be told from the words: a title may be one that the recipient rated.
    """
    if DECLINES.search(text):
        return Reason.DECLINED
    found = []
    for match in MARKED.finditer(text):
        start = match.start()
        before = SENTENCE.split(text[max(0, start - LONGEST_SENTENCE) : start])[-1]
        spoken = list(RECOMMENDS.finditer(before))
        if not spoken or not spoken[-1]["yes"]:
            return Reason.PROSE
        found.append(_marked(match))
    return _said(found) if found else Reason.PROSE


# One entry


def _marked(match):
    """The title of a MARKED, with its year."""
    return (match["bold"] or match["quoted"]).strip() + (match["year"] or "")


def _said(texts, is_title=None):
    """[Said] of the texts, or a Reason. is_title: they are lines, of which one may hold several
    titles, a year in another form, and a rating.
    """
    if is_title and len(texts) <= MOST_TITLES:
        texts = [_unlabelled(text, is_title) for text in texts]
        texts = [each for text in texts for each in title_lines.read(text, is_title)]
    if len(texts) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    texts = [storable(text) for text in texts]
    found = [Said(_head(text), _bare(text)) for text in texts]
    found = [each for each in found if each.title]
    if any(len(each.title) > LONGEST_TITLE for each in found):
        return Reason.PROSE
    return found or Reason.NO_LIST


def _unlabelled(text, is_title):
    return LABEL.sub("", text) if LABEL.match(text) and not is_title(text) else text


def _head(text):
    """The title at the beginning of a line: in its quotes, to its year, or before what explains."""
    text = " ".join(text.split())
    if marked := MARKED.match(text):
        return _to_year(_bare(_marked(marked)))
    text = _bare(text)
    if YEAR.search(text):
        return _to_year(text)
    upto = end = len(text)
    explains = False
    for mark in reversed(list(EXPLAINS.finditer(text))):
        explains = explains or bool(_small(text[mark.end() : end]))
        end = mark.start()
        if end and explains:
            upto, explains = end, False
    return _bare(text[:upto])


def _to_year(text):
    """To the first year in brackets; a title that begins with one keeps all."""
    year = YEAR.search(text)
    return _bare(text[: year.end()]) if year and year.start() else text


def _bare(text):
    """Without quotes and emphasis around it, and without a comma at its end."""
    text = " ".join(text.split()).rstrip(" ,;")
    for opening, closing in QUOTES.items():
        inner = text[len(opening) : len(text) - len(closing)]
        around = text.startswith(opening) and text.endswith(closing)
        if around and len(text) > len(opening) + len(closing) and opening not in inner:
            return _bare(inner)
    return text.replace("**", "")
