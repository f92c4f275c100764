"""Load a study from files: annotate's tables, and judges and judgments on top."""

from judges.files.load import TABLES, StudyLoading, check_files, load_files, write_files

__all__ = ["TABLES", "StudyLoading", "check_files", "load_files", "write_files"]
