"""A tournament as one self-contained page of HTML, written by `tournament report`."""
