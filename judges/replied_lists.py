"""A recommender's reply -> what it names, in its order, or the reason why none can be read.

Numbered and bulleted lines, plain lines, lists with commas or semicolons, JSON arrays, and prose
in which each title is quoted or bold and recommended. What could be read in two ways is not read:
never a guess.
"""

import json
import re
from dataclasses import dataclass

from judges import numberings
from judges.parsing import LONGEST_REPLY, MOST_TITLES, Reason, storable
from judges.titles import YEAR

FENCE = re.compile(r"```[a-z]*\n(.*?)(?:```|\Z)", re.DOTALL)
THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
BULLET = re.compile(r"^(\s*)[-*•·‣▪+–—]\s+(.+)$")
ARRAY = re.compile(r"\[\s*[\"{]")
TITLE_KEYS = ("title", "name", "movie", "film", "book", "episode", "content", "item")
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
    reply = THOUGHTS.sub("", reply)
    if not reply.strip():
        return Reason.EMPTY
    found = _entries(_inside(reply), is_title or (lambda text: False))
    if finish_reason == "length":
        whole = [] if isinstance(found, Reason) else found[:-1]
        return whole if k and len(whole) >= k else Reason.CUT_OFF
    return found


def _inside(reply):
    """What stands in a code fence, where there is one."""
    fenced = FENCE.search(reply)
    return fenced[1] if fenced and fenced[1].strip() else reply


def _entries(text, is_title):
    if text.lstrip()[:1] in ("[", "{") or ARRAY.search(text):
        return _json(text)
    lines = [line for line in text.split("\n") if line.strip()]
    if marked := numberings.read(lines) or _bulleted(lines):
        return marked if isinstance(marked, Reason) else _said(marked)
    if DECLINES.search(text[:300]):
        return Reason.DECLINED
    return _plain(lines, is_title)


# JSON


def _json(text):
    """The titles of a JSON array: of texts, or of objects that have a title; or of an object's."""
    start = min(at for at in (text.find("["), text.find("{")) if at >= 0)
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return Reason.BROKEN_JSON
    if isinstance(found, dict):
        lists = [each for each in found.values() if isinstance(each, list)]
        found = lists[0] if len(lists) == 1 else None
    titles = [_title_of(each) for each in found] if isinstance(found, list) else [None]
    return Reason.NO_LIST if None in titles or not titles else _said(titles)


def _title_of(each):
    if isinstance(each, dict):
        lower = {str(key).lower(): value for key, value in each.items()}
        title = next((lower[key] for key in TITLE_KEYS if isinstance(lower.get(key), str)), None)
        year = lower.get("year")
        year = str(year) if isinstance(year, int | str) else ""
        dated = title and year.isdigit() and not YEAR.search(title)
        return f"{title} ({year})" if dated else title
    return each if isinstance(each, str) and each.strip() else None


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
    if kept and (kept[0].endswith(":") or _speaks(kept[0])) and len(kept) > 1:
        kept = kept[1:]
    while len(kept) > 1 and _speaks(kept[-1]):
        kept = kept[:-1]
    if any(_is_prose(line) for line in kept):
        return _from_prose("\n".join(lines))
    return _said(kept) if len(kept) > 1 else _one_line(kept[0], is_title)


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
    if _is_prose(line):
        return _from_prose(line)
    pieces = _pieces(line)
    if len(pieces) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    return _said(_joined(pieces, is_title)) if pieces else Reason.NO_LIST


def _pieces(line):
    """The line cut at semicolons, else at commas; a comma within quotes or brackets is none."""
    line = line.strip().rstrip(".") if line.count(",") + line.count(";") else line.strip()
    parts, depth, quoted, part = [], 0, False, ""
    mark = ";" if ";" in line else ","
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
    found = []
    while pieces:
        ends = range(min(len(pieces), MOST_PIECES), 1, -1)
        upto = next((end for end in ends if is_title(", ".join(pieces[:end]))), 1)
        if upto == 1 and len(pieces) > 1 and _is_article(pieces[1]):
            upto = 2
        found.append(", ".join(pieces[:upto]))
        pieces = pieces[upto:]
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


def _said(texts):
    if len(texts) > MOST_TITLES:
        return Reason.TOO_MANY_TITLES
    texts = [storable(text) for text in texts]
    found = [Said(_head(text), _bare(text)) for text in texts]
    found = [each for each in found if each.title]
    if any(len(each.title) > LONGEST_TITLE for each in found):
        return Reason.PROSE
    return found or Reason.NO_LIST


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
