"""Logistic regression by Newton's method, for classifiers and calibration."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_MOST_STEPS = 100
_SETTLED = 1e-8
_TINY = 1e-9


def fit_logistic(values: Floats, wanted: Floats, shares: Floats, l2: float) -> Floats:
    """Weights (features + 1,), the last one constant, that make the weighted log-loss least.

    values: (n, features); wanted: (n,) 0 or 1; shares: (n,) how much each counts; l2: of the weights of
    standardised features, relative to the mean loss.
    """
    mean, spread = values.mean(axis=0), values.std(axis=0) + _TINY
    inputs = np.concatenate([(values - mean) / spread, np.ones((len(values), 1))], axis=1)
    share = shares / shares.sum()
    penalty = np.full(inputs.shape[1], 2 * l2)
    penalty[-1] = 0.0
    found = np.zeros(inputs.shape[1])
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        gradient = inputs.T @ (share * (chance - wanted)) + penalty * found
        curvature = (inputs * (share * chance * (1 - chance))[:, None]).T @ inputs
        curvature += np.diag(penalty + _TINY)
        step = np.clip(np.linalg.solve(curvature, gradient), -2, 2)
        found = found - step
        if np.abs(step).max() < _SETTLED:
            break
    weights = found[:-1] / spread
    return np.append(weights, found[-1] - weights @ mean)
