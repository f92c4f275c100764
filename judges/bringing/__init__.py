"""Read tables as other programs write them, and translate them to the tables of a study.

Everything here is pure: files in, rows out. Nothing looks into the database.
"""
