"""Reading scripts and models of SMT-LIB as typed terms."""
