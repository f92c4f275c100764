"""Answer how many ratings a study needs, before there is a study: by page and command."""
