"""Starting confined processes, measuring what they take, and ending them."""
