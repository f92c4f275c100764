"""Citations: each key has an entry, and an entry is whole."""

import re
from pathlib import Path

from analysis.paper.citations import as_bibtex, in_latex, in_words, keys_in, references
from analysis.paper.methods import OF_SECTION
from analysis.paper.methods import __file__ as METHODS
from analysis.paper.sections import BY_NAME


def test_every_key_that_is_cited_has_an_entry_and_every_entry_is_cited():
    cited = {key for key in re.findall(r"@(\w+)[;\]]", Path(METHODS).read_text())}
    assert cited == {*references()}


def test_the_sections_that_methods_speak_of_are_there():
    assert {*OF_SECTION} <= {*BY_NAME}


def test_an_entry_has_what_a_list_of_references_prints():
    for reference in references().values():
        assert {"author", "title", "year"} <= {*reference.fields}
        assert re.fullmatch(r"\d{4}", reference.fields["year"])
        assert not re.search(r"[{}\\]", reference.full)
        assert reference.text.count("{") == reference.text.count("}")


def test_a_citation_is_written_for_pages_and_for_latex():
    sentence = "By r [@zhang2024; @hanley1982], 5 %."
    assert in_words(sentence) == "By r (Zhang et al., 2024; Hanley & McNeil, 1982), 5 %."
    escaped = in_latex(sentence, lambda text: text.replace("%", r"\%"))
    assert escaped == r"By r \citep{zhang2024,hanley1982}, 5 \%."
    assert keys_in([sentence]) == ["zhang2024", "hanley1982"]
    assert as_bibtex(["zhang2024"]).startswith("@inproceedings{zhang2024,\n")


def test_a_reference_is_written_in_full():
    assert references()["field2007"].full == (
        "Field, Christopher A.; Welsh, Alan H. (2007). Bootstrapping clustered data. Journal of "
        "the Royal Statistical Society: Series B, 69(3), 369–390."
    )


def test_a_name_that_looks_like_a_citation_stays_a_name():
    assert in_words("By [@foo] itself.") == "By [@foo] itself."
    assert in_latex("By [@foo] itself.", str.upper) == "BY [@FOO] ITSELF."
    assert keys_in(["By [@foo] itself."]) == []
