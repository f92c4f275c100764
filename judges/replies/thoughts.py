"""Tell what a model says from what it thinks before: only what it says can be an answer."""

import re

# How models mark a thought: where it begins, and where it ends.
NAMES = (
    *("think", "thinking", "thought", "thoughts", "cot", "monologue"),
    *("reason", "reasoning", "reflection", "scratch_?pad", "analysis", "deliberation"),
)
# Also seed:think, think:opensource, longcat_think, thought_process, antThinking and <|thinking|>;
# with attributes, with blanks, and with the brackets as HTML, Markdown or JSON writes them.
OPENS = r"(?:\\?[<＜]|&lt;|&#60;|\\u003c)\s?[|｜]?"
CLOSES = r"(?:\s+[\w:-]{1,40}\s*=[^<>&|/]{0,200}|\s)?[|｜]?(?:\\?[>＞]|&gt;|&#62;|\\u003e)"
PREFIX = r"(?:(?!begin_|start_|end_|no_)\w{1,20}[:_]|ant)?"
SUFFIX = r"(?:[:_](?!(?:\w{1,20}_)?(?:begin|start|end))\w{1,50})?"
TAGS = [f"{PREFIX}{name}{SUFFIX}{CLOSES}" for name in NAMES]
NEVER = r"(?!)"
NAMED = f"(?:{'|'.join(NAMES)})"
ANSWER = r"<\|start_(?:response|text)\|>"

TURN_ENDS = (
    r"(?:<\|im_end\|>|<\|eot(?:_id)?\|>|<\|?end_of_turn\|?>|<\|end_of_text\|>|<\|endoftext\|>|<\|end\|>"
    r"|<\|END_OF_TURN_TOKEN\|>|</s>)\s*(?:<s>\s*)?"
)
ROLE = r"<\|(?:im_start|start_header_id|header_start|start_of_role|start)\|>\s?"
OTHERS = "(?:user|tool|system|observation)"
OTHER_BEGINS = (
    rf"(?:{ROLE}{OTHERS}\b|<(?:start_of_turn>|\|turn>)user\b|<[|｜](?i:{OTHERS})[|｜]>"
    r"|<\|START_OF_TURN_TOKEN\|>\s?<\|USER_TOKEN\|>)"
)
MODEL_BEGINS = re.compile(
    rf"{ROLE}assistant\b|<(?:start_of_turn>|\|turn>)model\b|<[|｜](?i:assistant)[|｜]>"
    r"|<\|CHATBOT_TOKEN\|>"
)


def _closing(mark: str) -> str:
    """Return the pattern of a mark that ends an answer; within a sentence it is only spoken of."""
    return rf"(?<![ \t(\"“'‘`])(?:{mark})|(?:{mark})(?=\s*(?:<|\Z))"


MARKS = [
    (r"<\|think\|>", r"<\|content\|>|<\|?/think\|?>"),  # Solar
    (r"<\|content_thinking\|>", r"<\|content_text\|>"),  # Inkling
    # <|START_THINKING|> of Cohere, <|begin_of_thought|> of OpenThinker, <｜begin▁of▁thinking｜>
    (
        f"(?i:{OPENS}(?:begin|start)[_▁](?:of[_▁])?{NAMED}{CLOSES})",
        rf"(?i:{OPENS}(?:end[_▁]|/\s?(?:begin|start)_)(?:of[_▁])?{NAMED}{CLOSES}|{ANSWER})",
    ),
    # <|think_start|>, <|reasoning_thinking_start|>
    (
        rf"(?i:{OPENS}(?:\w{{1,20}}_)?{NAMED}_(?:begin|start){CLOSES})",
        rf"(?i:{OPENS}(?:\w{{1,20}}_)?{NAMED}_end{CLOSES}"
        rf"|{OPENS}/\s?(?:\w{{1,20}}_)?{NAMED}_(?:begin|start){CLOSES})",
    ),
    *((f"(?i:{OPENS}{tag})", rf"(?i:{OPENS}//?\s?{tag})") for tag in TAGS),
    # Mistral; in small letters the first is a heading of a text
    (r"\[THINK(?:ING)?\]", r"(?i:\[/THINK(?:ING)?\])"),
    (r"\[REASONING\]", r"\[/REASONING\]"),
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),  # Kimi K3
    # What stands outside the marks of the answer: Cohere, Kimi K3, Apriel
    (_closing(r"(?i:<\|end_(?:response|text)\|>)"), rf"(?i:{ANSWER})"),
    (_closing(r"<\|close\|>response<\|sep\|>"), r"<\|open\|>response<\|sep\|>"),
    (_closing(r"\[END FINAL RESPONSE\]"), r"(?m:^[ \t]*)\[BEGIN FINAL RESPONSE\]"),
    # A further turn of somebody else, at a line's begin, behind JSON, a number or a turn's end:
    # nothing behind it is an answer, and it has no end
    (
        rf"(?<=\n)[ \t]*{OTHER_BEGINS}"
        rf"|(?:(?<=[}}\]\d])\s*|{TURN_ENDS})(?:{OTHER_BEGINS}|\[INST\])",
        NEVER,
    ),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|channel>thought", r"<channel\|>"),  # Gemma
    (r"<(?:unused|ctrl)94>thought", r"<(?:unused|ctrl)95>"),  # MedGemma, Gemini
    (r"<\|im_start\|>think\b", r"<\|im_start\|>answer\b"),  # s1
    # gpt-oss, as it is and without its special tokens
    (
        r"<\|channel\|>\s*(?:analysis|commentary)",
        r"<\|channel\|>\s*final[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>",
    ),
    (r"\A\s*analysis(?=[A-Z])", "assistantfinal"),
]
ENDS = [re.compile(end) for _, end in MARKS]
LASTING = [number for number, (_, end) in enumerate(MARKS) if end == NEVER]
# Granite's words are plain English: a thought only where they begin the reply, and both are there.
GRANITE = re.compile(
    r"\A\s*Here(?: is|['’]s) my thought process:.*?Here(?: is|['’]s) my response:", re.DOTALL
)
# Either of a thought, or the beginning of JSON that may hold a text.
NEXT = re.compile(
    "|".join(f"(?P<begin{number}>{begin})" for number, (begin, _) in enumerate(MARKS))
    + "".join(f"|(?P<end{number}>{end})" for number, (_, end) in enumerate(MARKS))
    + r'|(?P<json>\{(?=\s*")|\[(?=\s*(?:["{\[\d-]|true|false|null)))'
)
# A mark, here a NUL, that is only spoken of, in quotation marks of its own. Those that look alike
# open only behind a blank: else they may end what stands before the mark.
NEAR = 7  # characters
SPOKEN_OF = re.compile(
    r"""(?:[\s([{*]|\A)["“”„'‘’`]\0["“”'’`]"""
    r"|「\0」|『\0』|《\0》|〈\0〉|“\0”|„\0[“”]|‘\0’|‚\0[‘’]|«\s?\0\s?»|‹\s?\0\s?›|<code>\0<"
)
TOKEN = re.compile(r'[{}\[\]]|[\s:,]+|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]+', re.DOTALL)


def without_thoughts(reply: str) -> str:
    """Return a reply with a line end in the place of each character that was only thought.

    So all else keeps its place. An end without a beginning ends a thought that began with the
    reply, as templates open it; a beginning without an end begins one that lasts. Within a text
    of JSON, be it whole or broken, and where it is only spoken of, a mark is a text.
    """
    if granite := GRANITE.match(reply):
        reply = "\n" * granite.end() + reply[granite.end() :]
    thoughts: list[tuple[int, int]] = []
    endless: set[int] = set()  # kinds of thoughts that end nowhere from here on
    unended, position = len(reply), 0
    while mark := _search(NEXT, reply, position):
        kind, position = mark.lastgroup or "", mark.end()
        if kind == "json":
            position = _after_json(reply, mark.start())
            if position < 0:
                return "\n" * len(reply)
        elif kind.startswith("end"):
            thoughts, unended = [(0, position)], len(reply)
        else:
            number = int(kind.removeprefix("begin"))
            if number in LASTING and MODEL_BEGINS.search(reply, position):
                unended = min(unended, mark.start())
                break  # what ends a thought behind it ends one of a further answer
            end = None if number in endless else _search(ENDS[number], reply, position)
            if end:
                position = end.end()
                thoughts.append((mark.start(), position))
            else:
                endless.add(number)
                unended = min(unended, mark.start())
    thoughts = [thought for thought in thoughts if thought[1] <= unended]
    pieces, position = [], 0
    for begin, end_at in [*thoughts, (unended, len(reply))]:
        pieces += [reply[position:begin], "\n" * (end_at - begin)]
        position = end_at
    return "".join(pieces)


def _search(marks: re.Pattern[str], reply: str, position: int) -> re.Match[str] | None:
    """Return the next mark that is more than spoken of."""
    while mark := marks.search(reply, position):
        start, position = mark.span()
        around = reply[max(0, start - NEAR) : start], reply[position : position + NEAR]
        if not SPOKEN_OF.search("\0".join(text.replace("\0", "\ufffd") for text in around)):
            break
    return mark


def _after_json(reply: str, position: int) -> int:
    """Return where the JSON value that begins here ends, or where it is JSON no longer.

    -1: a list that never ends holds the end of a thought, so that nobody knows what was said.
    """
    depth, start = 0, position
    while token := TOKEN.match(reply, position):
        position = token.end()
        depth += (token[0] in ("{", "[")) - (token[0] in ("}", "]"))
        if not depth:
            return position
    is_list = reply[start] == "["
    is_unclear = is_list and any(end.search(reply, start, position) for end in ENDS)
    return -1 if is_unclear else position


def text_of(content: object) -> str:
    """Return the text of a message's content: a text, or a list of parts of which some are thought.

    TypeError: it is neither.
    """
    if not isinstance(content, list):
        content = [content or ""]
    return "".join(map(_text_of_part, content))


def _text_of_part(part: object) -> str:
    if isinstance(part, dict):
        is_text = part.get("type", "text") in ("text", "output_text") and not part.get("thought")
        part = part["text"] or "" if is_text else ""
    if not isinstance(part, str):
        raise TypeError("content is no text")
    return part
