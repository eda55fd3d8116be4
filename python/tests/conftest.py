import numpy as np
import pytest


@pytest.fixture
def two_groups():
    """A matrix of 120 rows and 60 features, of which the first 8 differ between the classes, and the classes."""
    rng = np.random.default_rng(7)
    y = np.arange(120) % 2
    X = rng.standard_normal((120, 60))
    X[:, :8] += 1.2 * y[:, None]
    return X, y
