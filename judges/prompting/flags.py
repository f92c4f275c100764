"""Flag texts that speak to a judge by the rules that they meet. A flag never changes a score.

Each rule is a pattern over the text in small letters, full-width forms made plain, characters
without width left out, and what is spelled in tags, which no page shows, behind it. A rule that
ordinary texts meet is worth nothing, so they are narrow: they ask for an order ("give it 5"), not
for a report ("you gave it 5"). A text may well speak to a judge in other words and not be flagged.
"""

import re
import unicodedata
from functools import lru_cache

# What Unicode calls default ignorable: joiners, bidi marks, selectors of a variant, fillers, tags.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
TAGS = re.compile("[\U000e0020-\U000e007e]+")
AS_ASCII = {0xE0000 + code: code for code in range(0x20, 0x7F)}
BLANKS = re.compile(r"\s+")
BEGINNING = r"(?:^|[.!?;:)\]>\n]\s*|\b(?:please|must|should|shall|just|now|then|and)\s+)"
NUMBER = r"(?:\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten)"
MOST = r"(?:full|perfect|maximum|max|highest|top|best)"
THIS = r"(?:(?:it|this|that|me|us|the)\b(?:\s+(?:\w+\s+){0,2}?)?)"
# {name: (what it means, words of which one is there, the pattern)}
RULES = {
    "ignore-instructions": (
        "asks to ignore what was said before",
        "ignore disregard forget override bypass 忽略 无视 忘 不要理会 不要遵守 跳过",
        r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}?"
        r"(?:previous|prior|above|preceding|earlier|your|system)\s+(?:\w+\s+){0,2}?"
        r"(?:instruction|prompt|rule|guideline|direction|criteri)\w*"
        r"|\b(?:ignore|disregard|forget)\s+(?:all|everything)\s+(?:of\s+)?(?:the\s+)?"
        r"(?:above|instructions|you were told)"
        r"|(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|跳过)[^。!?\n]{0,6}"
        r"(?:之前|以上|上述|上面|前面|先前|此前|所有|全部|你的|原来|系统)[^。!?\n]{0,8}"
        r"(?:指令|指示|提示|规则|要求|说明|命令|标准)",
    ),
    "asks-for-score": (
        "asks for a score",
        "give assign award grant rate score grade answer reply respond output return 分",
        rf"{BEGINNING}(?:give|assign|award|grant)\s+{THIS}?\s*(?:an?\s+|the\s+)?"
        rf"(?:(?:score|rating|grade|mark)s?\s+(?:of\s+)?{NUMBER}\b"
        rf"|{MOST}\s+(?:possible\s+)?(?:score|rating|grade|mark)|{NUMBER}\s*(?:/|out of)\s*{NUMBER}"
        rf"|{NUMBER}\s*(?:points?|stars?)?\s*(?:$|[.!\n]))"
        rf"|{BEGINNING}(?:rate|score|grade)\s+{THIS}\s*(?:as\s+|with\s+)?(?:an?\s+|the\s+)?"
        rf"(?:{NUMBER}\b|{MOST}\b)"
        rf"|{BEGINNING}(?:answer|reply|respond|output|return)\s+(?:only\s+)?(?:with\s+)?"
        rf"(?:an?\s+|the\s+)?(?:{NUMBER}\s*(?:$|[.!\n])|(?:score|rating)\s+(?:of\s+)?{NUMBER}\b"
        r"|[\"'“](?:fit|no fit|tie)\b|fit\s*(?:$|[.!\n]))"
        r"|(?:请|务必|必须|应该|应当|直接|一定要)[^。!?\n了]{0,10}(?:给|打|评)[^。!?\n了]{0,8}"
        r"(?:\d+|[一二三四五六七八九十]|满|最高)\s*分"
        r"|(?:^|[。!?;,\n])\s*(?:给|打)(?:我|它|本文|此文|这[个段条篇])?[^。!?\n了]{0,4}"
        r"(?:\d+|[一二三四五六七八九十]|满|最高)\s*分\s*(?:$|[。!\n])",
    ),
    "addresses-judge": (
        "speaks to an automatic judge",
        "judge evaluator grader rater reviewer model assistant ai llm 你",
        r"\b(?:you are|you're|act as|dear|attention|note to)\s+(?:now\s+)?(?:an?\s+|the\s+|any\s+)?"
        r"(?:ai|llm|gpt|large language model|language model|automatic|automated)\s+"
        r"(?:judge|evaluator|grader|rater|reviewer|model|assistant)"
        r"|\b(?:if|when) you are an? (?:ai|llm|language model)\b"
        r"|你(?:现在)?是(?:一个|一名|一位)?(?:ai|人工智能|大?语言模型|自动)(?:评委|评审|评估|评分|裁判|助手|模型)",
    ),
    "role-marker": (
        "holds a marker of a chat’s roles",
        "<| [| inst << _of_turn system assistant developer 系统 助手",
        r"[<\[]\|[a-z_▁ ]{1,30}\|[>\]]|\[/?(?:inst|system_prompt)\]|<</?sys>>"
        r"|</?(?:start|end)_of_turn>"
        r"|(?:^|\n)\s*(?:#{1,4}\s*)?(?:system|assistant|developer|系统|助手)\s*(?:prompt|message)?\s*:"
        r"|(?:^|\n)\s*#{1,4}\s*(?:new )?instructions?\b",
    ),
    "new-instructions": (
        "gives instructions of its own",
        "instruction prompt 指令 指示 提示词",
        r"\b(?:new|real|actual|updated|additional) (?:system )?(?:instructions?|prompt)\s*:"
        r"|新的?(?:指令|指示|提示词)\s*:",
    ),
    "json-reply": (
        "holds JSON that looks like a reply",
        "{",
        r"\{\s*[\"'][^\"'{}\n]{1,60}[\"']\s*:\s*(?:-?\d|[\"'{\[])",
    ),
    "marker-line": (
        "holds a marker line of a prompt",
        "<<< >>>",
        r"<<<\s*(?:explanation|episode|example|history|profile|list|recommendation|review"
        r"|document|statement)"
        r"|(?:explanation|episode|example|history|profile|list|recommendation|review"
        r"|document|statement)\s*>>>",
    ),
}
MEANINGS = {name: meaning for name, (meaning, *_) in RULES.items()}
PATTERNS = {name: re.compile(pattern) for name, (*_, pattern) in RULES.items()}
# Without one of these words a rule cannot be met: most texts are read by these alone.
WORDS = {name: words.split() for name, (_, words, _) in RULES.items()}


def plain(text):
    """Normalise a text for the rules."""
    if not text.isascii():
        # Models read tags as the letters that they stand for.
        hidden = "\n".join(["", *TAGS.findall(text)]).translate(AS_ASCII)
        text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text)) + hidden
    # One space or line end each: long runs of them would make the patterns slow.
    return BLANKS.sub(_one_blank, text.lower())


def _one_blank(blanks):
    return "\n" if "\n" in blanks.group() else " "


def _met(name, text):
    return PATTERNS[name].search(text) if any(word in text for word in WORDS[name]) else None


def rules_of(*texts):
    """Name the rules that any of the texts meets, with | between them; mostly blank."""
    met = {name for text in texts if text for name in _names(text)}
    return "|".join(name for name in RULES if name in met)


@lru_cache(maxsize=256)  # items of one recipient share a history or a profile
def _names(text):
    normalised = plain(text)
    return tuple(name for name in RULES if _met(name, normalised))


def texts_sent(item, material, beside=()):
    """List the texts of an item that an LLM judge is shown and the study did not write itself.

    beside: what its method shows besides the item's text.
    """
    entries = [entry for shown in material.subject.values() for entry in shown]
    items = [item] if not entries else []
    items += [material.example] if material.example_id else []
    titles = [item_shown.content.title for item_shown in items if item_shown.content]
    of_entries = [text for entry in entries for text in entry.values()]
    return [
        *(item_shown.text for item_shown in items),
        *beside,
        *titles,
        material.context,
        *of_entries,
    ]


def named(texts):
    """Return [(rule, what it means, the first words that meet it)] for some texts."""
    words = {}
    for text in texts:
        normalised = plain(text or "")
        for name in RULES.keys() - words.keys():
            if match := _met(name, normalised):
                words[name] = match.group().strip().lstrip(".!?;:) \n")
    return [(name, MEANINGS[name], words[name]) for name in RULES if name in words]
