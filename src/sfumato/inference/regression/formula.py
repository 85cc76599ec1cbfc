"""Models by formula, read by formulaic.

The outcome stands on the left. A randomised name on the right is a covariate that nobody knows: the formula is
evaluated once for each of its answers, with that answer for everybody, and `fit_predictor` weighs the
outcomes. A formula is no program: its words are columns and the transforms listed here, its signs are arithmetic,
and everything else is refused before formulaic, which would evaluate it as Python, gets to see data.
Theory: docs/theory/regression.md
"""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.inference.regression.columns import CONSTANT, DesignMatrix
from sfumato.inference.regression.fitting import MOST_ANSWERS

TRANSFORMS = (
    "C", "I", "bs", "cc", "center", "cr", "cs", "exp", "log", "log10", "log2", "poly", "scale", "standardize",
    "Diff", "Helmert", "Poly", "Sum", "Treatment",
)  # fmt: skip
"""Functions that a formula may call."""
CONTRASTS = ("SAS", "diff", "helmert", "poly", "sum", "treatment")
"""What may follow `contr.` in a formula."""

_LONGEST = 2000
_MOST_POWER = 16
# Degrees of splines and polynomials: columns that one word can ask for.
_MOST_COLUMNS = 100
_SIGNS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_QUOTED = re.compile(r"`([^`]*)`")
# Numbers go in as floats, whose powers do not wrap round; as codes they are whole again.
_WHOLE_CODE = re.compile(r"(\[(?:[A-Z]\.)?-?\d+)\.0\]")
_PLAIN_TEXT = re.compile(r"[^'\"\\{}]*")

Columns = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelFrame:
    """A formula with its data: a design for each combination of the randomised predictors' answers, the last fastest.

    `given` are the columns without them, on which those answers may depend.
    """

    outcome: str
    designs: tuple[DesignMatrix, ...]
    given: DesignMatrix
    predictors: tuple[str, ...]


def model_frame(
    formula: str,
    columns: Columns,
    randomised: Mapping[str, tuple[str, ...]],
    *,
    rows: int | None = None,
    others: Iterable[str] = (),
) -> ModelFrame:
    """Read a formula over columns of numbers or of texts; `randomised` names the answers of each randomised variable.

    `rows` is how many there are, where no column tells; `others` are columns that could be named and are not.

    >>> import numpy as np
    >>> columns, randomised = {"age": np.array([20.0, 30.0])}, {"drug": ("no", "yes"), "y": ("0", "1")}
    >>> frame = model_frame("y ~ age + drug:age", columns, randomised)
    >>> frame.outcome, frame.predictors, frame.designs[1].names
    ('y', ('drug',), ('Intercept', 'age', 'drug[T.yes]:age'))
    """
    formulaic, pandas = _libraries()
    outcome, right = _sides(formula, {*columns, *randomised}, others)
    parsed = _parsed(formulaic, right)
    named = _check_terms(parsed, list(dict.fromkeys((*columns, *randomised))), others)
    if outcome in named:
        raise InvalidParameter(
            f"has its outcome, {outcome!r}, on the right of ~ as well",
            parameter="formula",
            way_out="Leave it out there.",
        )
    predictors = tuple(name for name in randomised if name in named)
    frame = {name: _checked(name, columns[name]) for name in columns if name in named and name not in predictors}
    rows = len(next(iter(columns.values()), ())) if rows is None else rows
    answers = [randomised[name] for name in predictors]
    combinations = list(itertools.product(*(range(len(labels)) for labels in answers)))
    if len(combinations) > MOST_ANSWERS:
        raise InvalidParameter(
            f"has predictors with {len(combinations)} combinations of answers, more than {MOST_ANSWERS}",
            parameter="formula",
            way_out="Merge answers, or leave out a randomised predictor.",
        )

    def table(codes: Iterable[npt.NDArray[np.int64]]) -> Any:
        unknown = {
            name: pandas.Categorical.from_codes(code, categories=list(labels))
            for name, labels, code in zip(predictors, answers, codes, strict=True)
        }
        return pandas.DataFrame(frame | unknown, index=range(rows))

    # Which columns there are is settled once, on a table in which every answer occurs.
    first = _matrix(parsed, table(np.arange(rows) % len(labels) for labels in answers))
    spec = first.model_spec
    names = tuple(_WHOLE_CODE.sub(r"\1]", name) for name in spec.column_names)
    if not names:
        raise InvalidParameter(
            "has neither a constant nor a column", parameter="formula", way_out="Write 1 for a constant alone."
        )
    designs = []
    for combination in combinations:
        found = first if not predictors else _matrix(spec, table(np.full(rows, code) for code in combination))
        designs.append(DesignMatrix(names=names, values=np.asarray(found, dtype=np.float64)))
    touched = [place for name in predictors for place in _places(spec, name)]
    given = designs[0].without([designs[0].names[place] for place in touched])
    if not given.constants:
        given = DesignMatrix(
            names=(CONSTANT, *given.names), values=np.concatenate([np.ones((rows, 1)), given.values], axis=1)
        )
    return ModelFrame(outcome=outcome, designs=tuple(designs), given=given, predictors=predictors)


def _libraries() -> tuple[Any, Any]:
    try:
        import formulaic  # noqa: PLC0415  an extra, and two seconds
        import pandas as pd  # noqa: PLC0415  comes with formulaic
    except ImportError:
        raise InvalidParameter(
            "is read with formulaic, which is not installed",
            parameter="formula",
            way_out="Install it with: pip install 'sfumato[analysis]'. Or build a `DesignMatrix` by hand.",
        ) from None
    return formulaic, pd


def _sides(formula: str, known: set[str], others: Iterable[str]) -> tuple[str, str]:
    left, mark, right = formula.partition("~")
    name = left.strip().strip("`")
    if len(formula) > _LONGEST or not mark or not right.strip() or "~" in right:
        raise InvalidParameter(
            f"must be an outcome, one ~, and terms, in at most {_LONGEST} characters",
            parameter="formula",
            way_out="Write it like: affair ~ age + C(region).",
        )
    if name not in known:
        raise _unknown(name, sorted({*known, *others}))
    return name, right.strip()


def _parsed(formulaic: Any, right: str) -> Any:
    try:
        found = formulaic.Formula(right)
    except Exception:  # noqa: BLE001  a library's own errors for what it cannot read, of many classes
        found = None
    if not isinstance(found, formulaic.SimpleFormula):
        raise InvalidParameter(
            "cannot be read after its ~",
            parameter="formula",
            way_out="Use names of columns joined by +, :, * and -, and transforms such as C(region) or I(age**2).",
        )
    return found


def _check_terms(parsed: Any, known: list[str], others: Iterable[str]) -> set[str]:
    """The columns that a formula names; refuse every word and sign that is none of a formula's."""
    named: set[str] = set()
    for factor in {factor for term in parsed for factor in term.factors}:
        method = factor.eval_method.value
        if method == "literal":
            continue
        if method == "lookup":
            name = factor.expr.strip("`")
            if name not in known:
                raise _unknown(name, sorted({*known, *others}))
            named.add(name)
            continue
        quoted: dict[str, str] = {}

        def placeholder(match: re.Match[str], quoted: dict[str, str] = quoted) -> str:
            return quoted.setdefault(match[1], f"quoted_{len(quoted)}_")

        try:
            tree = ast.parse(_QUOTED.sub(placeholder, factor.expr), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _no_formula() from None
        names = {short: name for name, short in quoted.items()}
        for one in _names(tree):
            name = names.get(one, one)
            if name not in known:
                raise _unknown(name, sorted({*known, *others}))
            named.add(name)
    return named


def _names(node: ast.AST) -> Iterable[str]:
    """The columns in an expression; only names, numbers, arithmetic and calls of transforms may be in it."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Constant(value=bool() | int() | float() | None):
            pass
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            yield from _names(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() | float() as power)):
            found = list(_names(left))
            # A power of nothing but numbers could be made to fill the machine.
            if not found or abs(power) > _MOST_POWER:
                raise _no_formula()
            yield from found
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _SIGNS):
            yield from _names(left)
            yield from _names(right)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in TRANSFORMS:
            for part in (*args, *(keyword.value for keyword in keywords if keyword.arg is not None)):
                yield from _argument(part, limited=name in {"bs", "cc", "cr", "cs", "poly"})
            if any(keyword.arg is None or keyword.arg.startswith("_") for keyword in keywords):
                raise _no_formula()
        case ast.Call(func=ast.Attribute() as function, args=args, keywords=words) if _is_contrast(function):
            for part in (*args, *(keyword.value for keyword in words if keyword.arg is not None)):
                yield from _argument(part, limited=False)
            if any(keyword.arg is None or keyword.arg.startswith("_") for keyword in words):
                raise _no_formula()
        case _:
            raise _no_formula()


def _argument(node: ast.expr, *, limited: bool) -> Iterable[str]:
    """What else may stand between a transform's brackets: texts, lists, kinds of contrasts."""
    match node:
        case ast.Constant(value=str() as text) if _PLAIN_TEXT.fullmatch(text):
            pass
        case ast.Constant(value=int() | float() as number) if limited and abs(number) > _MOST_COLUMNS:
            raise _no_formula()
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if len(parts) <= _MOST_COLUMNS:
            for part in parts:
                yield from _argument(part, limited=False)
        case ast.Attribute() if _is_contrast(node):
            pass
        case _:
            yield from _names(node)


def _is_contrast(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "contr" and node.attr in CONTRASTS


def _places(spec: Any, name: str) -> list[int]:
    return [place for variable, places in spec.variable_indices.items() if str(variable) == name for place in places]


def _matrix(source: Any, data: Any) -> Any:
    """Evaluate over these columns and nothing of the caller's."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return source.get_model_matrix(data, context={}, output="numpy", na_action="ignore")
    except Exception:  # noqa: BLE001  a library's own errors, whose texts may hold data
        raise InvalidParameter(
            "cannot be evaluated over these columns",
            parameter="formula",
            way_out="Check that transforms fit their columns: numbers for log and poly, C() for codes.",
        ) from None


def _checked(name: str, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    numbers = column.dtype.kind in "iufb"
    gaps = np.isnan(column.astype(np.float64)) if numbers else np.array([not isinstance(one, str) for one in column])
    if gaps.any():
        raise InvalidParameter(
            f"names {name!r}, which has {int(gaps.sum())} rows without a value",
            parameter="formula",
            way_out="Leave those rows out, of the reports as well.",
        )
    return column.astype(np.float64) if numbers else column.astype(object)


def _unknown(name: str, known: Iterable[str]) -> InvalidParameter:
    return InvalidParameter(
        f"names {name!r}, which is no column; known are: {', '.join(known)}",
        parameter="formula",
        way_out="Use one of them, in backticks where it is no plain word.",
    )


def _no_formula() -> InvalidParameter:
    return InvalidParameter(
        "may hold columns, numbers, arithmetic and these transforms only: " + ", ".join(TRANSFORMS),
        parameter="formula",
        way_out="Compute anything else into a column first.",
    )
