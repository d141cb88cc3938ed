import math

from skill import split_amount


def close(a, b):
    """Equal, with numbers compared within a relative 1e-9."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


def test_example_1():
    assert close(split_amount(100.0, 3), [33.34, 33.33, 33.33])


def test_example_2():
    assert close(split_amount(1.1, 2), [0.55, 0.55])


def test_example_3():
    assert close(split_amount(10.0, 4), [2.5, 2.5, 2.5, 2.5])


def test_example_4():
    assert close(split_amount(0.05, 2), [0.03, 0.02])


def test_example_5():
    assert close(split_amount(19.99, 1), [19.99])


def test_example_6():
    assert close(split_amount(1.0, 6), [0.17, 0.17, 0.17, 0.17, 0.16, 0.16])


def test_example_7():
    assert close(split_amount(0.29, 3), [0.1, 0.1, 0.09])


def test_example_8():
    assert close(split_amount(1234.56, 5), [246.92, 246.91, 246.91, 246.91, 246.91])
