import sys
import cvc5
if not hasattr(cvc5, "InputParser"):
    sys.exit(77)  # this release has no parser in its Python API
managers = [cvc5.TermManager()] if hasattr(cvc5, "TermManager") else []  # from 1.2 on
solver = cvc5.Solver(*managers)
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
symbols = parser.getSymbolManager()
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, symbols), end="", flush=True)
