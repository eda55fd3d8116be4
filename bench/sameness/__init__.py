"""The parts of `bench/same`: inputs, jobs, and how their outputs are compared."""
