"""Write stored values as files and the API have them: of a choice the label, never its rank."""

from annotate.values.numbers import plain


class Written:
    """Writes the answers to the questions of a study; each scale is made once."""

    def __init__(self, questions):
        self.scales = {question.key: question.scale for question in questions}

    def __call__(self, question, value):
        """Return a value of the question with that key as files have it."""
        scale = self.scales.get(question)
        return plain(value) if scale is None else scale.written(value)
