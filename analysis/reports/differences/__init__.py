"""Report whether one judge follows the reference more closely than another."""
