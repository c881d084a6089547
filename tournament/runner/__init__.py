"""One run of a contest: schedule, batching, resuming, executors."""
