"""Games whose rules are written in Python: sessions by generators."""
