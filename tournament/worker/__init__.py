"""The part of a run that happens on a worker: batches and legs."""
