"""Show a length in seconds as minutes and seconds."""
# ruff: noqa: F821

assert clock(75) == "1:15"
assert clock(9) == "0:09"
assert clock(60) == "1:00"
assert clock(600) == "10:00"
assert clock(61) == "1:01"
assert clock(3599) == "59:59"
assert clock(125) == "2:05"
assert clock(30) == "0:30"
assert clock(240) == "4:00"
assert clock(754) == "12:34"
assert clock(1) == "0:01"
