"""Who stands where, with what certainty."""
