"""Say a study's answer on one page: verdict, judges by rank, where they part from people."""
