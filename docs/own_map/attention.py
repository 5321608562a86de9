"""Positive random features of attention: exp(<w, x> - |x|^2/2), with the kernel exp(<x, y>)."""

from array_api_compat import array_namespace

from mehler.features import FeatureMap, projections

GAUSSIAN = projections.named("gaussian")


class PositiveFeatures(FeatureMap):
    """Features exp(<w_l, x> - |x|^2/2) / sqrt(m) of rows (n, d), with w_l normal in d dimensions.

    Choromanski and others, Rethinking Attention with Performers (2021), Lemma 1.
    """

    def _draw(self, dtype, units):
        return GAUSSIAN.draw_units(self.seed, 1, self.n_inputs, units, self.n_features, dtype)

    def _transform(self, xp, rows, weights):
        squares = xp.sum(rows * rows, axis=1, keepdims=True)
        return self.n_features**-0.5 * xp.exp(rows @ weights[0, ...] - squares / 2)

    def _kernel_of(self, x, y):
        inner, _ = products(x, y)
        return array_namespace(x).exp(inner)

    def _variance_of(self, x, y):
        inner, total = products(x, y)
        xp = array_namespace(x)
        return xp.exp(2 * inner) * xp.expm1(total)


def products(x, y):
    """Inner products <x, y>, and |x + y|^2, of rows (n, d) and (k, d): two arrays (n, k)."""
    xp = array_namespace(x)
    y = x if y is None else y
    inner = x @ y.T
    squares = xp.sum(x * x, axis=1)[:, None] + xp.sum(y * y, axis=1)[None, :]
    return inner, squares + 2 * inner


def draw(seed, n_features=256):
    """Draw a map of rows with five columns."""
    return PositiveFeatures(5, n_features, seed=seed)
