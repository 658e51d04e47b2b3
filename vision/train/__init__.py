"""Training of the two nets (extra `train`): torch and Ultralytics are imported here and nowhere else."""
