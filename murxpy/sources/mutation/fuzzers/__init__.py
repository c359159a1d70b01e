"""The mutation fuzzers. Each has a module, which ends with the entry that the fuzzer declares."""
