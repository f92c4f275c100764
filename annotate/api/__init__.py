"""Serve studies, items and raters over the HTTP API, and what all apps' resources share."""
