"""Give the value of the field user in a log line of name=value fields."""
# ruff: noqa: F821

assert user_of("ts=1709 level=info user=ana ms=12") == "ana"
assert user_of("level=warn user=boris ts=1710") == "boris"
assert user_of("user=chen level=info") == "chen"
assert user_of("ts=1711 ms=88 user=dora level=error") == "dora"
assert user_of("level=info ts=1712 ms=3 user=emil") == "emil"
assert user_of("user=fatou ts=1713 level=warn ms=140") == "fatou"
assert user_of("ts=1714 user=goran") == "goran"
assert user_of("level=error user=hana ms=9") == "hana"
assert user_of("ms=41 ts=1715 user=ivo level=info") == "ivo"
assert user_of("user=jun ms=77") == "jun"
