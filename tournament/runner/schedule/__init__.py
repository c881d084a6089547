"""Schedules: the legs of a contest, those that count, and the number of replicas that follow."""
