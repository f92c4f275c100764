"""Name what an ethics board asks for: keys of study.yaml, kept in Study.extra."""

from annotate.values.texts import LONGEST as LONGEST_TEXT

CONTACT, REFERENCE, WITHDRAWAL_PAY = "contact", "ethics_reference", "withdrawal_pay"
SCREEN_OUT_PAY = "screen_out_pay"
DEBRIEF = "debrief"  # Markdown, on the last page of who completed
LONGEST = {  # characters
    CONTACT: 300,
    REFERENCE: 100,
    WITHDRAWAL_PAY: 500,
    SCREEN_OUT_PAY: 500,
    DEBRIEF: LONGEST_TEXT,
}
LOCAL_ONLY = "local_models_only"  # no judge of the study asks a model at another place
OWNERS_ONLY = ("delete_on", "consent_covers")  # which editors may not change
