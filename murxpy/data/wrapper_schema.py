"""The format of the files in `wrappers/`, as msgspec decodes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from murxpy.data.theories import Dialect
from murxpy.data.yamlfile import Strict
from murxpy.solvers.exceptions import Class

Scalar = bool | int | float | str
_TAKEN = r"^((bool|any|constant|uninterpreted|quantified)\+?|same-[0-9]+)$"


class Option(Strict, frozen=True):
    """An option of the solver that can be drawn in runs with `theories`, or several `names` of which
    the same holds. Without a `type`, the loaded release tells type and values. A choice has `values`; a
    number has `min` and `max`. `with` are options that are set beside this one wherever its value is
    not `false`, because it does nothing without them. `unless` are the names of options and of
    theories: it is not drawn where one of these options is on, or the run has one of these theories.
    """

    name: str = ""
    names: list[str] = []
    type: Literal["bool", "int", "float", "choice", ""] = ""
    values: list[Scalar] = []
    min: int | float | None = None
    max: int | float | None = None
    weight: Annotated[float, Meta(ge=0)] = 1.0
    theories: list[str] = []
    with_: list[tuple[str, Scalar]] = field(name="with", default_factory=list)
    unless: list[str] = []


class Forbidden(Strict, frozen=True):
    """Options and commands that no trace, script or command line may use, because they change or read
    files or start programs, by the reason: a clause that goes on after the name.

    `harmless` are options that look like one of these and are none, by the reason.
    """

    options: dict[str, list[str]] = {}
    commands: dict[str, list[str]] = {}
    harmless: dict[str, list[str]] = {}


class OwnAction(Strict, frozen=True):
    """An action that only this solver has: when it can be done, the terms that it takes, whether it
    ends the last answer, and whether it asserts more than the trace shows.

    `stress` says that it is for contract mode only, because it stresses callbacks or the lifetimes
    of objects.
    """

    needs: list[
        Literal[
            "sat",
            "unsat",
            "unknown",
            "checked",
            "asserted",
            "optimizer",
            "models",
            "cores",
            "incremental",
            "quantifiers",
        ]
    ] = []
    option: str | None = None
    takes: list[Annotated[str, Meta(pattern=_TAKEN)]] = []
    ends: bool = False
    changes: bool = False
    stress: bool = False
    weight: Annotated[float, Meta(ge=0)] = 1.0


class Refusal(Strict, frozen=True):
    """A rule that sorts an exception of the binding by its class and by a regular expression for its
    message. `of-terms`: the message tells of a term that is built, so that it is a fault of the
    solver where an assertion, which builds none, raises it.
    """

    class_: Class = field(name="class")
    type: str | None = None
    message: str | None = None
    of_terms: bool = field(name="of-terms", default=False)


class Defect(Strict, frozen=True):
    """A message that tells of a broken invariant of the solver, whatever exception carries it."""

    message: str
    because: str


class Undefined(Strict, frozen=True):
    """Calls whose misuse the binding leaves undefined, and why. `call` is a regular expression over
    templates; `rules` are the rules of misuse that it is about, all if there are none.
    """

    call: str
    because: str
    rules: list[str] = []


class Promised(Strict, frozen=True):
    """A class of exceptions that the binding's documentation promises, with the words of the
    promise and the object whose docstring contains them.
    """

    type: Annotated[str, Meta(min_length=1)]
    quote: Annotated[str, Meta(min_length=20)]
    of: Annotated[str, Meta(min_length=1)]


class Skip(Strict, frozen=True):
    """Public callables that contract mode never calls, and why: a regular expression over their
    names, or the modules that define them.
    """

    because: str
    name: str = ".*"
    defined_in: list[str] = []


class Argument(Strict, frozen=True):
    """The kinds `is` of operands for a parameter (a regular expression) of the callables `of` (a
    regular expression over their names).

    `at-most`: a larger number would only cost time. `sealed`: the operand is never broken.
    """

    parameter: str
    of: str = ".*"
    is_: list[str] = field(name="is", default_factory=list)
    at_most: int | None = None
    sealed: bool = False
    because: str = ""


class Calls(Strict, frozen=True):
    """The public callables of the binding: its modules, what is never called, hints for operands,
    and what makes objects of a class.

    A recipe is a list of calls. A call is a name and then words of a trace, `$N` for the result of
    call N, or kinds of operands.
    """

    modules: list[str] = []
    skip: list[Skip] = []
    arguments: list[Argument] = []
    makers: dict[str, list[str]] = {}
    recipes: dict[str, list[str]] = {}


class Conversion(Strict, frozen=True):
    """A broken promise that the conversion of arguments causes, which all callables share: a
    regular expression over its message, and why.
    """

    message: str
    because: Annotated[str, Meta(min_length=1)]


class Contract(Strict, frozen=True):
    """The binding's promises about wrong calls: the exceptions that it documents, and the calls that
    it leaves undefined.
    """

    documented: list[Promised] = []
    defects: list[Defect] = []
    undefined: list[Undefined] = []
    conversions: list[Conversion] = []
    extension_module: str = ""
    calls: Calls = Calls()


class Documented(Strict, frozen=True):
    """Calls or options that the solver documents as internal, unsupported or experimental, with the
    sentence that says so.

    The entry is about calls (a regular expression over templates), or about options that are on. With
    `sorts`, it only applies if the run makes a sort whose words match. `counts` says why findings
    with it count all the same.
    """

    quote: str
    calls: str | None = None
    options: list[str] = []
    sorts: str | None = None
    counts: str | None = None


class Difference(Strict, frozen=True):
    """Operators and special values that mean something else than in the solvers of `from`, or than in
    all others. Such operators are not cross-checked with these solvers.
    """

    reason: str
    from_: list[str] = field(name="from", default_factory=list)
    operators: list[str] = []
    special_values: list[str] = []


class Unspelled(Strict, frozen=True):
    """Operators and sorts of the solver's theories for which its API has no spelling, and why."""

    because: Annotated[str, Meta(min_length=1)]
    operators: list[str] = []
    sorts: list[str] = []


class HoldOff(Strict, frozen=True):
    """Findings that the solver's developers do not want to hear of now: `match` is a regular expression
    over the key of the bucket, what is wrong, and the script or program.
    """

    match: str
    because: Annotated[str, Meta(min_length=1)]


class Reporting(Strict, frozen=True):
    """What the solver's developers ask of those who report bugs: where, how many a week (`a_week`),
    what belongs `together` in one issue, which `attachments` they take, and what to `hold_off`.
    """

    tracker: str = ""
    a_week: int = 0
    together: str = ""
    attachments: str = ""
    hold_off: list[HoldOff] = []


class Plain(Strict, frozen=True):
    """The way in which a person writes programs: the imports, the names of solver and context, and
    spellings by section, which are preferred to those of the wrapper.

    With `main_context`, terms belong to the binding's main context, which this expression gives, so
    that no call names a context, except those of the functions `exact`. `script` are the statements that have the SMT-LIB script `script`
    read and give `output`, `script_limit` the command that limits its checks, `script_option` the
    statement that switches on an option which a theory of the script needs, and `script_parameter` the
    one that sets an option of the whole process before the script is read. `datatypes` are
    templates of statements that declare a block of datatypes.
    """

    imports: str = ""
    main_context: str = ""
    exact: list[str] = []
    script: str = ""
    script_limit: str = ""
    script_option: str = ""
    script_parameter: str = ""
    names: dict[str, str] = {}
    datatypes: dict[
        Literal[
            "datatype",
            "constructor",
            "operand",
            "field",
            "itself",
            "other",
            "close",
            "create",
            "create-all",
        ],
        str,
    ] = {}
    lifecycle: dict[str, Any] = {}
    sorts: dict[str, Any] = {}
    special_values: dict[str, Any] = {}
    values: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    special_options: dict[str, Any] = {}
    operators: dict[str, Any] = {}
    actions: dict[str, Any] = {}
    readers: dict[str, Any] = {}
    self_checks: dict[str, Any] = {}


class Part(Strict, frozen=True):
    """A part of the API whose object stands in the place of the solver in some runs. Its name is that
    of the spelling of `new` which makes the object. `actions` are all that can be done with it, and
    `options` those that runs draw.
    """

    actions: dict[str, Any]
    options: list[Option] = []


class ScriptProgram(Strict, frozen=True):
    """The solver's own program that reads scripts: where an installation has it, and the options
    with which it is run one after another until a script shows its finding.
    """

    places: Annotated[list[str], Meta(min_length=1)]
    options: list[str] = []


class Wrapper(Strict, frozen=True):
    """A file of `wrappers/`. `murxpy.data.spellings` checks the sections with spellings."""

    solver: str
    module: str
    package: str
    imports: str
    lifecycle: dict[str, Any]
    sorts: dict[str, Any]
    operators: dict[str, Any]
    actions: dict[str, Any]
    shared: dict[str, list[str]] = {}  # by the wrapper beside this one, the keys taken from it
    shorthands: dict[str, dict[str, Any]] = {}
    spelled: dict[Literal["operators", "sorts", "special-values"], str] = {}
    command: bool = False  # whether the user names a program, as in SOLVER:COMMAND
    releases: str = ""
    release_needs: dict[str, list[str]] = field(name="release-needs", default_factory=dict)
    version: str = ""
    about: str = ""
    helpers: str | list[str] = []
    theories: list[str] = []
    higher_order: bool = False
    function_terms: bool = False
    scoped_declarations: bool = False
    conjunction: str | None = None
    script_runner: str | None = None
    script_reader: str = ""
    script_program: ScriptProgram | None = None
    limit_per_ms: Annotated[float, Meta(gt=0)] = 1.0
    limit_per_ms_of: dict[str, Annotated[float, Meta(gt=0)]] = {}
    script_ms: dict[str, Annotated[float, Meta(gt=0)]] = {}
    special_values: dict[str, Any] = {}
    values: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    special_options: dict[str, Any] = {}
    readers: dict[str, Any] = {}
    self_checks: dict[str, Any] = {}
    invariants: dict[str, Any] = {}
    seed_option: str = ""
    script_seeds: list[str] = []
    script_option_prefix: str = ""
    script_since: dict[str, str] = {}
    ascii_symbols_before: str = ""
    options: list[Option] = []
    process_options: list[Option] = []
    undrawn_options: dict[str, list[str]] = {}
    option_theories: dict[str, list[str]] = {}
    safe_options: list[tuple[str, Scalar]] = []
    forbidden: Forbidden = Forbidden()
    own_actions: dict[str, OwnAction] = {}
    parts: dict[str, Part] = {}
    unjudged: dict[str, str] = {}
    unasked: dict[str, str] = {}
    open_points: dict[str, str] = {}
    incomplete: dict[str, str] = {}  # by theory, the sentence that says so
    own_checks: dict[str, bool] = {}
    rewritten: dict[str, str] = {}  # the operator that another one is made into before all else
    broad_classes: list[str] = []  # that have most functions as methods, which share no cause
    required_options: dict[str, list[tuple[str, Scalar]]] = {}
    refusals: list[Refusal] = []
    contract: Contract = Contract()
    documented: list[Documented] = []
    variants: list[dict[str, Scalar]] = []
    unspelled: list[Unspelled] = []
    reporting: Reporting = Reporting()
    default_judge: Annotated[int, Meta(ge=1)] | None = None
    library_variables: list[str] = []
    judge_options: list[tuple[str, Scalar]] = []
    differences: list[Difference] = []
    profile: dict[str, Any] = {}
    plain: Plain = Plain()
    dialect: Dialect | None = None
