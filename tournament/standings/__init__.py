"""Who stands where, with what certainty, and the tables that users read."""
