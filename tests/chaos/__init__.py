"""Random faults on small runs: the records end as an undisturbed run's, or an error says what is missing."""
