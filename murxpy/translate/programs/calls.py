"""The plainest spelling of a call: what a person would write."""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine.contract import protocols, stress
from murxpy.machine.contract.broken import Prepared
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.script import own_options
from murxpy.machine.tokens import Python, Ref
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.trace.reading import Reading
from murxpy.solvers.callables import PROPERTY
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, SpellingSet
from murxpy.translate.asking import theory_options
from murxpy.translate.dry import interpret
from murxpy.translate.expressions import HELPER, Code, SourceWrapper, literal, operand
from murxpy.translate.printer import (
    DEFECTS,
    NAMED,
    SELF_CHECKS,
    SORTS,
    PythonPrinter,
    sort_numbers,
    sort_word,
)
from murxpy.translate.programs.sheet import ANSWER, TERM, Sheet

PLAIN = "plain-"  # how the names of spellings begin that stand in the section `plain`


class PlainWrapper(SourceWrapper):
    """A wrapper whose calls return their own source, with the spellings of its section `plain`
    before all others.
    """

    def __init__(self, data: dict[str, Any], catalogue: Catalogue, release: str) -> None:
        self.plain: dict[str, Any] = data.get("plain") or {}
        # spellings of which only the solver can say whether they fit
        self.guarded: set[Spelling] = set()
        super().__init__(data, catalogue, release)

    def _build(self, section: str) -> None:
        own = self.plain.get(section) or {}
        entries = self.data.get(section) or {}
        self.data = {
            **self.data,
            section: {
                key: {**_forms(own.get(key), PLAIN), **_forms(entries.get(key), "")}
                for key in dict.fromkeys([*entries, *own])
            },
        }
        super()._build(section)

    def part_name(self, made: Spelling) -> str:
        name = made.name.removeprefix(PLAIN)
        return name if name in self.facts.parts else ""

    def _spelling(self, section: str, key: str, name: str, form: Any) -> Spelling | None:
        spelling = super()._spelling(section, key, name, form)
        conditions = [] if isinstance(form, str) else form.get("when") or []
        texts = [conditions] if isinstance(conditions, str) else conditions
        if spelling is not None and any(text.startswith("h.") for text in texts):
            self.guarded.add(spelling)
        return spelling


def _forms(entry: Any, prefix: str) -> dict[str, Any]:
    if entry is None:
        return {}
    forms = {"default": entry} if isinstance(entry, str) or "is" in entry else entry
    return {f"{prefix}{name}": form for name, form in forms.items()}


def plainest(
    spellings: SpellingSet, frame: Frame, wanted: str | None, guarded: Collection[Spelling] = ()
) -> Spelling | None:
    """The spelling that a person would choose for the call in `frame`: one of the section `plain`, or
    else one with a Python number for a literal, or else the first one, if none of them needs a
    helper. If all do, it is the spelling `wanted`, or the first one. Spellings that are `guarded` are
    left out, except for the spelling `wanted`.
    """
    fitting = [
        spelling
        for spelling in spellings.spellings
        if (spelling.name == wanted or spelling not in guarded) and spelling.fits(frame)
    ]
    own = [spelling for spelling in fitting if spelling.name.startswith(PLAIN)]
    same = [spelling for spelling in own if spelling.name == f"{PLAIN}{wanted}"]
    alone = [
        spelling
        for spelling in fitting
        if spelling.weight > 0 and not HELPER.search(spelling.template.text)
    ]
    numbers = [spelling for spelling in alone if _of_numbers(spelling)]
    named = spellings.named(wanted) if wanted is not None else None
    rest = [named] if named is not None else fitting
    return next(iter([*same, *own, *numbers, *alone, *rest]), None)


def _of_numbers(spelling: Spelling) -> bool:
    return any(
        placeholder and text[0] == "n" and text[1:].isdigit()
        for text, placeholder in spelling.template.parts
    )


# ----------------------------------------------------------------------
# The statements with which a person declares datatypes, by the templates of the wrapper.


def declared(
    sheet: Sheet, templates: Mapping[str, str], block: Sequence[tuple[Any, ...]]
) -> list[Code] | None:
    """Write the declaration of a block of datatypes. The result is their sorts; None if it cannot
    be written so: a datatype has parameters, or the wrapper has no templates.
    """
    if not templates or not all(map(_simple, block)):
        return None
    made = {
        name: sheet.define(_filled(templates["datatype"], name=literal(name)), name, kept=True)
        for name, _, _ in block
    }
    for name, _, constructors in block:
        for constructor, fields in constructors:
            _constructor(sheet, templates, made, name, constructor, fields)
    sorts = list(made.values())
    joined = ", ".join(sorts)
    key = "create" if len(sorts) == 1 else "create-all"
    sheet.do(_filled(templates[key], datatype=sorts[0], datatypes=joined))
    return sorts


def _constructor(
    sheet: Sheet,
    templates: Mapping[str, str],
    made: Mapping[str, Code],
    owner: str,
    name: str,
    fields: Sequence[tuple[str, Any]],
) -> None:
    words = {"datatype": made[owner], "name": literal(name)}
    operands = [
        _filled(templates["operand"], name=literal(selector), sort=_sort(field, made, owner))
        for selector, field in fields
        if "operand" in templates
    ]
    text = _filled(templates["constructor"], **words, fields=", ".join(operands))
    if "close" not in templates:
        sheet.do(text.replace(", )", ")"))
        return
    constructor = sheet.define(text, name, kept=True)
    for selector, field in fields:
        itself = isinstance(field, tuple) and field == ("self",)
        other = isinstance(field, tuple) and not itself
        key = "itself" if itself else "other" if other else "field"
        sort = literal(field[1]) if other else _sort(field, made, owner)
        filled = {"constructor": constructor, "name": literal(selector), "sort": sort}
        sheet.do(_filled(templates[key], **filled))
    sheet.do(_filled(templates["close"], **words, constructor=constructor))


def _sort(field: Any, made: Mapping[str, Code], owner: str) -> str:
    if not isinstance(field, tuple):
        return str(field)
    return str(made[owner if field == ("self",) else field[1]])


def _simple(declaration: tuple[Any, ...]) -> bool:
    """Whether a datatype has no parameters, and no field is an instance of one that has."""
    _, parameters, constructors = declaration
    fields = [field for _, selectors in constructors for _, field in selectors]
    return not parameters and not any(
        isinstance(field, tuple) and (field[0] == "param" or (len(field) > 2 and field[2]))
        for field in fields
    )


def _filled(template: str, **words: str) -> str:
    for key, text in words.items():
        template = template.replace(f"{{{key}}}", text)
    return template


# ----------------------------------------------------------------------
# Misuses in a plain program: the call with its bad operand as a person would write it.


# what stress on one object comes down to, by our function
_STRESS: dict[Callable[..., Any], str] = {
    protocols.copied: "copy.copy({0})",
    protocols.deeply_copied: "copy.deepcopy({0})",
    protocols.pickled: "pickle.loads(pickle.dumps({0}))",
    protocols.equality: "{0} == 7",
    protocols.chained: "{0} == {1} == {0}",
    protocols.iterated: f"list(itertools.islice({{0}}, {protocols.ENDLESS}))",
    protocols.indexed: "{0}[{1}]",
    protocols.truth: "bool({0})",
    protocols.texts: "repr({0})",
}
# An object in a reference cycle, whose finalizer uses others.
_LAST_WILL = """class LastWill:
    def __init__(self, *objects):
        self.objects, self.itself = objects, self

    def __del__(self):
        print(*map(repr, self.objects))
"""
_FEW = 2  # objects that a plain program makes in the same way
_HEIRS: dict[Callable[..., Any], str] = {
    stress.outlived: "copy.copy",
    stress.survived: "copy.deepcopy",
}
# what an object of the solver is equal to and must not be
_EQUAL = re.compile(r" is equal to (None|7|'x')$")
OTHER_TEXT = "has another text than the original"
# the operators of Python by the functions that apply them
SYMBOLS = {
    name: symbol
    for symbol, names in {
        "&": "and_",
        "|": "or_",
        "^": "xor",
        "+": "add",
        "-": "sub",
        "*": "mul",
        "/": "truediv",
        "%": "mod",
        "**": "pow",
        "<<": "lshift",
        ">>": "rshift",
        "<": "lt",
        "<=": "le",
        ">": "gt",
        ">=": "ge",
        "==": "eq",
        "!=": "ne",
    }.items()
    for name in names.split()
    if hasattr(operator, name)
}


def _parents(module: str) -> list[str]:
    """The packages that hold a module."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _kind(run: PythonPrinter, number: int) -> str:
    """A name for an object of a class that the trace tells."""
    words = run.line.result("return") or ()
    name = str(words[-1]) if words else "x"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Ref")).lower()


# ----------------------------------------------------------------------
# The calls of a trace as the statements of a program.


_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_OTHER = re.compile(r"\W+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """The closeness of a program's calls to the trace: whether each has its `plain` spelling or that
    of the trace, whether the solver is made so, too, whether expressions are `nested`, whether terms
    are of the binding's `main` context, where it has one, or of a context that dies with the last name
    for it, and whether public callables are called for their `effects`, too, where nobody uses what they
    give. What the last call gives is `looked` at, as a run does, and all objects are `dropped` in the order
    in which the end of a run drops them.
    """

    plain: bool = True
    plain_solver: bool = True
    nested: bool = True
    main: bool = True
    effects: bool = False
    looked: bool = False
    dropped: bool = False


class Calls(PythonPrinter):
    """Writes a statement for each call of a trace in one form, as a person would write it.

    `failing` is the source of the call that was refused with a defect, or of the misuse on the last
    line of the trace, if there is one; `other` is the same call with another operand, where the two
    are compared.
    """

    wrapper: PlainWrapper

    def __init__(
        self, wrapper: PlainWrapper, catalogue: Catalogue, trace: Trace, form: Form
    ) -> None:
        super().__init__(wrapper, catalogue, trace)
        self.plain, self._plain_solver = form.plain, form.plain_solver
        names = wrapper.plain.get("names") or {}
        self.main = str(wrapper.plain.get("main-context") or "") if form.main else ""
        self.solver_name = str(names.get("solver", "solver"))
        self._manager = str(names.get("context", "ctx"))
        exact = {*wrapper.helpers, *(wrapper.plain.get("exact") or ())}
        self.sheet = Sheet(self._manager if self.main else "", self.main, exact)
        self.sheet.nested, self.sheet.effects = form.nested, form.effects
        self.sheet.dropped, self.looked = form.dropped, form.looked
        self.dies = False  # whether the last call ends the process
        # gives the call that a check of the trace makes
        self.reading: Callable[[Calls], str] = lambda run: ""
        self.failing = self.other = self.given = ""
        self.message = ""  # what the finding says
        self.modules: dict[str, None] = {}  # the modules whose functions the program calls
        self.script = ""  # the script that the program has read
        self._left = ""  # the context that the run left last
        self.stressed = ""  # the object that the last line stresses, by a rule of its own
        self.promised = False  # whether `failing` gives a text that says which promise is broken
        self.checked = False  # whether the program has the answer of a check
        self.recorded = ""  # the answer of the last check in the trace
        self.asked: list[Entry] = []  # the terms whose values the trace checks

    def imports(self) -> str:
        """The statements that import the binding."""
        return str(self.wrapper.plain.get("imports") or self.wrapper.facts.imports)

    # -- what a run tells

    def choose(
        self, spellings: SpellingSet | None, seed: int, wanted: str | None, what: str
    ) -> Spelling:
        plain = self._plain_solver if what == "new" else self.plain
        chosen = (
            plainest(spellings, self.frame, wanted, self.wrapper.guarded)
            if plain and spellings
            else None
        )
        if chosen is not None and self.misuse is None:
            return chosen
        if chosen is not None and isinstance(self.misuse, Prepared) and self.misuse.breaks(chosen):
            return self.misuse.prepare(self, chosen)
        return super().choose(spellings, seed, wanted, what)

    def passed(self, reason: str) -> None:
        """A line without a call needs no statement."""

    def witness(self, action: str) -> None:
        numbers = [t.number for t in self.line.args if isinstance(t, Ref) and t.letter == "t"]
        self.asked = [self.db.terms[number] for number in numbers]
        if not self.last or self.dies:
            with suppress(Refused):
                code = str(self.reading(self))
                self.sheet.do(code if self.refusal() is None else tolerant(code))

    def write_dropped(self, word: str) -> None:
        raise InputError("a plain program does not drop objects")

    # -- statements

    def row(self, text: str) -> None:
        self.sheet.do(text)

    def bind(self, code: str, hint: str, cheap: bool = False, kept: bool = True) -> Code:
        return self.sheet.define(code, hint, cheap, kept)

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        if action == "get-value" and spelling in self._value_readers():
            return None
        if action == "run-script":
            self.write_script("", spelling)
            return self.printed()
        of_script = self.trace.lines[-1].action == "run-script" and self.refusal() is None
        if action == "set-limit" and of_script:
            return None  # the script has the limit
        if action in ("set-option", "set-parameter") and spelling.name.startswith(PLAIN):
            self.frame.fill(name=self.frame.name, value=_setting(str(self.frame.value)))
        made = self._declared(action)
        return super().written_call(spelling, args, indices, action) if made is None else made

    def _declared(self, action: str) -> list[Code] | None:
        """Declare datatypes as a person does; None for any other call, and where that cannot be."""
        if action != "mk-sort" or self.frame.result is not None or not self.plain:
            return None
        templates = self.wrapper.plain.get("datatypes") or {}
        return None if self.refusal() else declared(self.sheet, templates, self.frame.value)

    def _value_readers(self) -> list[Spelling]:
        reader = self.wrapper.set("readers", "value")
        return [] if reader is None else reader.spellings

    def write_context(self) -> None:
        if not self.main:
            self.sheet.fixed(self._manager, str(self.frame.ctx))
        self.frame.ctx = Code(self._manager)

    def write_solver(self, code: str) -> Code:
        if code != self.solver_name:  # or else the context is the solver
            self.sheet.fixed(self.solver_name, code)
        return Code(self.solver_name)

    def hint(self, action: str) -> str:
        if action in SORTS:
            return _sort_name(self.frame.result)
        name = _OTHER.sub("_", self.frame.name).strip("_")
        return name if action in NAMED and _WORD.fullmatch(name) else TERM

    def sort_hint(self, sort: Sort) -> str:
        return _sort_name(sort)

    def write_promise(self, code: str, action: str) -> None:
        if self.last:
            self.failing, self.promised = code, True
            raise Stopped(None)
        if action not in SELF_CHECKS:
            self.sheet.do(code)

    def write_refused(self, code: str, defect: bool, message: str) -> None:
        if defect:
            self.failing = code
        else:
            self.sheet.do(tolerant(code))

    def write_datatypes(self, code: str) -> list[Code]:
        sorts = self.sheet.define(code, "sorts", kept=True)
        return [
            self.sheet.define(f"{sorts}[{at}]", str(declaration[0]), kept=True)
            for at, declaration in enumerate(self.frame.value)
        ]

    def write_check(self, code: str) -> None:
        text = str(code)
        self.sheet.do(f"{ANSWER} = {text if text.startswith('str(') else f'str({text})'}")
        self.checked = True
        self.recorded = self.answer()

    def write_script(self, code: str, spelling: Spelling) -> None:
        """Write the statements that have a script read. Its text is `script`, which stands before
        them.
        """
        source = self._reading()
        if not source or self.script:
            raise InputError("the wrapper does not say how a person has a script read")
        self._set_early(str(self.frame.value))
        limit = str(self.wrapper.plain.get("script-limit") or "")
        head = limit.replace("{v}", str(self.state.limit)) if self.state.limit else ""
        self.script = f"{head}\n{str(self.frame.value).strip()}\n".lstrip()
        statements = [ast.unparse(node) for node in ast.parse(source).body]
        refusal = self.refusal()
        if refusal is not None and refusal[0] in DEFECTS:
            self.failing = "\n".join(statements)
            raise Stopped(None)
        self.sheet.do(*statements)
        self.recorded = next(iter(self.printed().split()[-1:]), "")
        if self.recorded and not self.dies:
            self.sheet.do(
                "answers = [row for row in output.split() if row in ('sat', 'unsat', 'unknown')]",
                f"{ANSWER} = answers[-1] if answers else 'none'",
            )

    def _reading(self) -> str:
        """The statements that have a script read. An error in a script is no death."""
        source = str(self.wrapper.plain.get("script") or "").strip()
        main = str(self.wrapper.plain.get("main-context") or "")
        if main and not self.main:
            source = source.replace(main, self._manager)
        if self.dies and source:
            return f"try:\n{indent(source, '    ')}\nexcept Exception as error:\n    print(error)"
        return source

    def _set_early(self, script: str) -> None:
        """Set the options that the theories of a script need, and those of its options that are
        parameters of the process: a solver that was made before they are set may not heed them.
        """
        option = str(self.wrapper.plain.get("script-option") or "")
        for name in theory_options(script, self.catalogue, self.wrapper.name) if option else ():
            self.sheet.do(option.replace("{name}", literal(name)))
        setter = str(self.wrapper.plain.get("script-parameter") or "")
        for name, value in own_options(script) if setter else ():
            if "." in name:
                shown = setter.replace("{name}", literal(name))
                self.sheet.do(shown.replace("{v}", literal(_setting(value))))

    # -- objects that no line names

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        try:
            return self.sort_object(sort)
        except Refused:
            return self.sheet.define(str(super()._sort_of(obj, sort)), _sort_name(sort), cheap=True)

    # -- misuses of calls

    def write_misuse(self, code: str) -> None:
        """Write a misuse, or keep it if it is the defect."""
        if self.last:
            self.failing = code
            raise Stopped(None)
        self.sheet.do(tolerant(code))

    def broken(self, code: str) -> str:
        words = self.misuse.words if isinstance(self.misuse, Prepared) else ()
        if words and isinstance(words[0], Python):
            self.given = literal(words[0].value)
        return code

    def write_given(self, code: str) -> Any:
        number = None if self.last and not self.sheet.dropped else self.returned("x")
        if number is None:
            return self.write_misuse(code)
        return self.sheet.define(code, _kind(self, number), kept=True, effect=True)

    def handed_over(self, number: int) -> Any:
        return [self.objects.alive.pop(number)]

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        if function is protocols.alike:
            return self._alike(*operands)
        if function is protocols.reflected:
            found = re.search(r"\b(\w++) of a \w++ and a \w++: (a|n) \. (a|n) works", self.message)
            symbol = SYMBOLS.get(found[1]) if found else None
            if found is None or symbol is None:
                raise Refused("unsupported", "no operator is named")
            names = {"a": operand(operands[0]), "n": literal(operands[1])}
            self.write_misuse(f"{names[found[3]]} {symbol} {names[found[2]]}")
        if function is stress.told:
            self.write_misuse(str(operands[0]))
        if function is stress.knot:
            self.sheet.do(
                f"loop = [{', '.join(map(operand, operands))}]", "loop.append(loop)", "del loop"
            )
            self.write_misuse("gc.collect()")
        if function is stress.orphaned:
            self.sheet.do(f"del {self._left}", "gc.collect()")
            self.write_misuse(f"str({operand(operands[0][0])})")
        if function is stress.bequeathed:
            self.sheet.do(_LAST_WILL, f"LastWill({', '.join(map(operand, operands[0]))})")
            self.write_misuse("gc.collect()")
        if function in _HEIRS:
            self.write_misuse(self._of_heir(_HEIRS[function], operand(operands[0][0])))
        if function not in _STRESS:
            raise Refused("unsupported", f"{function.__name__} is no single call")
        self.stressed = operand(operands[0])
        equal = _EQUAL.search(self.message)
        if function is protocols.equality and equal is not None:
            self.write_misuse(f"{self.stressed} == {equal[1]}")
        self.write_misuse(_STRESS[function].format(*map(operand, operands)))
        return None

    def _of_heir(self, copier: str, original: str) -> str:
        """The text of the copy of an object that is gone. The text of the original is in `text`."""
        if OTHER_TEXT in self.message:
            self.sheet.do(f"text = str({original})")
        if self.line.result("raised") is not None:  # there is no copy
            return f"{copier}({original})"
        copy = self.sheet.define(f"{copier}({original})", "other", kept=True)
        self.sheet.do(f"del {original}", "gc.collect()")
        return f"str({copy})"

    def deferred(self, spelling: Spelling, frame: Any, args: Sequence[Any] = ()) -> Any:
        return Code(spelling.call(args, (), frame))

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        if count > _FEW:
            raise Refused("unsupported", "a plain program does not drop many objects")
        return [self.sheet.define(str(call), "made", kept=True) for _ in range(count)]

    def leave(self, frame: Any) -> None:
        self._left = str(frame.ctx)
        super().leave(frame)

    def _alike(self, function: Any, operands: Sequence[Any], at: int) -> None:
        """Two calls that must not give the same."""
        _, _, pair = self.message.partition("; ")
        _, taken, given = pair.rpartition(" for ")
        shown = self.shown(operands)
        if taken:
            other = [given if k == at else text for k, text in enumerate(shown)]
            self.other = self.public_call(str(function), other, operands)
            self.given = given
        self.write_misuse(self.public_call(str(function), shown, operands))

    def shown(self, operands: Sequence[Any]) -> list[str]:
        """The sources of operands. Nearer to the trace, the main context is one of them."""
        texts = [literal(one) for one in operands]
        main = self.main if self.main and not self.plain else ""
        return [main if main and text == self.frame.ctx else text for text in texts]

    def public_call(self, name: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
        """The call of a public callable: of a method by its object, of a function by its name."""
        own = name.removeprefix(PROPERTY)
        path = own.split(".")
        if own != name or (path[-2][:1].isupper() and operands and isinstance(operands[0], Code)):
            applied = _applied(path[-1], shown, operands) if self.plain else ""
            if applied:
                return applied
            call = f"{operand(operands[0])}.{path[-1]}"
            return call if own != name else f"{call}({', '.join(shown[1:])})"
        module = ".".join(itertools.takewhile(lambda part: not part[:1].isupper(), path[:-1]))
        if f"from {module} import *" in self.imports():
            own = own.removeprefix(f"{module}.")
        elif not any(f"from {parent} import *" in self.imports() for parent in _parents(module)):
            self.modules.setdefault(module)
        else:
            own = own.partition(".")[2]
        return f"{own}({', '.join(shown)})"


def _applied(method: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
    """The application of an operator of Python, whose method is called; empty where it is none. The
    method of an object on the right is only called of a left one that is no object of the solver.
    """
    name = method.removeprefix("__").removesuffix("__")
    if name == method or len(shown) != 2:
        return ""
    for one, other, own in ((0, 1, name), (1, 0, name.removeprefix("r"))):
        symbol = SYMBOLS.get(own) or SYMBOLS.get(f"{own}_")
        if symbol is not None and (not one or not isinstance(operands[1], Code)):
            return f"({shown[one]}) {symbol} ({shown[other]})"
    return ""


def tolerant(code: str) -> str:
    """A call that the solver may refuse, as a statement."""
    return f"try:\n    {code}\nexcept Exception:\n    pass"


def _sort_name(sort: Sort | None) -> str:
    if sort is not None and sort.kind == "SORT_UNINTERPRETED":
        return str(sort.params[0])
    return sort_word(sort) + ("" if sort is None or sort_numbers(sort) else "_sort")


def _setting(text: str) -> bool | int | float | str:
    """The value of an option as a Python value."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def go_through(run: Calls, trace: Trace) -> Calls:
    """Write the statements of a trace. Raises InputError if a line cannot be written."""
    interpret(run, Reading(run, trace))
    return run
