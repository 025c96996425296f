"""The workload: context, sequences, shared prefix."""
