"""Measure how closely values follow a reference."""
