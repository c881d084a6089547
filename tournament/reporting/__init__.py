"""A tournament as one self-contained page of HTML: `tournament report`."""
