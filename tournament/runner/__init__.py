"""One run of a contest: schedule, tasks, resuming, executors."""
