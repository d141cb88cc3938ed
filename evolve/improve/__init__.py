"""The unattended loop: practise, admit, fit, judge, promote; and the report on whether it helped."""
