"""Tests of judges that are set aside."""
