"""Report how well a threshold chosen on one half of the recipients does on the other."""
