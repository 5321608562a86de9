"""List the requirements on a map, and make one pytest test of each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mehler._arrays import Array
from mehler._validate import require_integer, require_probability
from mehler.verify._arguments import relative_resolution
from mehler.verify._budget import Ledger
from mehler.verify.conformance import _form, _laws
from mehler.verify.conformance._requirement import Requirement, Subject

_REQUIREMENTS: tuple[tuple[str, str, Callable[[Subject], Any]], ...] = (
    (
        "parts",
        "the map has n_features, kernel, variance and recipe, and is callable",
        _form.has_its_parts,
    ),
    ("shape", "features have the shape and the precision of the rows", _form.keeps_shape_and_dtype),
    ("input", "rows are read, not written", _form.leaves_its_input_alone),
    ("rows", "each row is mapped by itself", _form.maps_each_row_alone),
    ("gram", "gram and products are those of the features", _form.agrees_with_its_gram),
    ("declared-kernel", "the declared kernel is one", _form.declares_a_kernel),
    ("declared-variance", "the declared variance is one", _form.declares_a_variance),
    ("bad-rows", "bad rows are refused", _form.refuses_bad_rows),
    ("recipe", "the recipe names the map", _form.has_a_recipe),
    ("pickle", "the map can be sent to another process", _form.travels),
    ("structure", "the map is a function of its seed and of each row alone", _laws.is_built_as_one),
    ("kernel", "the features have the declared kernel", _laws.has_its_kernel),
    ("variance", "estimates have the declared variance", _laws.has_its_variance),
    ("convergence", "more features give smaller errors", _laws.converges),
    (
        "seeds",
        "a seed gives the same features again, others independent ones",
        _laws.is_reproducible,
    ),
    ("finite", "finite rows have finite features", _laws.stays_finite),
)


def checks(
    factory: Callable[..., Any],
    *,
    X: Array | None = None,
    n_features: int = 512,
    resolution: float = 0.1,
    false_alarm: float = 1e-9,
    ledger: Ledger | None = None,
    leave_out: Collection[str] = (),
) -> list[Requirement]:
    """List the requirements on a map; each is called without arguments.

    Parameters
    ----------
    factory : callable
        ``factory(n_features, seed=seed)`` returns a drawn map: a class, or a partial of its
        ``draw`` such as ``functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4)``.
    X : array, shape (n, n_inputs), optional
        Rows to test on; default four in random directions, of the map's ``n_inputs``.
    n_features : int
        Width of the maps drawn.
    resolution : float
        Smallest deviation from the declared kernel that must not be missed, as a fraction of
        sqrt(k(x,x) k(y,y)).
    false_alarm : float
        False-alarm probability of each statistical requirement.
    ledger : Ledger, optional
        Budget from which they are paid.
    leave_out : collection of str
        Names of requirements that do not apply, such as ``"variance"`` where a map declares only
        an upper bound.

    Returns
    -------
    list of Requirement
        Nothing is drawn before they are called.

    See Also
    --------
    parametrize : The same as pytest tests.
    mehler.verify.check_kernel : The check behind the kernel requirement.

    Examples
    --------
    >>> import functools, mehler
    >>> draw = functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4)
    >>> for requirement in checks(draw, leave_out=["convergence"]):
    ...     _ = requirement()
    """
    if not callable(factory):
        raise TypeError(f"factory={factory!r} must be callable: (n_features, seed=) -> map")
    names = [name for name, _, _ in _REQUIREMENTS]
    left = isinstance(leave_out, Collection) and not isinstance(leave_out, str)
    if not left or any(name not in names for name in leave_out):
        raise ValueError(
            f"leave_out={leave_out!r} must list names of requirements: {', '.join(names)}"
        )
    subject = Subject(
        factory,
        X,
        require_integer("n_features", n_features, least=2),
        relative_resolution(resolution),
        require_probability("false_alarm", false_alarm),
        ledger,
    )
    return [
        Requirement(name, says, look, subject)
        for name, says, look in _REQUIREMENTS
        if name not in leave_out
    ]


def parametrize(factory: Callable[..., Any], **options: Any) -> Any:
    """Parametrize a test over the requirements, passed as its argument ``requirement``.

    Parameters
    ----------
    factory : callable
        As for `checks`.
    **options
        As for `checks`.

    Returns
    -------
    pytest.MarkDecorator
        To be applied to the test function.

    See Also
    --------
    checks : List the requirements without pytest.

    Examples
    --------
    >>> import functools, mehler
    >>> from mehler.verify import conformance
    >>> @conformance.parametrize(functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4))
    ... def test_map_conforms(requirement):
    ...     requirement()
    """
    import pytest

    listed = checks(factory, **options)
    return pytest.mark.parametrize("requirement", [pytest.param(r, id=r.name) for r in listed])
