"""Verification: decides whether an answer is right, whatever the answer claims about itself."""
