"""List what a column of a brought table may be used for, and the names that tell of it."""

import re

SKIP, EXTRA, ITEM, TEXT, SYSTEM = "skip", "extra", "item", "text", "system"
RECIPIENT, CONTENT, REFERENCE = "recipient", "content", "reference"
RATER, ROLE, JUDGE = "rater", "role", "judge"
QUESTION, VALUE, ANSWERS, SCORES = "question", "value", "answers", "scores"
RATIONALE, TIME, SECONDS = "rationale", "time", "seconds"
LABELS = {
    SKIP: "Not used",
    EXTRA: "Keep as extra column",
    ITEM: "Item id",
    TEXT: "Text that is rated",
    SYSTEM: "System",
    RECIPIENT: "Recipient",
    CONTENT: "Content",
    REFERENCE: "Reference text",
    RATER: "Rater",
    ROLE: "Role of the rater",
    JUDGE: "Judge",
    QUESTION: "Question (one row an answer)",
    VALUE: "Value (one row an answer)",
    ANSWERS: "A question’s answers (one column a question)",
    SCORES: "A judge’s scores (one column a judge)",
    RATIONALE: "Reason in words",
    TIME: "Time of the answer",
    SECONDS: "Seconds it took",
}
WIDE = (ANSWERS, SCORES)  # several columns may have these; of all others there is one
SHARED = (SKIP, EXTRA, *WIDE)
# Lower case, without blanks, hyphens, underscores and dots. English, German, French, Spanish,
# Italian, Portuguese, Chinese.
SYNONYMS = {
    ITEM: "id item itemid uid sampleid sample itemkey exampleid docid index nr no número numéro "
    "nummer elemento élément articolo 编号 序号",
    TEXT: "text explanation output response answer generatedtext story summary sentence review "
    "erklärung antwort ausgabe texte explication réponse texto explicación respuesta testo "
    "spiegazione risposta explicação resposta 文本 解释 回答",
    SYSTEM: "system model systemid modelname generator method condition modell modèle système "
    "modelo sistema modello condición 模型 系统",
    RECIPIENT: "recipient recipientid userid customer zielperson destinataire destinatario "
    "destinatário 接收者",
    CONTENT: "content contentid movie film product book song contenu contenido contenuto conteúdo "
    "inhalt 内容 电影",
    REFERENCE: "reference gold goldtext target referenz référence referencia riferimento "
    "referência 参考",
    RATER: "rater raterid ratername ann annotator annotatorid annotatorname labeler labeller "
    "worker workerid user participant participantid "
    "coder assessor evaluator bewerter annotateur évaluateur anotador evaluador valutatore "
    "avaliador 评分者 标注者",
    ROLE: "role raterrole rolle rôle rol ruolo papel 角色",
    JUDGE: "judge judgename scorer metric",
    QUESTION: "question questionid criterion dimension aspect frage kriterium critère pregunta "
    "criterio domanda pergunta critério 问题 维度",
    VALUE: "value rating score answervalue label grade wert bewertung note valeur valor "
    "puntuación valore punteggio pontuação 评分 分数",
    RATIONALE: "rationale reason comment why justification begründung kommentar commentaire "
    "raison razón comentario motivo commento razão 理由 评论",
    TIME: "time timestamp answeredat createdat submittedat date datum zeit heure fecha hora data "
    "时间",
    SECONDS: "seconds duration durationinseconds timetaken leadtime worktimeinseconds sekunden "
    "dauer durée duración durata duração 秒",
}
USE_OF = {name: use for use, names in SYNONYMS.items() for name in names.split()}


def plain_name(name):
    """Return a column's name without what people write differently."""
    return re.sub(r"[\s_\-.]+", "", name).lower()
