"""What happens on a worker: batches and legs."""
