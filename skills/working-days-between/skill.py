from datetime import date


def working_days_between(start, end):
    first = date.fromisoformat(start)
    days = (date.fromisoformat(end) - first).days + 1
    return sum((first.weekday() + day) % 7 < 5 for day in range(days))
