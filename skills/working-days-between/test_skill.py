from skill import working_days_between


def test_example_1():
    assert working_days_between('2026-03-02', '2026-03-06') == 5


def test_example_2():
    assert working_days_between('2026-03-06', '2026-03-09') == 2


def test_example_3():
    assert working_days_between('2026-03-07', '2026-03-08') == 0


def test_example_4():
    assert working_days_between('2026-03-04', '2026-03-04') == 1


def test_example_5():
    assert working_days_between('2025-12-29', '2026-01-11') == 10


def test_example_6():
    assert working_days_between('2024-02-28', '2024-03-01') == 3


def test_example_7():
    assert working_days_between('2026-03-09', '2026-03-02') == 0


def test_example_8():
    assert working_days_between('2026-01-01', '2026-12-31') == 261
