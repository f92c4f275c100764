"""Say how a study is set up: who may see it, what it asks, checks, pays and keeps apart."""
