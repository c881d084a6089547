"""A tournament as one page of HTML that needs nothing else: `tournament report`."""
