"""What is only thought is no answer, for whichever parser; all else keeps its place."""

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotate.values.scales import parse_scale
from judges.endpoints import probe
from judges.methods.extract.triplets import parse_statements
from judges.methods.profile.method import KEYS, profile_in
from judges.methods.recommend import parse_prose, structured
from judges.methods.topics.shortlist import parse_names
from judges.methods.verdicts.support import value_in
from judges.replies.logprobs import kept, weighted
from judges.replies.parse import Reason, parse, value_spans
from judges.replies.thoughts import text_of, without_thoughts
from judges.replies.verdicts import parse_verdict
from tests.judges.replies.test_logprobs import token

LIKERT = {"clarity": parse_scale("likert5")}
OFFERED = {"1": 1.0, "2": 3.0, "tie": 2.0}

MARKED = [
    ("<think>", "</think>"),
    ("<THINK>\n", "\n</Think >"),
    ("<thinking>", "</thinking>"),
    ("<Thought>", "</Thought>"),
    ("<reason>", "</reason>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<thought_process>", "</thought_process>"),
    ("<reasoning_content>", "</reasoning_content>"),
    ("<analysis>", "</analysis>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<antThinking>", "</antThinking>"),
    ("<internal_monologue>", "</internal_monologue>"),
    ("<CoT>", "</CoT>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("< think >", "</ think >"),
    ('<think time="3" done>', "</think>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
    ("[THINK]", "[/THINK]"),
    ("<think>", "<//think>"),
    ("[THINKING]", "[/THINKING]"),
    ("[THINK]", "[/think]"),
    ("\\<think\\>", "\\</think\\>"),
    ("<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"),
    ("<｜think｜>", "<｜/think｜>"),
    ("<deliberation>", "</deliberation>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("\\u003cthink\\u003e", "\\u003c/think\\u003e"),
    ("＜think＞", "＜/think＞"),
    ("&#60;think&#62;", "&#60;/think&#62;"),
    (f"<think_never_used_{'0' * 32}>", f"</think_never_used_{'0' * 32}>"),
    ("<ctrl94>thought\n", "<ctrl95>"),
    ("<|im_start|>think\n", "<|im_end|>\n<|im_start|>answer\n"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>\n<|START_TEXT|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|START_THINKING|>", "<|START_RESPONSE|>"),
    ("<start_of_thought>", "<end_of_thought>"),
    ("<begin_reasoning>", "<end_reasoning>"),
    ("<|thinking_start|>", "<|thinking_end|>"),
    ("<|think_start|>\n", "<|think_end|>"),
    ("<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"),
    ("<mm:think>", "</mm:think>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<|think|>", "<|/think|>"),
    ("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|><|open|>response<|sep|>"),
    (
        "<|content_thinking|>",
        "<|end_message|><|message_model|><|content_text|>",
    ),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>",
        "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    ),
    ("analysisWe see. ", "assistantfinal"),
    ("\nanalysisWe see. ", "assistantfinal"),
]
DRAFT = 'Maybe {"clarity": 2}, or {"clarity": <integer>}, or "so. [He said {"x'


@pytest.mark.parametrize(("begin", "end"), MARKED, ids=[begin.strip() for begin, _ in MARKED])
def test_a_thought_is_taken_out_under_the_marks_that_models_use(begin, end):
    answer = 'So it is {"clarity": 4}.'
    assert without_thoughts(begin + DRAFT + end + answer).strip() == answer
    assert without_thoughts("Maybe 2. " + end + answer).strip() == answer, "without a begin"
    assert without_thoughts(begin + DRAFT).strip() == "", "without an end"


SAID = {
    "nothing thought": ("It is 4.", "It is 4."),
    "text around a thought": ("First. <think>x</think> Then.", "First. Then."),
    "a thought after it": ("It is 4.<think>Or 2?", "It is 4."),
    "a thought within one that does not end": ("a <thinking>b <think>c</think> d", "a"),
    "several thoughts": ("<think>a</think>b<think>c</think>d", "b d"),
    "an end within a thought": ("<think>a </think> b</think>c", "c"),
    "a begin within a thought": ("<think>a <think> b</think>c", "c"),
    "a begin within a thought that the template began": ("Say <reasoning>? No.</think>c", "c"),
    "another end than its own": ("<think>a</reasoning>c", "c"),
    "another end within JSON": ('<think>{"a": "</reasoning>"} b', ""),
    "an end in a broken list": ('{"clarity": 2}? Words: ["plain, "short"]\n</think> "No".', ""),
    "an end in a list of a number": ('{"clarity": 2}. Options: [1, "two, 3]. </think>"No"', ""),
    "an end in a broken text of JSON": (
        '{"a": "he said </think> {"clarity": 5}", "clarity": 2}',
        '{"a": "he said </think> {"clarity": 5}", "clarity": 2}',
    ),
    "a begin in an escaped text": (
        r'{"a": "\"<think>\"", "b": 1}',
        r'{"a": "\"<think>\"", "b": 1}',
    ),
    "marks in a list": ('["<think>", "</think>"]', '["<think>", "</think>"]'),
    "marks in a text with a line end": ('{"a": "\n</think>"}', '{"a": " </think>"}'),
    "an image of Ant and <thinkers>": ("<ant> <thinkers> 4", "<ant> <thinkers> 4"),
    "other brackets": ("[THINKER] <thinker> <b>2</b>", "[THINKER] <thinker> <b>2</b>"),
    "a word that begins alike": ("analysis of it: 4", "analysis of it: 4"),
    "Cohere's response": (
        "<|START_THINKING|>2?<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|> more",
        "4",
    ),
    "Cohere's response without a thought": ("<|START_RESPONSE|>4<|END_RESPONSE|>", "4"),
    "Cohere's text": ("<|START_TEXT|>4<|END_TEXT|>", "4"),
    "Kimi's response": (
        "2?<|close|>think<|sep|><|open|>response<|sep|>4<|close|>response<|sep|><|end_of_msg|>",
        "4",
    ),
    "Apriel's response": ("2?\n[BEGIN FINAL RESPONSE]\n4\n[END FINAL RESPONSE]\n<|end|>", "4"),
    "a further turn": ("It is 4.<|im_end|>\n<|im_start|>user\nAnd 2?<|im_end|>", "It is 4."),
    "a further turn of Llama": (
        "4<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n2",
        "4",
    ),
    "a further turn of Gemma": ("4<end_of_turn>\n<start_of_turn>user\n2", "4"),
    **{
        f"a further turn that begins with {mark}": (f"4{before}{mark}\n2", "4")
        for mark in ("<|user|>", "<｜User｜>", "<|start|>user", "[INST]", "<|im_start|>user")
        for before in ("\n", "")
    },
    **{
        f"a further turn behind JSON, {mark!r}": (f'{{"a": 4}}{mark}{{"a": 2}}', '{"a": 4}')
        for mark in (
            *(
                " <|user|>",
                "\t<|user|>",
                "\n  <|user|>",
                " [INST] ",
                "\n[INST] ",
                "</s> <s> [INST]",
            ),
            *("<|end_of_text|><|start_of_role|>user<|end_of_role|>", "<|eot|><|header_start|>user"),
            *("<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "\n<|turn>user\n"),
            *("<|im_end|>\n<|im_start|>tool\n", "<|observation|>", "\n<|system|>"),
        )
    },
    **{
        f"a thought that quotes a turn, {thought!r}": (f"{thought}</think>4", "4")
        for thought in (
            'Perhaps {"a": 2}. It says:\n[INST] ignore all [/INST]\nI would say 3.\n',
            'Perhaps {"a": 2}\n<|user|>\n3',
            "先给2。文本有<|user|>标记。",
            "<think>x</think>2\n[INST]\n",
        )
    },
    "a further turn with a thought": ("4\n<|user|>\n3<|assistant|>\nhm</think>2", "4"),
    **{
        f"a turn before the answer, {turn!r}": (f"{turn}4",) * 2
        for turn in ("<s>[INST] 2 [/INST] ", "<|user|> 2 <|assistant|> ", "**<|user|>** ")
    },
    "a word on <|user|>": ("It says <|user|> [INST]. 4", "It says <|user|> [INST]. 4"),
    "the same turn": (
        "2?<|im_end|>\n<|im_start|>assistant\n4",
        "2?<|im_end|> <|im_start|>assistant 4",
    ),
    "an end within a further turn": (
        "4<|im_end|>\n<|im_start|>user\nNext<|im_end|>\n<|im_start|>assistant\nbad</think>\n2",
        "4",
    ),
    "an answer within a further turn": (
        '{"score": 4}</s><|user|>\nfoo<|assistant|>\n[BEGIN FINAL RESPONSE]{"score": 1}',
        '{"score": 4}',
    ),
    "begin and end as XML": ("<think_begin>2?</think_begin>4", "4"),
    "begin of as XML": ("<begin_analysis>2?</begin_analysis>4", "4"),
    "a word on Apriel's mark": (
        "It says [BEGIN FINAL RESPONSE]. 4",
        "It says [BEGIN FINAL RESPONSE]. 4",
    ),
    "a quoted mark of Solar": ('It quotes "<|content|>". 4', 'It quotes "<|content|>". 4'),
    **{
        f"a word on {mark}": (f"It has {mark} in it. 4", f"It has {mark} in it. 4")
        for mark in ("<|end_response|>", "<|END_TEXT|>", "<|close|>response<|sep|>")
    },
    "a word on Apriel's end": (
        "It says [END FINAL RESPONSE]. 4",
        "It says [END FINAL RESPONSE]. 4",
    ),
    "a mark of an answer in brackets": (
        "It has (<|end_response|>). 4",
        "It has (<|end_response|>). 4",
    ),
    "an end behind a blank": ("4 <|END_RESPONSE|> <|END_OF_TURN_TOKEN|>", "4"),
    "an end and more": ("4<|END_RESPONSE|> more", "4"),
    **{
        f"{mark} in quotation marks": (
            f"4. It has “{mark}”, `{mark}`.",
            f"4. It has “{mark}”, `{mark}`.",
        )
        for mark in ("<think>", "</think>", "<|START_RESPONSE|>", "<|end_response|>", "[/THINK]")
    },
    **{
        f"a mark between {quotes}": (f"4。它有{quotes}。".replace("…", "</think>"),) * 2
        for quotes in ("「…」", "『…』", "《…》", "“…”", "‘…’", "«…»", "‹…›", "„…“", "« … »")
    },
    "a mark in code that is bold": ("4. It has **`</think>`**.", "4. It has **`</think>`**."),
    "a mark in HTML's code": ("4: <code></think></code>", "4: <code></think></code>"),
    # Nothing tells such a mark from one that is meant: what is said is missed.
    "a mark that is called nothing": ("4. It ends in </think> twice.", "twice."),
    "a begin that is called nothing": ("It has <think> in it. 4", "It has"),
    "quotation marks that end before it": ('2. "Yes,"</think>"No"', '"No"'),
    "French ones that end before it": ("2. « Oui »</think>« Non »", "« Non »"),
    "German ones that end before it": ("2. „Ja“</think>„Nein“", "„Nein“"),
    "a noun behind an end": ("2? I end it.</think> tags: 4", "tags: 4"),
    "an article before an end": ("2? I give the</think> 4", "4"),
    "a thought that speaks of its end": ("2, then the </think> tag. 3?</think>4", "4"),
    "a quoted end within a thought": ('<think>It has "</think>" in it. 2?</think>4', "4"),
    "a quoted begin within a thought": ("It has '<think>' in it. 2?</think>4", "4"),
    "quotations around an end": ('<think>"Yes"</think>"No"', '"No"'),
    "a word on turns": ("It says <|im_start|>user. 4", "It says <|im_start|>user. 4"),
    "a word for no thought": ("<no_think> 4", "<no_think> 4"),
    "plain words on steps": (
        "Here are my reasoning steps: vivid. Rating: 4",
        "Here are my reasoning steps: vivid. Rating: 4",
    ),
    "a heading like Apriel's": ("[Begin final response] 4", "[Begin final response] 4"),
    "words with an underscore": ("<start_time> 4 <end_time>", "<start_time> 4 <end_time>"),
    "Granite's thought": ("Here is my thought process: 2? Here's my response: 4", "4"),
    "plain words on a process": (
        "Here's my thought process: vivid. Rating: 4",
        "Here's my thought process: vivid. Rating: 4",
    ),
    "plain words on a response": ("4. Here is my response: good", "4. Here is my response: good"),
    "headings": ("[Reasoning] Good. [think] [Rating] 4", "[Reasoning] Good. [think] [Rating] 4"),
    "words within brackets": ("<reason for it>: good 4 >", "<reason for it>: good 4 >"),
    "less and more": ("x < thought and y > 4", "x < thought and y > 4"),
    "an element that is closed": ('<analysis score="4"/> so 4', '<analysis score="4"/> so 4'),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_said_stays(case):
    reply, said = SAID[case]
    assert " ".join(without_thoughts(reply).split()) == said


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "{", '"', "a", "é", "[THINK]"])).map("".join)
)
def test_all_that_is_said_keeps_its_place(reply):
    said = without_thoughts(reply)
    assert len(said) == len(reply)
    assert all(new in (old, "\n") for old, new in zip(reply, said, strict=True))


MARKED_JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from(["<think>", "</think>", '"', "a\\", "[THINK]\n"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["</think>", "b"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.just("a"), MARKED_JSON) | st.lists(MARKED_JSON), st.booleans())
@example([None, "<think>"], False)
def test_no_mark_within_json_is_one(value, is_spread):
    said = json.dumps(value, indent=2 if is_spread else None)
    assert without_thoughts(f"<think>{{</think>{said}").strip() == said


# Each parser


def scored(reply, finish="stop"):
    verdict = parse(reply, LIKERT, finish)
    return verdict.values.get("clarity", verdict.reasons.get("clarity"))


def verdict(reply, finish="stop"):
    return parse_verdict(reply, OFFERED, finish)[0]


def statements(reply, finish="stop"):
    found = parse_statements(reply, {"price"}, finish)
    return found if isinstance(found, Reason) else [text for text, *_ in found.kept]


def names(reply, finish="stop"):
    found = parse_names(reply, 10, finish)
    return found if isinstance(found, Reason) else found.kept


def profile(reply, finish="stop"):
    found = profile_in(reply, finish)
    return found if isinstance(found, Reason) else found.count("loud")


def titles(reply, finish="stop"):
    return parse_prose.parse_list(reply, 2, finish)


def one_statement(text):
    return json.dumps(
        {"statements": [{"statement": text, "topic": "price", "sentiment": "positive"}]}
    )


def filled(text):
    return json.dumps(dict.fromkeys(KEYS, text))


# How it parses; what is thought, what is said and its value; and what is said that is no answer.
PARSERS = {
    "scores": (scored, '{"clarity": 2}', '{"clarity": 4}', 4.0),
    "verdict": (verdict, '{"verdict": "1"}', '{"rationale": "r", "verdict": "2"}', 3.0),
    "support, one character": (value_in, '{"supported": 0}', "1", 1.0),
    "support, one key": (value_in, '{"supported": 0}', '{"supported": 1}', 1.0),
    "statements": (statements, one_statement("Cheap"), one_statement("Dear"), ["Dear"]),
    "topics": (names, '["price"]', '["size"]', ["size"]),
    "profile": (profile, filled("quiet"), filled("loud"), 7),
    "titles as JSON": (structured.parse_list, '["Jaws"]', '["Heat"]', ["Heat"]),
    "titles in JSON": (titles, '["Jaws"]', '["Heat"]', ["Heat"]),
    "titles in lines": (titles, "1. Jaws\n2. Big", "1. Heat\n   x\n2. Up", ["Heat", "Up"]),
}
FORMS = {
    "with a begin": "<think>Maybe {} or {{so}}?</think>{}",
    "with a begin, on a line of its own": "<think>\nMaybe {} or {{so}}?\n</think>\n\n{}",
    "without a begin": "Maybe {}?\n</think>\n{}",
    "Mistral": "[THINK]Maybe {}?[/THINK]{}",
    "gpt-oss": "<|channel|>analysis<|message|>{}<|end|><|channel|>final<|message|>{}",
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("form", FORMS)
def test_no_parser_takes_a_thought_for_the_answer(parser, form):
    read, thought, said, value = PARSERS[parser]
    assert read(said) == value
    assert read(FORMS[form].format(thought, said)) == value
    assert isinstance(read(FORMS[form].format(thought, "The other one.")), Reason)
    assert read(FORMS[form].format(thought, "")) is Reason.EMPTY
    assert read(f"<think>Maybe {thought}") is Reason.EMPTY


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"rationale": "the text has <think> in it", "clarity": 4}', 4.0),
        ('{"rationale": "it ends with </think>", "clarity": 4}', 4.0),
        ('<think>{"clarity": 2}</think>{"rationale": "a </think> in it", "clarity": 4}', 4.0),
        ('<think>A draft: {"clarity": 2}.</think>\nThe clarity is 4.', Reason.NO_JSON),
        ('<think>It must look like {"clarity": <integer>}</think>\n{"clarity": 4}', 4.0),
        ('{"clarity": 4}<reasoning>Not {"clarity": 2}.</reasoning>', 4.0),
    ],
)
def test_a_mark_within_a_text_of_the_answer_is_no_mark(reply, value):
    assert scored(reply) == value


def test_an_endpoint_that_thinks_before_its_json_keeps_to_a_schema():
    reply = '<think>{"colour": "red"}?</think>\n{"colour": "vermilion"}'
    assert probe._read(reply) == {"colour": "vermilion"}
    assert probe._read('{"a": "line\nend"}') == {"a": "line\nend"}


def test_where_an_answer_stands_is_told_of_the_reply_as_it_arrived():
    reply = '<think>é {"clarity": 2}</think>{"clarity": 4}'
    start, end = value_spans(reply, LIKERT)["clarity"]
    assert (start, reply[start:end]) == (reply.index("4"), "4")
    thought = [token("<think>é {"), token('"clarity": '), token("2", likely={"2": 1.0})]
    said = [token("}</think>{"), token('"clarity": '), token("4", likely={"4": 0.5, "3": 0.5})]
    sent = {"content": [*thought, *said, token("}")]}
    found = weighted(reply, kept(sent, reply), LIKERT)["clarity"]
    assert (found.value, found.mass) == (pytest.approx(3.5), pytest.approx(1.0))


# Content in parts


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": '{"clarity": 2}'}]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("said", "said"),
        ([], ""),
        ([{"type": "text", "text": "sa"}, {"type": "text", "text": "id"}], "said"),
        ([THINKING, {"type": "text", "text": "said"}], "said"),
        (
            [{"type": "reasoning", "text": "thought"}, {"type": "output_text", "text": "said"}],
            "said",
        ),
        ([{"text": "said"}, {"type": "image_url", "image_url": {}}], "said"),
        (["sa", "id"], "said"),
        ([{"type": "text", "text": "hm", "thought": True}, {"text": "said"}], "said"),
        ([{"type": "text", "text": None}, {"type": "text", "text": "said"}], "said"),
        ([THINKING], ""),
    ],
)
def test_text_parts_are_joined_and_thoughts_left_out(content, text):
    assert text_of(content) == text


@pytest.mark.parametrize("content", [5, [5], [None], [{"type": "text", "text": 5}], [["said"]]])
def test_what_is_no_text_is_refused(content):
    with pytest.raises(TypeError):
        text_of(content)


# Whatever arrives


INNER = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMED = ["clarity", "verdict", "supported", "statements", "topics", "recommendations", "rationale"]
ANY_JSON = st.recursive(
    INNER,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMED, *KEYS]), inner)
    ),
    max_leaves=8,
).map(json.dumps)
BITS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "[THINK]",
        '{"clarity": 5',
        '["',
        "}",
        "]",
        '"',
        "\\",
        "1",
        "\n- a",
        "\x00",
    ]
)
ENDED = st.sampled_from(["stop", "length", "error", ""]) | st.text(max_size=5)
IS_VALUE = {
    scored: lambda value: value in (1.0, 2.0, 3.0, 4.0, 5.0),
    verdict: lambda value: value in OFFERED.values(),
    value_in: lambda value: value in (0.0, 1.0),
    statements: lambda value: isinstance(value, list),
    names: lambda value: isinstance(value, list),
    profile: lambda value: isinstance(value, int),
    structured.parse_list: lambda value: all(isinstance(title, str) for title in value),
    titles: lambda value: all(isinstance(title, str) for title in value),
}


@given(st.lists(st.text(max_size=10) | ANY_JSON | BITS, max_size=6).map("".join), ENDED)
def test_no_reply_raises_in_any_parser_and_each_gives_a_value_on_its_scale_or_a_reason(
    reply, finish
):
    for read, is_value in IS_VALUE.items():
        found = read(reply, finish)
        assert found if isinstance(found, Reason) else is_value(found)
    for start, end in value_spans(reply, LIKERT).values():
        assert reply[start:end]
    probe._read(reply)


@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "</think>",
        "<think></think>",
        '{"',
        '<think>{"',
        '</reasoning><think>{"<',
        '\\"',
        "[",
    ],
)
def test_no_reply_takes_long(piece):
    began = time.process_time()
    without_thoughts(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
