"""Report whether people find more items good where a judge's value is higher."""
