"""Report whether a judge prefers the list that people prefer, and sees what does not fit."""
