"""Report which system's lists people and judges prefer."""
