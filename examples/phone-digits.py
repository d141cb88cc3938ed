"""Strip a phone number down to its digits, as text."""
# ruff: noqa: F821

assert phone_digits("(503) 555-0142") == "5035550142"
assert phone_digits("+1 212 555 0198") == "12125550198"
assert phone_digits("312.555.0167") == "3125550167"
assert phone_digits("0049 30 123456") == "004930123456"
assert phone_digits("415-555-0110") == "4155550110"
assert phone_digits("617 555 0188") == "6175550188"
assert phone_digits("(206)555-0131") == "2065550131"
assert phone_digits("+44 20 7946 0155") == "442079460155"
