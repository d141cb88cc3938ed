UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def readable_size(size):
    value, place = size, 0
    while value >= 1023.95 and place < len(UNITS) - 1:
        value, place = value / 1024, place + 1
    return f"{value:.1f} {UNITS[place]}" if place else f"{size} B"
