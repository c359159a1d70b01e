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
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.contract import protocols, stress
from murxpy.machine.contract.broken import Prepared
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Misused, Refused, Stopped
from murxpy.machine.script import own_options
from murxpy.machine.tokens import Python, Ref
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.trace.reading import Reading
from murxpy.solvers.callables import PROPERTY
from murxpy.solvers.exceptions import ILL_FORMED, UNDOCUMENTED
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, SpellingSet, run_spelling
from murxpy.translate.asking import theory_options
from murxpy.translate.dry import interpret
from murxpy.translate.expressions import HELPER, Code, SourceWrapper, literal, operand
from murxpy.translate.misuse import MisuseRows
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
    protocols.iterated: "list(itertools.islice({0}, 5000))",
    protocols.indexed: "{0}[{1}]",
    protocols.truth: "bool({0})",
    protocols.texts: "repr({0})",
}
_SYMBOLS = {
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


class PlainMisuses(MisuseRows):
    """The part of a program that misuses calls. The misuse on the last line of the trace is
    `failing`; `other` is the same call with another operand, where the two are compared.
    """

    sheet: Sheet
    main: str
    plain: bool
    failing: str
    other: str = ""
    given: str = ""
    message: str = ""  # what the finding says

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.modules: dict[str, None] = {}  # the modules whose functions the program calls

    def imports(self) -> str:
        """The statements that import the binding."""
        raise NotImplementedError

    def misused(self, code: str) -> None:
        """Write a misuse; if it is the defect, keep it for the end of the program."""
        if self.last:
            self.failing = code
            raise Stopped(None)
        self.sheet.do(f"try:\n    {code}\nexcept Exception:\n    pass")

    def broken_call(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any]) -> None:
        assert isinstance(self.misuse, Prepared)
        self.frame.bad = self.misuse.operand(self, args, indices)
        words = self.misuse.words
        if words and isinstance(words[0], Python):
            self.given = literal(words[0].value)
        self.misused(str(spelling.call(args, indices, self.frame)))
        raise Misused

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        shown = self._shown(operands)
        shown += [f"{keyword}={literal(one)}" for keyword, one in named.items()]
        code = self._called(str(function), shown, operands)
        if self.last:
            self.misused(code)
        number = self.returned("x")
        return self.bind(code, _kind(self, number)) if number is not None else self.misused(code)

    def handed_over(self, number: int) -> Any:
        raise Refused("unsupported", "a plain program does not drop objects")

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        if function is protocols.alike:
            return self._alike(*operands)
        if function is protocols.reflected:
            found = re.search(r"\b(\w++) of a \w++ and a \w++: (a|n) \. (a|n) works", self.message)
            symbol = _SYMBOLS.get(found[1]) if found else None
            if found is None or symbol is None:
                raise Refused("unsupported", "no operator is named")
            names = {"a": operand(operands[0]), "n": literal(operands[1])}
            self.misused(f"{names[found[3]]} {symbol} {names[found[2]]}")
        if function is stress.told:
            self.misused(str(operands[0]))
        if function not in _STRESS:
            raise Refused("unsupported", f"{function.__name__} is no single call")
        self.misused(_STRESS[function].format(*map(operand, operands)))
        return None

    def deferred(self, spelling: Spelling, frame: Any, args: Sequence[Any] = ()) -> Any:
        return Code(spelling.call(args, (), frame))

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        raise Refused("unsupported", "a plain program does not drop objects")

    def _alike(self, function: Any, operands: Sequence[Any], at: int) -> None:
        """Two calls whose results must differ."""
        _, _, pair = self.message.partition("; ")
        _, taken, given = pair.rpartition(" for ")
        shown = self._shown(operands)
        if taken:
            other = [given if k == at else text for k, text in enumerate(shown)]
            self.other = self._called(str(function), other, operands)
            self.given = given
        self.misused(self._called(str(function), shown, operands))

    def _shown(self, operands: Sequence[Any]) -> list[str]:
        """The sources of operands. Nearer to the trace, the main context is one of them."""
        texts = [literal(one) for one in operands]
        main = self.main if self.main and not self.plain else ""
        return [main if main and text == self.frame.ctx else text for text in texts]

    def _called(self, name: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
        """The call of a public callable: of a method by its object, of a function by its name."""
        own = name.removeprefix(PROPERTY)
        path = own.split(".")
        if own != name or (path[-2][:1].isupper() and operands and isinstance(operands[0], Code)):
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


def _parents(module: str) -> list[str]:
    """The packages that hold a module."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _kind(run: MisuseRows, number: int) -> str:
    """A name for an object of a class that the trace tells."""
    words = run.line.result("return") or ()
    name = str(words[-1]) if words else "x"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Ref")).lower()


# ----------------------------------------------------------------------
# The calls of a trace as the statements of a program.


_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_OTHER = re.compile(r"\W+", re.ASCII)
_BASES = {"mk-sort": "sort", "mk-value": "value", "mk-special-value": "value"}
SELF_CHECKS = ("check-sort", "check-term", "check-value", "check-eq")
_DEFECTS = (UNDOCUMENTED, ILL_FORMED)


@dataclass(frozen=True, slots=True)
class Form:
    """The closeness of a program's calls to the trace: whether each has its `plain` spelling or that
    of the trace, whether the solver is made so, too, whether expressions are `nested`, and whether
    terms are of the binding's `main` context, where it has one, or of a context that dies with the
    last name for it.
    """

    plain: bool = True
    plain_solver: bool = True
    nested: bool = True
    main: bool = True


class Calls(PlainMisuses):
    """Writes a statement for each call of a trace in one form.

    `failing` is the source of the call that was refused with a defect, if there is one.
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
        self.sheet.nested = form.nested
        self.dies = False  # whether the last call ends the process
        # gives the call that a check of the trace makes
        self.reading: Callable[[Calls], str] = lambda run: ""
        self.failing = ""
        self.script = ""  # the script that the program has read
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
                self.sheet.do(code if self.refusal() is None else _tolerant(code))

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        if action == "gc":
            self.sheet.do("gc.collect()")
        elif action in ("del", "delete"):
            raise InputError("a plain program does not drop objects")

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        if action == "new":
            return self._new(spelling)
        if action == "get-value" and spelling in self._value_readers():
            return None
        if action == "run-script":
            return self._script()
        if action in ("set-option", "set-parameter") and spelling.name.startswith(PLAIN):
            self.frame.fill(name=self.frame.name, value=_setting(str(self.frame.value)))
        made = self._declared(action)
        if made is not None:
            return made
        code = run_spelling(spelling, args, indices, self.frame, self.wrapper.conjunction)
        self._refused(code)
        return self._written(code, action)

    def _written(self, code: Any, action: str) -> Any:
        """Write the statement of a call that was not refused. Return its result."""
        if action == "mk-sort" and self.frame.result is None:
            return self._datatypes(code)
        if action in ANSWERING:
            self._check(code)
            return self.answer()
        if action == "set-limit" and self.trace.lines[-1].action == "run-script":
            return None  # the script has the limit
        if action.startswith("mk-") or action == "instantiate-sort":
            return self._built(code, action)
        own = action in self.wrapper.facts.own_actions
        if self.last and (action in SELF_CHECKS or own):
            self.failing, self.promised = str(code), True
            raise Stopped(None)
        if action not in SELF_CHECKS:
            self.sheet.do(code)
        return None

    def _declared(self, action: str) -> list[Code] | None:
        """Declare datatypes as a person does; None for any other call, and where that cannot be."""
        if action != "mk-sort" or self.frame.result is not None or not self.plain:
            return None
        templates = self.wrapper.plain.get("datatypes") or {}
        return None if self.refusal() else declared(self.sheet, templates, self.frame.value)

    def _value_readers(self) -> list[Spelling]:
        reader = self.wrapper.set("readers", "value")
        return [] if reader is None else reader.spellings

    def _new(self, spelling: Spelling) -> Code:
        if self.main:
            self.frame.ctx = Code(self._manager)
        else:
            self.sheet.fixed(self._manager, str(self.frame.ctx))
            self.frame.ctx = Code(self._manager)
        code = spelling.call((), (), self.frame)
        self.sheet.fixed(self.solver_name, code)
        return Code(self.solver_name)

    def _built(self, code: str, action: str) -> Code:
        kept = action in ("mk-const", "mk-var", "mk-fun")
        return self.sheet.define(code, self._hint(action), action in _BASES, kept)

    def _hint(self, action: str) -> str:
        if action in ("mk-sort", "instantiate-sort"):
            return _sort_name(self.frame.result)
        name = _OTHER.sub("_", self.frame.name).strip("_")
        named = action in ("mk-const", "mk-var", "mk-fun") and _WORD.fullmatch(name)
        return name if named else TERM

    def _datatypes(self, code: str) -> list[Code]:
        sorts = self.sheet.define(code, "sorts", kept=True)
        return [
            self.sheet.define(f"{sorts}[{at}]", str(declaration[0]), kept=True)
            for at, declaration in enumerate(self.frame.value)
        ]

    def _check(self, code: str) -> None:
        text = str(code)
        self.sheet.do(f"{ANSWER} = {text if text.startswith('str(') else f'str({text})'}")
        self.checked = True
        self.recorded = self.answer()

    def _script(self) -> str:
        """Write the statements that have a script read. The text of the script is `script`, which
        stands before them.
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
        if refusal is not None and refusal[0] in _DEFECTS:
            self.failing = "\n".join(statements)
            raise Stopped(None)
        self.sheet.do(*statements)
        self.recorded = next(iter(self.printed().split()[-1:]), "")
        if self.recorded and not self.dies:
            self.sheet.do(
                "answers = [row for row in output.split() if row in ('sat', 'unsat', 'unknown')]",
                f"{ANSWER} = answers[-1] if answers else 'none'",
            )
        return self.printed()

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

    def _refused(self, code: str) -> None:
        """Handle a call that the solver refused when the trace was made."""
        refusal = self.refusal()
        if refusal is None:
            return
        if refusal[0] in _DEFECTS:
            self.failing = str(code)
            raise Stopped(None)
        self.sheet.do(_tolerant(code))
        raise Refused(*refusal)

    # -- objects that no line names

    def _make_sort(self, sort: Sort, of: Frame | None = None) -> Any:
        code = super()._make_sort(sort, of)
        return self.sheet.define(str(code), _sort_name(sort), cheap=True)

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        try:
            return self.sort_object(sort)
        except Refused:
            return self.sheet.define(str(super()._sort_of(obj, sort)), _sort_name(sort), cheap=True)

    # -- misuse

    def row(self, text: str) -> None:
        self.sheet.do(text)

    def bind(self, code: str, hint: str) -> Code:
        return self.sheet.define(code, hint, kept=True)


def _tolerant(code: str) -> str:
    """A call that the solver may refuse, as a statement."""
    return f"try:\n    {code}\nexcept Exception:\n    pass"


def _sort_name(sort: Sort | None) -> str:
    if sort is None:
        return "sort"
    if sort.kind == "SORT_UNINTERPRETED":
        return str(sort.params[0])
    numbers = [str(p) for p in sort.params if isinstance(p, int)][:2]
    return f"{sort.short.lower()}{'_'.join(numbers)}"[:24] + ("" if numbers else "_sort")


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
