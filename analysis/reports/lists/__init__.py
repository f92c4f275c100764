"""Report whose lists people and judges prefer, and whether judges see what does not fit."""
