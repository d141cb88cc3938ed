"""Turn ISO durations into minutes."""
# ruff: noqa: F821

assert duration_minutes("PT1H30M") == 90
assert duration_minutes("PT45M") == 45
assert duration_minutes("PT2H") == 120
assert duration_minutes("PT2H15M") == 135
assert duration_minutes("PT10M") == 10
assert duration_minutes("PT3H") == 180
assert duration_minutes("PT1H5M") == 65
assert duration_minutes("PT90M") == 90
assert duration_minutes("PT12H") == 720
assert duration_minutes("PT4H20M") == 260
assert duration_minutes("PT7M") == 7
assert duration_minutes("PT6H") == 360
assert duration_minutes("PT5H59M") == 359
