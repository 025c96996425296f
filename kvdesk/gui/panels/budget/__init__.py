"""The budget of one GPU, line by line, each opening to its formula."""
