"""The mutation fuzzers, one module each, which ends with what the fuzzer declares of itself."""
