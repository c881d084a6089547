"""Which legs a contest has, which of them count, and how many replicas are played next."""
