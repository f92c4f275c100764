"""Texts that careless files lose or change, for tests that draw."""

from hypothesis import strategies as st

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
ODD = ["", " ", "x", "true", "null", "1_0", "0123", "1.10", "-0.4", "\u2212", "#", "- a", "a: b"]
ODD += ["Don't", "'tis", "'", "''", '"', 'say "no"', '""', "{", "[a", "%", "@x", "!!str", "&a"]
ODD += ["=1+1", "'=1", "''-", "-b", "+c", "x;=1", "x;'=1", "a\n=1", "\n", "a\nb", "\tx", "＝1"]
ODD += [" at both ends ", "\u00a0", "\u2028", "\x85", "\u200b", "\ufeff", "𝒳 👍🏽", "José"]
ODD += ["Jose\u0301", "\u202eabc", "\x1b", "a,b;c|d", "a\r\nb", "a\rb", "x" * 300]
TEXTS = st.sampled_from(ODD) | st.text(LETTERS, max_size=8)
WORDS = TEXTS.filter(str.strip)
